// Which history rows an event gives: one function decides it, so that the counts in the account's state, the numbers in
// an entry and the rows themselves cannot disagree.
import type { HistoryKind } from '../messages/command.ts';
import type { AccountEntry } from '../messages/entry.ts';
import type { AccountEvent } from '../messages/event.ts';
import { type FillRow, type FundingRow, type LedgerRow, type NumberedRow, noRows } from '../messages/historyRows.ts';

/** The history rows that an entry gives, numbered from its `firstRows`. A function of the entry alone. */
export function rowsOf(entry: AccountEntry): NumberedRow[] {
  const next = { ...noRows(), ...entry.firstRows };
  const rows: NumberedRow[] = sinceReset(entry.events).flatMap((event) => {
    const row = toRow(event, entry.timeMs);
    if (!row) return [];
    const number = next[row.kind];
    next[row.kind] += 1;
    return [{ ...row, number }];
  });
  if (entry.equity) rows.push({ kind: 'equity', number: next.equity, row: { timeMs: entry.timeMs, ...entry.equity } });
  return rows;
}

/** How many rows of each kind an entry of these events gives. */
export function countRows({ events, equity }: Pick<AccountEntry, 'events' | 'equity'>): Record<HistoryKind, number> {
  const counts = noRows();
  if (equity) counts.equity = 1;
  for (const event of sinceReset(events)) {
    const kind = rowKind(event);
    if (kind) counts[kind] += 1;
  }
  return counts;
}

/** Numbers at which the rows of these events begin: a reset goes on at its own. */
export function firstRowsOf(
  events: readonly AccountEvent[],
  next: Readonly<Record<HistoryKind, number>>,
): Readonly<Record<HistoryKind, number>> {
  const first = sinceReset(events)[0];
  return first?.type === 'accountReset' ? first.firstRows : next;
}

/** Events before a reset are no part of the account's past any more. */
function sinceReset(events: readonly AccountEvent[]): readonly AccountEvent[] {
  const reset = events.findLastIndex(({ type }) => type === 'accountReset');
  return reset <= 0 ? events : events.slice(reset);
}

function rowKind(event: AccountEvent): HistoryKind | undefined {
  switch (event.type) {
    case 'orderFilled':
      return event.twapId === undefined ? 'fills' : 'twapFills';
    case 'positionTakenOver':
    case 'positionClosed':
    case 'positionSettled':
      return 'fills';
    case 'orderRested':
    case 'triggerPlaced':
    case 'orderTriggered':
    case 'orderEnded':
      return 'orders';
    case 'accountOpened':
    case 'balanceAdjusted':
    case 'accountReset':
    case 'liquidated':
      return 'ledger';
    case 'twapStarted':
    case 'twapEnded':
      return 'twaps';
    case 'fundingSettled':
      return event.hours > 0 ? 'funding' : undefined;
    default:
      return undefined;
  }
}

type UnnumberedRow = NumberedRow extends infer Row ? (Row extends NumberedRow ? Omit<Row, 'number'> : never) : never;

function toRow(event: AccountEvent, timeMs: number): UnnumberedRow | undefined {
  switch (event.type) {
    case 'orderFilled':
      return { kind: event.twapId === undefined ? 'fills' : 'twapFills', row: toFillRow(event, timeMs) };
    case 'orderRested':
    case 'triggerPlaced':
      return { kind: 'orders', row: { order: event.order, status: 'open', timeMs } };
    case 'orderTriggered':
      return { kind: 'orders', row: { order: event.order, status: 'triggered', timeMs } };
    case 'orderEnded':
      return { kind: 'orders', row: { order: event.order, status: event.status, timeMs } };
    case 'positionTakenOver':
      return { kind: 'fills', row: toTakeOverRow(event, timeMs) };
    case 'positionClosed':
    case 'positionSettled':
      return { kind: 'fills', row: toClosingRow(event, timeMs) };
    case 'accountOpened':
      return { kind: 'ledger', row: { timeMs, kind: 'deposit', usd: event.depositUsd } };
    case 'balanceAdjusted':
      return { kind: 'ledger', row: { timeMs, kind: event.usd.startsWith('-') ? 'withdraw' : 'deposit', usd: event.usd } };
    case 'accountReset':
      return { kind: 'ledger', row: { timeMs, kind: 'deposit', usd: event.balanceUsd } };
    case 'twapStarted':
      return { kind: 'twaps', row: { timeMs, twap: event.twap, change: { status: 'activated' } } };
    case 'twapEnded':
      return { kind: 'twaps', row: { timeMs, twap: event.twap, change: event.end } };
    case 'fundingSettled':
      return event.hours > 0 ? { kind: 'funding', row: toFundingRow(event) } : undefined;
    case 'liquidated':
      return { kind: 'ledger', row: toLiquidationRow(event, timeMs) };
    default:
      return undefined;
  }
}

function toFundingRow(settled: Extract<AccountEvent, { type: 'fundingSettled' }>): FundingRow {
  const { timeMs, coin, usd, signedSize, fundingRate, hours } = settled;
  return { timeMs, coin, usd, signedSize, fundingRate, hours };
}

function toFillRow(fill: Extract<AccountEvent, { type: 'orderFilled' }>, timeMs: number): FillRow {
  const { tid, oid, cloid, coin, side, price, size, startPosition, direction, closedPnl, fee, liquidity, evidence } = fill;
  const { twapId, liquidation } = fill;
  return {
    tid,
    oid,
    ...(cloid !== undefined && { cloid }),
    coin,
    side,
    price,
    size,
    timeMs,
    startPosition,
    direction,
    closedPnl,
    fee,
    liquidity,
    evidence,
    ...(twapId !== undefined && { twapId }),
    ...(liquidation && { liquidation: { method: liquidation.method, markPrice: liquidation.markPrice } }),
  };
}

function toTakeOverRow(event: Extract<AccountEvent, { type: 'positionTakenOver' }>, timeMs: number): FillRow {
  const { tid, oid, coin, side, price, size, startPosition, direction, closedPnl, markPrice, usd } = event;
  const fill = { tid, oid, coin, side, price, size, timeMs, startPosition, direction, closedPnl };
  return { ...fill, fee: '0', liquidity: 'taker', liquidation: { method: 'backstop', markPrice, usd } };
}

function toClosingRow(event: Extract<AccountEvent, { type: 'positionClosed' | 'positionSettled' }>, timeMs: number): FillRow {
  const { type, tid, oid, coin, side, price, size, startPosition, direction, closedPnl } = event;
  const fill = { tid, oid, coin, side, price, size, timeMs, startPosition, direction, closedPnl };
  return { ...fill, fee: '0', liquidity: 'taker', ...(type === 'positionClosed' && { evidence: { markPrice: price } }) };
}

function toLiquidationRow(event: Extract<AccountEvent, { type: 'liquidated' }>, timeMs: number): LedgerRow {
  const { lid, marginMode, notional, accountValue, positions, paidUsd } = event;
  const row = { timeMs, kind: 'liquidation', lid, marginMode, notional, accountValue, positions } as const;
  return paidUsd === undefined ? row : { ...row, paidUsd };
}
