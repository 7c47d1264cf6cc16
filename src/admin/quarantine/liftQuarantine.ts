// `bin/admin quarantine lift`: has a halted account read anew by its owner, with everything that was acknowledged.
import { liftAccount, requireLiftable } from '../../operators/quarantine/liftAccount.ts';
import type { AdminCommand, Report } from '../adminCommand.ts';
import { requireHalted } from './requireHalted.ts';

export const liftQuarantine: AdminCommand = {
  name: 'quarantine lift',
  takes: '0x… [--yes]',
  does: 'brings a halted account back with all its entries; says first what that means, and does it with --yes',
  async run(args, parts) {
    const found = await requireHalted(args, parts);
    const { accountId, reason } = found.account;
    const seq = requireLiftable(found);
    const meaning = [
      `The owner reads ${accountId} anew, up to entry ${seq}: nothing of it is lost.`,
      'Trades and marks of meanwhile fill and trigger nothing afterwards; liquidation, funding and what was due are caught up.',
      `It was halted for: ${reason}. The same cause may halt it again.`,
    ];
    if (!found.isMeant) return report(accountId, false, [...meaning, 'Nothing was done. The same with --yes does it.']);
    const audited = await liftAccount(parts, found);
    return report(accountId, true, [...meaning, 'Done: the account answers.', audited]);
  },
};

const report = (account: string, lifted: boolean, lines: readonly string[]): Report => ({ data: { account, lifted }, lines });
