// The answer of login, register, refresh and a change of password (specification 4.3).

import { Type } from '@sinclair/typebox';
import type { SessionDocument } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { latestEndMs } from '../access/accessTokens.ts';
import { type AnswerFor, exactly, PlanName, UserId } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import type { AuthParts } from './authParts.ts';
import { deviceOf } from './devices/deviceTokens.ts';

/** Of the answer of register too, which has no device token: the network of a registration is known from then on. */
export const loginFields = {
  access_token: described(
    Type.String(),
    'A JWT for `Authorization: Bearer …`; it ends after 24 hours (of a browser’s session: in minutes), and with its session.',
  ),
  token_type: Type.Literal('bearer'),
  user: named('UserSummary', exactly({ id: UserId, email: Type.String({ examples: ['bot@example.com'] }), plan: PlanName })),
};

export const LoginAnswer = named(
  'LoginAnswer',
  exactly({
    ...loginFields,
    device_token: described(
      Type.String(),
      'Goes into the next login from this device: guesses of others do not count there. Ends with a new password, or after a year.',
    ),
  }),
);

type TokenSession = Pick<SessionDocument, '_id' | 'createdAt' | 'cookie'>;
type TokenParts = Pick<AuthParts, 'tokens' | 'config' | 'now'>;

/** Issues an access token of the session, with a device token. @param deviceId of the device that is known already */
export async function toLoginAnswer(
  user: User,
  session: TokenSession,
  parts: TokenParts & Pick<AuthParts, 'devices'>,
  deviceId = deviceOf(session._id),
): Promise<AnswerFor<typeof LoginAnswer>> {
  const deviceToken = await parts.devices.issue(user, deviceId);
  return { ...(await toTokenAnswer(user, session, parts)), device_token: deviceToken };
}

/** Issues an access token of the session. */
export async function toTokenAnswer(user: User, session: TokenSession, parts: TokenParts): Promise<TokenAnswer> {
  const { _id: id, email, plan, tokenGeneration: generation = 0 } = user;
  const claims = { userId: id, plan, generation, sessionId: session._id, secondsMax: tokenSeconds(session, parts) };
  return { access_token: await parts.tokens.issue(claims), token_type: 'bearer', user: { id, email, plan } };
}

type TokenAnswer = Omit<AnswerFor<typeof LoginAnswer>, 'device_token'>;

/**
 * How long an access token that the session gives now lives: no longer than the session at the most. Of a browser's session it
 * is short, for its cookie gives the next.
 */
export function tokenSeconds({ createdAt, cookie }: TokenSession, { config, now }: Omit<TokenParts, 'tokens'>): number {
  const leftSeconds = Math.max(1, Math.ceil((latestEndMs(config, createdAt.getTime()) - now()) / 1000));
  const ofBrowser = cookie === undefined ? Number.POSITIVE_INFINITY : config.SESSION_TOKEN_SECONDS;
  return Math.min(config.JWT_TTL_SECONDS, ofBrowser, leftSeconds);
}
