// Who is logged in, as `GET /v1/auth/me` says.
import { signal } from '@preact/signals';
import type { Profile } from '../api/contract.ts';
import { get } from '../api/http.ts';

/** undefined until the first answer. */
export const user = signal<Profile | undefined>(undefined);

/** Reads who is logged in. @throws {ApiError} */
export async function readUser(): Promise<void> {
  user.value = (await get<Profile>('/v1/auth/me')).body;
}
