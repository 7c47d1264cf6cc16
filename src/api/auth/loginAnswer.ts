// What login and register answer (specification 4.3).

import type { User } from '../../shared/userStore.ts';
import type { AccessTokens } from './accessTokens.ts';

export interface LoginAnswer {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly user: { readonly id: string; readonly email: string; readonly plan: string };
}

export async function toLoginAnswer(user: User, tokens: AccessTokens): Promise<LoginAnswer> {
  const { _id: id, email, plan, tokenGeneration: generation = 0 } = user;
  return { access_token: await tokens.issue({ userId: id, plan, generation }), token_type: 'bearer', user: { id, email, plan } };
}
