// Ends every session and access token of a user, e.g. when the user's machine was stolen. API keys go on.

import { announceUserChange } from '../../shared/access/userChange.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import { withAudit } from '../accounts/withAudit.ts';
import { type OperatorParts, Refused } from '../operatorParts.ts';
import { findUser } from './findUser.ts';

/** How often a user is read again whose sessions have been ended meanwhile. */
const TRIES = 5;

/** @throws {Unknown} when no user has that name, {Refused} when the user keeps changing */
export async function endUserSessions(
  parts: OperatorParts,
  name: string | undefined,
): Promise<{ readonly id: string; readonly email: string; readonly ended: number }> {
  const { _id: id, email } = await findUser(name, parts);
  const of = { userId: id, action: 'session.ended', detail: 'all' } as const;
  return { id, email, ended: await withAudit(parts, of, { act: () => endAll(parts, id) }) };
}

/** @returns how many sessions have ended */
async function endAll(parts: OperatorParts, userId: string): Promise<number> {
  const { billing, redis, mongo } = parts;
  for (let tries = 0; tries < TRIES; tries++) {
    const changed = await billing.users.endTokens(await findUser(userId, parts), undefined);
    if (changed === null) continue;
    const ended = await new SessionStore(mongo).keepOnly(userId, undefined, changed.tokenGeneration ?? 0);
    await announceUserChange(redis, { userId, digests: [] });
    return ended;
  }
  throw new Refused('The user keeps changing: try again.');
}
