// Begins the session of a login or of a registration, and notes where it goes on.
import { randomBytes } from 'node:crypto';
import type { SessionDocument, SessionOrigin } from '../../../shared/mongo/sessionStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { addressOf, type RouteContext } from '../../access/requestContext.ts';
import type { AuthParts } from '../authParts.ts';

/** What a list shows of a client's own name, characters. */
const AGENT_LENGTH_MAX = 120;

/**
 * Resolves when every node can find the session.
 * @param more.secondFactorAt when a second factor was checked for it
 * @param more.cookie where a browser keeps it
 */
export async function beginSession(
  ctx: RouteContext,
  { sessions, credentials, now }: Pick<AuthParts, 'sessions' | 'credentials' | 'now'>,
  user: User,
  more: Pick<SessionDocument, 'secondFactorAt' | 'cookie'> = {},
): Promise<SessionDocument> {
  const at = new Date(now());
  const session: SessionDocument = {
    ...{ _id: `ses_${randomBytes(12).toString('hex')}`, userId: user._id, generation: user.tokenGeneration ?? 0 },
    ...{ createdAt: at, refreshedAt: at, usedAt: at, ...originOf(ctx), ...more, schema: 1 },
  };
  if (await sessions.begin(session)) await credentials.announceChange(user._id, []);
  return session;
}

/** Notes that a session gives another access token. @returns the session as it is now, or null when it has ended meanwhile */
export function refreshSession(
  ctx: RouteContext,
  { sessions, now }: Pick<AuthParts, 'sessions' | 'now'>,
  { tokenGeneration: generation = 0 }: User,
  session: SessionDocument,
): Promise<SessionDocument | null> {
  return sessions.refresh(session, { ...usedFrom(ctx, now()), generation });
}

/** What a refresh at this time notes of where it comes from. */
export function usedFrom(ctx: RouteContext, timeMs: number): SessionOrigin & Pick<SessionDocument, 'refreshedAt' | 'usedAt'> {
  const at = new Date(timeMs);
  return { ...originOf(ctx), refreshedAt: at, usedAt: at };
}

/** Where a request comes from, as its user sees it in the list of sessions. */
function originOf(ctx: RouteContext): SessionOrigin {
  const agent = ctx.get('user-agent').replace(/[^\x20-\x7e]/g, '');
  return { address: addressOf(ctx), agent: agent.length > AGENT_LENGTH_MAX ? `${agent.slice(0, AGENT_LENGTH_MAX)}…` : agent };
}
