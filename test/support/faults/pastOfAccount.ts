// An account as its journal says: the fold of every commit for it, and the history rows of those commits. After a
// loss it says which of the lost entries the service has kept.

import { type Account, emptyAccount } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { rowsOf } from '../../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountEntry } from '../../../src/actors/core/messages/entry.ts';
import type { FillRow, FundingRow, NumberedRow, OrderRow } from '../../../src/actors/core/messages/historyRows.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import type { JournalTap } from './journalTap.ts';

export interface AccountPast {
  /** Everything that has happened, oldest first. */
  readonly entries: readonly AccountEntry[];
  /** The fold of it. */
  readonly account: Account;
  readonly rows: readonly (NumberedRow & { readonly entry: AccountEntry })[];
}

/**
 * @param storedSnapshot newest snapshot in MongoDB, taken from the live account
 * @throws Error when no fold of the journal gives it
 */
export function pastOfAccount(tap: JournalTap, accountId: string, storedSnapshot: string): AccountPast {
  const { before, lost, after } = tap.entriesOf(accountId);
  const wanted = storedSnapshot === '' ? '' : stateHashOf(fromSnapshot(storedSnapshot));
  const differing: string[] = [];
  // Lost entries that MongoDB had in a snapshot are kept, from the oldest on and without a hole.
  for (let kept = 0; kept <= lost.length; kept++) {
    const entries = [...before, ...lost.slice(0, kept)];
    try {
      const account = fold(accountId, entries, after);
      if (stateHashOf(account) === wanted) return pastOf([...entries, ...after], account);
      differing.push(toSnapshot(account, NEWEST_FORMAT));
    } catch (error) {
      differing.push(String(error)); // without the entries that were kept, the later ones cannot be folded
    }
  }
  throw new Error(
    `the state of ${accountId} is no fold of its journal (${before.length} entries, ${lost.length} lost, ${after.length} after)\n` +
      `live:  ${storedSnapshot}\nfolds: ${differing.slice(0, 3).join('\n       ')}`,
  );
}

/** After a loss sequence numbers go on beyond the lost numbers. */
function fold(accountId: string, before: readonly AccountEntry[], after: readonly AccountEntry[]): Account {
  let account = emptyAccount(accountId);
  for (const entry of before) account = applyEntry(account, entry);
  const [first] = after;
  if (first && first.seq > account.seq) account = { ...account, seq: first.seq - 1 };
  for (const entry of after) account = applyEntry(account, entry);
  return account;
}

function pastOf(entries: readonly AccountEntry[], account: Account): AccountPast {
  return { entries, account, rows: entries.flatMap((entry) => rowsOf(entry).map((row) => ({ ...row, entry }))) };
}

export const fundingOf = ({ rows }: AccountPast): FundingRow[] =>
  rows.flatMap((row) => (row.kind === 'funding' ? [row.row] : []));

export const fillsOf = ({ rows }: AccountPast): FillRow[] => rows.flatMap((row) => (row.kind === 'fills' ? [row.row] : []));

export const orderRowsOf = ({ rows }: AccountPast): OrderRow[] => rows.flatMap((row) => (row.kind === 'orders' ? [row.row] : []));
