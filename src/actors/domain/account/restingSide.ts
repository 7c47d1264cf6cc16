// The resting orders of one coin and side in the order in which they match, with the notional that could open a position
// summed once: what margin and matching ask for at every order. Never changed, so copies of an account may share it.
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { OrderView } from '../messages/historyRows.ts';

/** What of a resting order matters to margin: an open order, or one that is about to rest. */
export type HoldingOrder = Pick<OrderView, 'asset' | 'side' | 'limitPrice' | 'size' | 'reduceOnly'>;

/** The numbers of one order, read once. */
export interface RestingRow {
  readonly oid: number;
  readonly price: Decimal;
  readonly size: Decimal;
  /** Price times size, USD, of an order that can open a position; 0 when it is reduce-only. */
  readonly opening: Decimal;
  readonly reduceOnly: boolean;
}

export interface RestingSide {
  /** Best price first, then the older one (trading-rules 2.1). */
  readonly rows: readonly RestingRow[];
  /** Sum of the rows, USD, exact. */
  readonly opening: Decimal;
}

export type Sides = Readonly<Record<Side, RestingSide>>;

const EMPTY: RestingSide = { rows: [], opening: ZERO };
export const NO_SIDES: Sides = { buy: EMPTY, sell: EMPTY };

export function toRow(oid: number, { limitPrice, size, reduceOnly }: HoldingOrder): RestingRow {
  const numbers = { oid, price: new Decimal(limitPrice), size: new Decimal(size), reduceOnly };
  return { ...numbers, opening: reduceOnly ? ZERO : numbers.price.times(numbers.size) };
}

/** With one more order, at its place. */
export function withRow({ rows, opening }: RestingSide, side: Side, row: RestingRow): RestingSide {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other && matchOrder(side)(other, row) < 0) low = middle + 1;
    else high = middle;
  }
  const after = rows.slice();
  after.splice(low, 0, row);
  return { rows: after, opening: opening.plus(row.opening) };
}

/** Without the order; the same side when it is not there. */
export function withoutRow(side: RestingSide, oid: number): RestingSide {
  const index = side.rows.findIndex((row) => row.oid === oid);
  const row = side.rows[index];
  if (!row) return side;
  const rows = side.rows.slice();
  rows.splice(index, 1);
  return { rows, opening: side.opening.minus(row.opening) };
}

/** Without these orders; the same side when none of them is there. */
export function withoutRows(side: RestingSide, oids: ReadonlyMap<number, unknown>): RestingSide {
  const [only] = oids.size === 1 ? oids.keys() : [];
  if (only !== undefined) return withoutRow(side, only);
  const rows = side.rows.filter(({ oid }) => !oids.has(oid));
  if (rows.length === side.rows.length) return side;
  const opening = side.rows.reduce((left, row) => (oids.has(row.oid) ? left.minus(row.opening) : left), side.opening);
  return { rows, opening };
}

export function toSide(side: Side, rows: RestingRow[]): RestingSide {
  if (rows.length === 0) return EMPTY;
  return { rows: rows.sort(matchOrder(side)), opening: rows.reduce((sum, row) => sum.plus(row.opening), ZERO) };
}

const lowestFirst = (a: RestingRow, b: RestingRow) => a.price.cmp(b.price) || a.oid - b.oid;
const highestFirst = (a: RestingRow, b: RestingRow) => b.price.cmp(a.price) || a.oid - b.oid;

function matchOrder(side: Side): (a: RestingRow, b: RestingRow) => number {
  return side === 'sell' ? lowestFirst : highestFirst;
}
