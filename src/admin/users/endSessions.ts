// `bin/admin user sessions-end`: ends every session and access token of a user, e.g. when the user's machine was stolen.
import { endUserSessions } from '../../operators/users/endUserSessions.ts';
import type { AdminCommand } from '../adminCommand.ts';

export const endSessions: AdminCommand = {
  name: 'user sessions-end',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'ends every session and access token of a user, within a second; API keys go on',
  async run([name], parts) {
    const data = await endUserSessions(parts, name);
    return { data, lines: [`${data.email}: all tokens have ended, ${data.ended} sessions among them.`] };
  },
};
