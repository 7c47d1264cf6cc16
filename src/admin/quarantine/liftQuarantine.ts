// `bin/admin quarantine lift`: has a halted account read anew by its owner, with everything that was acknowledged.

import { auditOperator } from '../accounts/auditOperator.ts';
import { type AdminCommand, Refused, type Report } from '../adminCommand.ts';
import { endHalt } from './endHalt.ts';
import { requireHalted } from './requireHalted.ts';

export const liftQuarantine: AdminCommand = {
  name: 'quarantine lift',
  takes: '0x… [--yes]',
  does: 'brings a halted account back with all its entries; says first what that means, and does it with --yes',
  async run(args, parts) {
    const { account, folded, isMeant } = await requireHalted(args, parts);
    const { accountId, reason } = account;
    const { lastGood } = folded;
    if (lastGood === undefined) throw new Refused('Its snapshot in MongoDB cannot be read: restore that document first.');
    const lost = lastGood.givenUp.length;
    if (lost > 0) {
      throw new Refused(
        `${lost} of its entries, from ${lastGood.givenUp[0]?.seq} on, cannot be folded by this build. Run a build that can, or drop them.`,
      );
    }
    const meaning = [
      `The owner reads ${accountId} anew, up to entry ${lastGood.account.seq}: nothing of it is lost.`,
      'Trades and marks of meanwhile fill and trigger nothing afterwards; liquidation, funding and what was due are caught up.',
      `It was halted for: ${reason}. The same cause may halt it again.`,
    ];
    if (!isMeant) return report(accountId, false, [...meaning, 'Nothing was done. The same with --yes does it.']);
    await endHalt(parts, account, { want: 'lift' });
    const audited = await auditOperator(parts, { accountId, action: 'account.lifted', detail: reason.slice(0, 200) });
    return report(accountId, true, [...meaning, 'Done: the account answers.', audited]);
  },
};

const report = (account: string, lifted: boolean, lines: readonly string[]): Report => ({ data: { account, lifted }, lines });
