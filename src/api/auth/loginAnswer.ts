// The answer of login, register, refresh and a change of password (specification 4.3).

import { Type } from '@sinclair/typebox';
import type { SessionDocument } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { latestEndMs } from '../access/sessions/sessionLife.ts';
import { type AnswerFor, exactly, PlanName, UserId } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import type { AuthParts } from './authParts.ts';
import { deviceOf } from './devices/deviceTokens.ts';

/** Of the answer of register too, which has no device token: the network of a registration is known from then on. */
export const loginFields = {
  access_token: described(Type.String(), 'A JWT for `Authorization: Bearer …`; it ends after 24 hours, and with its session.'),
  token_type: Type.Literal('bearer'),
  user: exactly({ id: UserId, email: Type.String({ examples: ['bot@example.com'] }), plan: PlanName }),
};

export const LoginAnswer = exactly({
  ...loginFields,
  device_token: described(
    Type.String(),
    'Goes into the next login from this device: guesses of others do not count there. Ends with a new password, or after a year.',
  ),
});

/**
 * Issues an access token of the session, which ends with the session's absolute life at the latest.
 * @param deviceId of the device that is known already
 */
export async function toLoginAnswer(
  user: User,
  session: Pick<SessionDocument, '_id' | 'createdAt'>,
  { tokens, devices, config, now }: Pick<AuthParts, 'tokens' | 'devices' | 'config' | 'now'>,
  deviceId = deviceOf(session._id),
): Promise<AnswerFor<typeof LoginAnswer>> {
  const { _id: id, email, plan, tokenGeneration: generation = 0 } = user;
  const secondsMax = Math.max(1, Math.ceil((latestEndMs(config, session.createdAt.getTime()) - now()) / 1000));
  const accessToken = await tokens.issue({ userId: id, plan, generation, sessionId: session._id, secondsMax });
  const deviceToken = await devices.issue(user, deviceId);
  return { access_token: accessToken, token_type: 'bearer', device_token: deviceToken, user: { id, email, plan } };
}
