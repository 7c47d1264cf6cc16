// `bin/admin user login-link`: makes a link that logs a browser of this machine in, once. bin/start prints one for the demo account.
import { Refused } from '../../operators/operatorParts.ts';
import { findUser } from '../../operators/users/findUser.ts';
import { LOGIN_LINK_SECONDS, makeLoginLink as make } from '../../shared/access/loginLinks.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import type { AdminCommand } from '../adminCommand.ts';

export const makeLoginLink: AdminCommand = {
  name: 'user login-link',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'makes a link to the dashboard that logs a browser of this machine in, once, within an hour',
  async run([name], parts) {
    const { billing, redis, mongo } = parts;
    const { _id: userId, email } = await findUser(name, parts);
    if ((await new SecondFactorStore(mongo).find(userId))?.confirmedAt !== undefined)
      throw new Refused(`${email} has a second factor: a link stands for a password alone.`);
    const path = `/enter#${new URLSearchParams({ token: await make(redis, userId) })}`;
    const act = { userId, action: 'login.link', outcome: 'ok', actor: 'operator', address: null, timeMs: billing.now() } as const;
    await billing.audit.write(act);
    return {
      data: { id: userId, email, path, seconds: LOGIN_LINK_SECONDS },
      lines: [`Open this below the address of the exchange, once and within an hour: ${path}`],
    };
  },
};
