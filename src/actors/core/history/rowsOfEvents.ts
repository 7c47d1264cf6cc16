// The history rows of an entry, by the table of events: the counts in the account's state, the numbers in an entry and the
// rows themselves cannot disagree.

import type { AccountEntry } from '../messages/entry.ts';
import type { AccountEvent } from '../messages/event.ts';
import {
  ENDED_BY_RESET,
  HISTORY_KINDS,
  type HistoryKind,
  NO_ROWS,
  type NumberedRow,
  type RowsWanted,
} from '../messages/historyRows.ts';
import type { OrderView } from '../messages/order.ts';
import { factsOf, tripRowOf } from './eventFacts.ts';

const ALL_KINDS: ReadonlySet<HistoryKind> = new Set(HISTORY_KINDS);
/** A position that a reset closes is told by the states alone: its fill would count as a trade. */
const TOLD_AT_RESET: ReadonlySet<HistoryKind> = new Set(ENDED_BY_RESET);

/** The history rows that an entry gives, numbered from its `firstRows`. A function of the entry alone. */
export const rowsOf = (entry: AccountEntry): NumberedRow[] => rowsOfKinds(entry, ALL_KINDS);

/** Those of some kinds: the others are not made. */
export function rowsOfKinds(entry: AccountEntry, kinds: ReadonlySet<HistoryKind>): NumberedRow[] {
  const next = { ...NO_ROWS, ...entry.firstRows };
  const rows = numberedRows(sinceReset(entry.events), entry.timeMs, { kinds, next });
  if (entry.equity && kinds.has('equity'))
    rows.push({ kind: 'equity', number: next.equity, row: { timeMs: entry.timeMs, ...entry.equity } });
  return rows;
}

/**
 * The ends of the orders and TWAPs that a reset has ended, as rows without a place in the history: they are told, and no list
 * has them. Empty for an entry without a reset.
 */
export function rowsEndedByReset({ events, timeMs }: AccountEntry): NumberedRow[] {
  const before = events.slice(0, events.length - sinceReset(events).length);
  return before.length === 0 ? [] : numberedRows(before, timeMs, { kinds: TOLD_AT_RESET, next: { ...NO_ROWS } });
}

function numberedRows(
  events: readonly AccountEvent[],
  timeMs: number,
  { kinds, next }: { readonly kinds: ReadonlySet<HistoryKind>; readonly next: Record<HistoryKind, number> },
): NumberedRow[] {
  const rows: NumberedRow[] = [];
  for (const event of events) {
    const { row } = factsOf(event);
    const kind = row === 'none' ? undefined : row.kindOf(event);
    if (row === 'none' || kind === undefined) continue;
    if (kinds.has(kind)) rows.push({ kind, number: next[kind], row: row.toRow(event, timeMs) } as NumberedRow);
    next[kind] += 1;
    const trip = tripRowOf(event, timeMs);
    if (trip === undefined) continue;
    if (kinds.has('roundTrips')) rows.push({ kind: 'roundTrips', number: next.roundTrips, row: trip });
    next.roundTrips += 1;
  }
  return rows;
}

/** The orders of which these events give rows, one for each row. */
export function ordersWithRows(events: readonly AccountEvent[]): OrderView[] {
  const orders: OrderView[] = [];
  for (const event of sinceReset(events)) {
    if ('order' in event && kindOf(event) === 'orders') orders.push(event.order);
  }
  return orders;
}

function kindOf(event: AccountEvent): HistoryKind | undefined {
  const { row } = factsOf(event);
  return row === 'none' ? undefined : row.kindOf(event);
}

/** How many rows of each kind an entry of these events gives. */
export function countRows({ events, equity }: Pick<AccountEntry, 'events' | 'equity'>): Record<HistoryKind, number> {
  const counts = { ...NO_ROWS };
  if (equity) counts.equity = 1;
  for (const event of sinceReset(events)) {
    const kind = kindOf(event);
    if (kind !== undefined) counts[kind] += 1;
    if ('trip' in event && event.trip !== undefined) counts.roundTrips += 1;
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
  const reset = events.findLastIndex((event) => factsOf(event).past === 'begunAnew');
  return reset <= 0 ? events : events.slice(reset);
}

// Which of an account's history rows a question wants, among rows that are at hand: the same for the actor, which has their
// texts, and for an API node, which has them from a pod that gave all of them.

/** Where a row stands. Numbers and tids rise from row to row; times never fall. */
export interface RowPlace {
  readonly number: number;
  readonly timeMs: number;
  /** Of a fill. */
  readonly tid?: number | undefined;
}

/**
 * The rows that are wanted, in the order in which they are wanted, `limit` at most.
 * @param rows by rising numbers
 * @param first rows with lower numbers are no part of the history any more
 */
export function* wantedRows<Row extends RowPlace>(rows: readonly Row[], want: RowsWanted, first: number): Iterable<Row> {
  const low = indexOf(rows, Math.max(first, want.from ?? 0));
  const high = indexOf(rows, want.before ?? Number.POSITIVE_INFINITY);
  const { startMs = 0, endMs = Number.POSITIVE_INFINITY, maxTid = Number.POSITIVE_INFINITY, limit, newestFirst } = want;
  let left = limit;
  for (let i = low; i < high && left > 0; i++) {
    const row = rows[newestFirst ? high - 1 - (i - low) : i] as Row;
    if (row.timeMs < startMs || row.timeMs > endMs || (row.tid ?? 0) > maxTid) continue;
    left -= 1;
    yield row;
  }
}

/** Index of the first row whose number is not below this one. */
function indexOf(rows: readonly Pick<RowPlace, 'number'>[], number: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as RowPlace).number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
