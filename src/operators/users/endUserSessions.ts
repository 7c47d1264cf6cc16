// Ends every session and access token of a user, e.g. when the user's machine was stolen. API keys go on.
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import { announceUserChange } from '../../shared/userChange.ts';
import { type OperatorParts, Refused } from '../operatorParts.ts';
import { findUser } from './findUser.ts';

/** How often a user is read again whose sessions have been ended meanwhile. */
const TRIES = 5;

/** @throws {Unknown} when no user has that name, {Refused} when the user keeps changing */
export async function endUserSessions(
  parts: OperatorParts,
  name: string | undefined,
): Promise<{ readonly id: string; readonly email: string; readonly ended: number }> {
  const { billing, redis, mongo } = parts;
  for (let tries = 0; tries < TRIES; tries++) {
    const user = await findUser(name, parts);
    const { _id: userId, email } = user;
    const changed = await billing.users.endTokens(user, undefined);
    if (changed === null) continue;
    const ended = await new SessionStore(mongo).keepOnly(userId, undefined, changed.tokenGeneration ?? 0);
    await announceUserChange(redis, { userId, digests: [] });
    const act = { userId, action: 'session.ended', outcome: 'ok', actor: 'operator', address: null } as const;
    await billing.audit.write({ ...act, timeMs: billing.now(), detail: 'all' });
    return { id: userId, email, ended };
  }
  throw new Refused('The user keeps changing: try again.');
}
