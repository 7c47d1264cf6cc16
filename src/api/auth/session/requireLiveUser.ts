// The user behind an access token, for acts that give power: new tokens, keys, passwords, an end to other sessions.
// What a node has cached of an owner may be a quarter of a second old. In that time a token that was just ended must
// not be made into anything that lives on, so these acts read user and session anew.
import { RequestError } from '../../../shared/errors.ts';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { isTokenInForce } from '../../access/accessTokens.ts';
import { type RouteContext, requireToken } from '../../access/requestContext.ts';
import type { AuthParts } from '../authParts.ts';

export interface LiveUser {
  readonly user: User;
  readonly session: SessionDocument;
}

/** @throws {RequestError} 401 when the token, its session or its user is no longer there */
export async function requireLiveUser(
  ctx: RouteContext,
  { users, sessions }: Pick<AuthParts, 'users' | 'sessions'>,
): Promise<LiveUser> {
  const claims = requireToken(ctx);
  const { userId, sessionId } = claims;
  // The session before the user: it is taken along after the user's generation has risen, so it is never ahead of this user.
  const session = await sessions.find(userId, sessionId);
  const user = await users.findById(userId);
  if (user === null) throw new RequestError(401, 'invalid_token', 'The user of this access token no longer exists.');
  const { tokenGeneration: generation = 0, keptTokenId } = user;
  if (session === null || !isTokenInForce(claims, { generation, keptTokenId }, session))
    throw new RequestError(401, 'invalid_token', 'This access token has ended: log in.');
  return { user, session };
}
