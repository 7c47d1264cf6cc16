// `bin/admin user sessions-end`: ends every session and access token of a user, e.g. when the user's machine was stolen.
import { SessionStore } from '../shared/mongo/sessionStore.ts';
import { announceUserChange } from '../shared/userChange.ts';
import { type AdminCommand, Refused } from './adminCommand.ts';
import { findUser } from './findUser.ts';

/** How often the command reads a user again whose sessions have been ended meanwhile. */
const TRIES = 5;

export const endSessions: AdminCommand = {
  name: 'user sessions-end',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'ends every session and access token of a user, within a second; API keys go on',
  async run([name], parts) {
    const { billing, redis, mongo } = parts;
    for (let tries = 0; tries < TRIES; tries++) {
      const user = await findUser(name, parts);
      const { _id: userId, email } = user;
      const changed = await billing.users.endTokens(user, undefined);
      if (changed === null) continue;
      const ended = await new SessionStore(mongo).keepOnly(userId, undefined, changed.tokenGeneration ?? 0);
      await announceUserChange(redis, { userId, digests: [] });
      const timeMs = billing.now();
      const act = {
        userId,
        action: 'session.ended',
        outcome: 'ok',
        actor: 'operator',
        address: null,
        timeMs,
        detail: 'all',
      } as const;
      await billing.audit.write(act);
      return { data: { id: userId, email, ended }, lines: [`${email}: all tokens have ended, ${ended} sessions among them.`] };
    }
    throw new Refused('The user keeps changing: try again.');
  },
};
