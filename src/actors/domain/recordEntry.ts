// Makes an entry of what was decided just now and folds it. Beside the events it notes what the account is then worth,
// which is why it needs the market; a replay reads that from the entry.
import type { MarketView } from '../../market/domain/marketView.ts';
import type { Account } from './account.ts';
import { type AccountEntry, type EntryCause, toEntry } from './entry.ts';
import { equityNote, isEquityPoint } from './equityNote.ts';
import { applyEntry, countEquity } from './evolve.ts';

/** May reuse maps in place: the account passed in must not be used afterwards. */
export function recordEntry(
  before: Account,
  cause: EntryCause,
  market: MarketView,
): { readonly entry: AccountEntry; readonly account: Account } {
  const entry = toEntry(before, cause);
  const account = applyEntry(before, entry);
  if (!isEquityPoint(entry.events)) return { entry, account };
  const firstRows = { ...entry.firstRows, equity: account.rowCounts.equity };
  const noted = { ...entry, equity: equityNote(account, market), firstRows };
  return { entry: noted, account: countEquity(account, noted) };
}
