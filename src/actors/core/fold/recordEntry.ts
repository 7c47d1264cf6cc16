// Makes an entry of a decision and folds it. The entry also records the account value after its events, which needs
// the market; a replay reads that value from the entry.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUp, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { factsOf } from '../history/eventFacts.ts';
import { countRows, firstRowsOf } from '../history/rowsOfEvents.ts';
import { accountValue, balanceOf } from '../margin/margin.ts';
import type { AccountEntry, EntryCause } from '../messages/entry.ts';
import type { AccountEvent } from '../messages/event.ts';
import { type EquityNote, HISTORY_KINDS, type HistoryKind } from '../messages/historyRows.ts';
import { applyCounted, type EvolveSteps } from './evolve.ts';

/** May reuse maps in place: the account passed in must not be used afterwards. */
export function recordEntry(
  before: Account,
  cause: EntryCause,
  { market, steps }: { readonly market: MarketView; readonly steps: EvolveSteps },
): { readonly entry: AccountEntry; readonly account: Account } {
  const rows = countRows(cause);
  const isNoted = isEquityPoint(cause.events);
  // No other code has the entry yet: adding to it is cheaper than a copy.
  const entry = toEntry(before, cause, rows);
  if (!isNoted) return { entry, account: applyCounted(before, entry, { rows, steps }) };
  rows.equity = 1;
  const account = applyCounted(before, entry, { rows, steps });
  entry.equity = equityNote(account, market);
  entry.firstRows.equity = account.rowCounts.equity - 1;
  return { entry, account };
}

/** An entry that its maker may still add to. */
export interface NewEntry extends AccountEntry {
  equity?: EquityNote;
  readonly firstRows: Partial<Record<HistoryKind, number>>;
}

/**
 * Makes the entry that these events become: next sequence number, and where their history rows start.
 * @param rows how many rows the events give, where they are counted already
 */
export function toEntry(account: Account, cause: EntryCause, rows = countRows(cause)): NewEntry {
  const { timeMs, command, requests, events } = cause;
  const next = firstRowsOf(events, account.rowCounts);
  const firstRows: Partial<Record<HistoryKind, number>> = {};
  for (const kind of HISTORY_KINDS) if (rows[kind] > 0) firstRows[kind] = next[kind];
  return {
    accountId: account.id,
    seq: account.seq + 1,
    timeMs,
    ...(command && { command }),
    ...(requests && { requests }),
    events,
    firstRows,
  };
}

/** True when an entry of these events is a point of the equity curve. */
function isEquityPoint(events: readonly AccountEvent[]): boolean {
  return events.some((event) => factsOf(event).isEquityPoint(event));
}

function equityNote(account: Account, market: MarketView): EquityNote {
  return {
    accountValue: usdText(accountValue(account, market)),
    balance: usdText(balanceOf(account)),
    netDepositsUsd: usdText(account.totals.netDepositsUsd),
    openPositions: account.positions.size,
  };
}

const usdText = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
