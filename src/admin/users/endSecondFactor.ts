// `bin/admin user totp-off`: turns a user's second factor off, for one who has lost authenticator and recovery codes. The
// operator has made sure first who is asking: with a password alone anybody could be.

import { Refused } from '../../operators/operatorParts.ts';
import { findUser } from '../../operators/users/findUser.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import type { AdminCommand } from '../adminCommand.ts';

export const endSecondFactor: AdminCommand = {
  name: 'user totp-off',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'turns a user’s second factor off; make sure first who is asking',
  async run([name], parts) {
    const { billing, mongo } = parts;
    const { _id: userId, email } = await findUser(name, parts);
    if (!(await new SecondFactorStore(mongo).remove(userId))) throw new Refused(`${email} has no second factor.`);
    const timeMs = billing.now();
    await billing.audit.write({ userId, action: 'second_factor.off', outcome: 'ok', actor: 'operator', address: null, timeMs });
    return { data: { id: userId, email }, lines: [`${email}: logins ask for the password alone.`] };
  },
};
