// Ends every session and access token of a user but the one that asks.
import { RequestError } from '../../../shared/errors.ts';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { type RouteContext, requireToken } from '../../access/requestContext.ts';
import type { AuthParts } from '../authParts.ts';
import { requireLiveUser } from './requireLiveUser.ts';

/** How often the user is read again whose sessions were ended by another request meanwhile: of requests at once one succeeds each time. */
const TRIES = 30;

type Parts = Pick<AuthParts, 'users' | 'sessions' | 'credentials'>;

interface Kept {
  /** The session that goes on; null when it was ended at the same moment. */
  readonly session: SessionDocument | null;
  /** Sessions that have ended. */
  readonly ended: number;
}

/**
 * Ends the others. Of two requests at once each ends the other's session unless it is ended first.
 * @throws {RequestError} 401 when the session that asks has ended meanwhile
 */
export async function endAllOthers(ctx: RouteContext, parts: Parts): Promise<Kept> {
  const { id } = requireToken(ctx);
  for (let tries = 0; tries < TRIES; tries++) {
    const { user } = await requireLiveUser(ctx, parts);
    const changed = await parts.users.endTokens(user, id);
    if (changed !== null) return keepSession(ctx, parts, changed);
  }
  throw new RequestError(503, 'busy', 'Your sessions are being ended by other requests.', { 'Retry-After': '1' });
}

/**
 * Takes the session that asks along to the user's new generation, and removes those that the generation has ended.
 * @param user as it is after the generation has risen
 */
export async function keepSession(ctx: RouteContext, { sessions, credentials }: Parts, user: User): Promise<Kept> {
  const { sessionId } = requireToken(ctx);
  const { _id: userId, tokenGeneration: generation = 0 } = user;
  const ended = await sessions.keepOnly(userId, sessionId, generation);
  await credentials.announceChange(userId, []);
  return { session: await sessions.find(userId, sessionId), ended };
}
