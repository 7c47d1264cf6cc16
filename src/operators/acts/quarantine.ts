// Has a halted account read anew by its owner, with everything that was acknowledged.

import type { AccountEntry } from '../../actors/core/messages/entry.ts';
import {
  endHalt,
  type FoldedFromStores,
  foldFromStores,
  type HaltedAccount,
  haltedAccounts,
  toHaltedRow,
} from './haltedAccounts.ts';
import { type OperatorParts, Refused, Unknown, UsageError } from './operatorParts.ts';
import { type AdminCommand, columns, type Report } from './terminal.ts';
import { withAccountAudit } from './withAudit.ts';

interface FoundHalted {
  readonly account: HaltedAccount;
  readonly folded: FoldedFromStores;
}

/** A halted account with what can be made of it. @throws {Unknown} when the account is not halted */
export async function requireHaltedAccount(parts: OperatorParts, accountId: string): Promise<FoundHalted> {
  const account = (await haltedAccounts(parts)).find((one) => one.accountId === accountId.toLowerCase());
  if (account === undefined) throw new Unknown(`The account ${accountId} is not halted.`);
  return { account, folded: await foldFromStores(parts, account) };
}

/** @returns the entry that the account goes on from @throws {Refused} when not all of its entries can be folded */
export function requireLiftable({ folded: { lastGood } }: FoundHalted): number {
  if (lastGood === undefined) throw new Refused('Its snapshot in MongoDB cannot be read: restore that document first.');
  const { givenUp, account } = lastGood;
  if (givenUp.length === 0) return account.seq;
  throw new Refused(
    `${givenUp.length} of its entries, from ${givenUp[0]?.seq} on, cannot be folded by this build. Run a build that can, or drop them.`,
  );
}

/** @returns a line about the audit row @throws {Refused} when no owner takes it up, or the account stays halted */
export async function liftAccount(parts: OperatorParts, { account }: FoundHalted): Promise<string> {
  const { accountId, reason } = account;
  const of = { accountId, action: 'account.lifted', detail: reason.slice(0, 200) } as const;
  return (await withAccountAudit(parts, of, { act: () => endHalt(parts, account, { want: 'lift' }) })).line;
}

// Finds the halted account that an operator names, with what can be made of it.

/** @throws {Refused} when the account is not halted, {UsageError} for other words than an account and --yes */
async function requireHalted(
  args: readonly string[],
  parts: OperatorParts,
): Promise<FoundHalted & { readonly isMeant: boolean }> {
  const [name, ...more] = args.filter((word) => word !== '--yes');
  if (name === undefined || more.length > 0) throw new UsageError('Which account? One 0x…, as quarantine list shows it.');
  return { ...(await requireHaltedAccount(parts, name)), isMeant: args.includes('--yes') };
}

// `bin/admin quarantine list`: shows every halted account with its reason.

export const listQuarantine: AdminCommand = {
  name: 'quarantine list',
  takes: '',
  does: 'shows the halted accounts: in quarantine after a fault, or not loaded by their owners',
  async run(_args, parts) {
    const halted = await haltedAccounts(parts);
    return {
      data: { accounts: halted.map(toHaltedRow) },
      lines: halted.length === 0 ? ['No account is halted.'] : halted.map(lineOfHalted),
    };
  },
};

const lineOfHalted = ({ accountId, shard, reason, sinceMs, setAside }: HaltedAccount): string => {
  const since = sinceMs === undefined ? 'since a time not known' : `since ${new Date(sinceMs).toISOString()}`;
  return `${accountId}  shard ${shard}  ${since}  ${setAside?.bytes ?? 0} bytes set aside  ${reason.slice(0, 100)}`;
};

// `bin/admin quarantine show`: shows one halted account, and what a lift or a drop would make of it.

export const showHaltedAccount: AdminCommand = {
  name: 'quarantine show',
  takes: '0x…',
  does: 'shows a halted account: why, since when, what was set aside, and how far its state can be made again',
  async run(args, parts) {
    const { account, folded } = await requireHalted(args, parts);
    const { accountId, shard, reason, sinceMs, seq, setAside } = account;
    const { snapshotSeq, lastGood } = folded;
    const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
    const data = {
      ...{ account: accountId, shard, reason, since, last_seq: seq ?? null },
      ...{ set_aside_bytes: setAside?.bytes ?? 0, set_aside_seq: setAside?.lastSeq ?? null, snapshot_seq: snapshotSeq },
      ...{ last_good_seq: lastGood?.account.seq ?? null, cannot_be_folded: lastGood?.givenUp.length ?? null },
    };
    return {
      data,
      lines: columns([
        ['account', accountId],
        ['shard', String(shard)],
        ['since', since ?? 'not known'],
        ['reason', reason],
        ['snapshot', snapshotSeq === 0 ? 'none' : `entry ${snapshotSeq} in MongoDB`],
        ['set aside', setAside === undefined ? 'nothing' : `${setAside.bytes} bytes, up to entry ${setAside.lastSeq}`],
        ['last good', lastGood === undefined ? 'its snapshot cannot be read' : `entry ${lastGood.account.seq}`],
        ['not to be folded', lastGood === undefined ? 'not known' : `${lastGood.givenUp.length} entries`],
      ]),
    };
  },
};

// `bin/admin quarantine lift`: has a halted account read anew by its owner, with everything that was acknowledged.

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
    if (!found.isMeant) return liftedReport(accountId, false, [...meaning, 'Nothing was done. The same with --yes does it.']);
    const audited = await liftAccount(parts, found);
    return liftedReport(accountId, true, [...meaning, 'Done: the account answers.', audited]);
  },
};

const liftedReport = (account: string, lifted: boolean, lines: readonly string[]): Report => ({
  data: { account, lifted },
  lines,
});

// `bin/admin quarantine drop`: gives up the entries of a halted account that cannot be folded. It goes on from its last
// good state.

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
      ...givenUp.slice(0, SHOWN_MAX).map(lineOfEntry),
      ...(givenUp.length > SHOWN_MAX ? [`  and ${givenUp.length - SHOWN_MAX} more`] : []),
      'What they did to cash, positions and orders is gone. Rows that users have seen of them stay in the history.',
    ];
    if (!isMeant) return droppedReport(accountId, 0, [...meaning, 'Nothing was done. The same with --yes does it.']);
    const detail = `entries ${givenUp[0]?.seq} to ${givenUp.at(-1)?.seq}`;
    const of = { accountId, action: 'account.entries_dropped', detail } as const;
    const { line } = await withAccountAudit(parts, of, { act: () => endHalt(parts, account, { want: 'drop' }) });
    return droppedReport(accountId, givenUp.length, [...meaning, 'Done: the account answers.', line]);
  },
};

const lineOfEntry = ({ seq, timeMs, events }: AccountEntry): string =>
  `  entry ${seq} of ${new Date(timeMs).toISOString()}: ${events.map(({ type }) => type).join(', ') || 'no event'}`;

const droppedReport = (account: string, dropped: number, lines: readonly string[]): Report => ({
  data: { account, dropped },
  lines,
});
