// Makes an entry of what was decided just now and folds it. Beside the events it notes what the account is then worth,
// which is why it needs the market; a replay reads that from the entry.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Account } from '../account/account.ts';
import { equityNote, isEquityPoint } from '../history/equityNote.ts';
import { countRows } from '../history/rowsOfEvents.ts';
import { type AccountEntry, type EntryCause, toEntry } from '../messages/entry.ts';
import { applyCounted } from './evolve.ts';

/** May reuse maps in place: the account passed in must not be used afterwards. */
export function recordEntry(
  before: Account,
  cause: EntryCause,
  market: MarketView,
): { readonly entry: AccountEntry; readonly account: Account } {
  const rows = countRows(cause);
  const isNoted = isEquityPoint(cause.events, rows);
  // Nobody else has seen the entry yet: adding to it is cheaper than a copy.
  const entry = toEntry(before, cause, rows);
  if (!isNoted) return { entry, account: applyCounted(before, entry, rows) };
  rows.equity = 1;
  const account = applyCounted(before, entry, rows);
  entry.equity = equityNote(account, market);
  entry.firstRows.equity = account.rowCounts.equity - 1;
  return { entry, account };
}
