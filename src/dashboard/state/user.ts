// Who is logged in, as `GET /v1/auth/me` says.
import { signal } from '@preact/signals';
import { get } from '../api/http.ts';

export interface User {
  readonly email: string;
  readonly address: string;
  readonly plan: 'basic' | 'pro';
}

/** undefined until the first answer. */
export const user = signal<User | undefined>(undefined);

/** Reads who is logged in. @throws {ApiError} */
export async function readUser(): Promise<void> {
  user.value = (await get<User>('/v1/auth/me')).body;
}
