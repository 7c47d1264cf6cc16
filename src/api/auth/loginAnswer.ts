// The answer of login and register (specification 4.3).

import { Type } from '@sinclair/typebox';
import type { User } from '../../shared/mongo/userStore.ts';
import type { AccessTokens } from '../access/accessTokens.ts';
import { type AnswerFor, exactly, PlanName, UserId } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';

export const loginFields = {
  access_token: described(Type.String(), 'A JWT for `Authorization: Bearer …`; it ends after 24 hours.'),
  token_type: Type.Literal('bearer'),
  user: exactly({ id: UserId, email: Type.String({ examples: ['bot@example.com'] }), plan: PlanName }),
};

export const LoginAnswer = exactly(loginFields);

export async function toLoginAnswer(user: User, tokens: AccessTokens): Promise<AnswerFor<typeof LoginAnswer>> {
  const { _id: id, email, plan, tokenGeneration: generation = 0 } = user;
  return { access_token: await tokens.issue({ userId: id, plan, generation }), token_type: 'bearer', user: { id, email, plan } };
}
