// `bin/admin quarantine drop`: gives up the entries of a halted account that cannot be folded. It goes on from its last
// good state.
import type { AccountEntry } from '../../actors/core/messages/entry.ts';
import { withAccountAudit } from '../../operators/accounts/withAudit.ts';
import { Refused } from '../../operators/operatorParts.ts';
import { endHalt } from '../../operators/quarantine/endHalt.ts';
import type { AdminCommand, Report } from '../adminCommand.ts';
import { requireHalted } from './requireHalted.ts';

/** Entries that the text shows. */
const SHOWN_MAX = 20;

export const dropQuarantine: AdminCommand = {
  name: 'quarantine drop',
  takes: '0x… [--yes]',
  does: 'gives up the entries of a halted account that cannot be folded; says first which, and does it with --yes',
  async run(args, parts) {
    const { account, folded, isMeant } = await requireHalted(args, parts);
    const { accountId } = account;
    const { lastGood } = folded;
    if (lastGood === undefined) throw new Refused('Its snapshot in MongoDB cannot be read: restore that document first.');
    const { givenUp } = lastGood;
    if (givenUp.length === 0)
      throw new Refused('All its entries can be folded: nothing has to be given up. Use quarantine lift.');
    const meaning = [
      `${accountId} goes on from entry ${lastGood.account.seq}. ${givenUp.length} acknowledged entries are given up for good:`,
      ...givenUp.slice(0, SHOWN_MAX).map(lineOf),
      ...(givenUp.length > SHOWN_MAX ? [`  and ${givenUp.length - SHOWN_MAX} more`] : []),
      'What they did to cash, positions and orders is gone. Rows that users have seen of them stay in the history.',
    ];
    if (!isMeant) return report(accountId, 0, [...meaning, 'Nothing was done. The same with --yes does it.']);
    const detail = `entries ${givenUp[0]?.seq} to ${givenUp.at(-1)?.seq}`;
    const of = { accountId, action: 'account.entries_dropped', detail } as const;
    const { line } = await withAccountAudit(parts, of, { act: () => endHalt(parts, account, { want: 'drop' }) });
    return report(accountId, givenUp.length, [...meaning, 'Done: the account answers.', line]);
  },
};

const lineOf = ({ seq, timeMs, events }: AccountEntry): string =>
  `  entry ${seq} of ${new Date(timeMs).toISOString()}: ${events.map(({ type }) => type).join(', ') || 'no event'}`;

const report = (account: string, dropped: number, lines: readonly string[]): Report => ({ data: { account, dropped }, lines });
