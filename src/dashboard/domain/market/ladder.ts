// The rows of a book ladder: levels merged to a step, running sums, the own orders, and what of a level the account has taken
// already. Sums are exact; shares of bars are computed numbers.

import { decimalsOf, fromUnits, sumOf, toUnits } from '../exactSums.ts';
import type { BookLevel } from './wireMarket.ts';

/** A price at which the account has orders or has taken something, from `explainBook`. */
export interface OwnLevel {
  readonly price: string;
  /** Taken before, and not found again. */
  readonly consumed: string;
  readonly ownSize: string;
  readonly ownOrders: number;
  /** Coins before the first own order, `unknown` out of sight; null without one. */
  readonly queueAhead: string | null;
}

export interface LadderRow {
  readonly price: string;
  /** Coins that the venue shows. */
  readonly size: string;
  /** Of this row and all better ones. */
  readonly total: string;
  /** `total` as a share of the deepest side's. */
  readonly share: number;
  /** null = nothing. */
  readonly consumed: string | null;
  readonly own: { readonly size: string; readonly orders: number; readonly queueAhead: string | null } | null;
}

export interface Ladder {
  /** Best first. */
  readonly bids: readonly LadderRow[];
  readonly asks: readonly LadderRow[];
}

export type LadderSide = 'bid' | 'ask';

interface Sides<T> {
  readonly bids: readonly T[];
  readonly asks: readonly T[];
}

/**
 * @param own prices of the account; those beyond the displayed levels are left out
 * @param step of the price, e.g. `0.5`; levels within one are a row
 */
export function ladderOf(
  book: Sides<BookLevel>,
  own: Sides<OwnLevel>,
  { step, rowsMax }: { step: string; rowsMax: number },
): Ladder {
  const bids = sideOf(book.bids, own.bids, { side: 'bid', step, rowsMax });
  const asks = sideOf(book.asks, own.asks, { side: 'ask', step, rowsMax });
  const deepest = Math.max(Number(bids.at(-1)?.total ?? 0), Number(asks.at(-1)?.total ?? 0));
  const withShare = (row: LadderRow): LadderRow => ({ ...row, share: deepest > 0 ? Number(row.total) / deepest : 0 });
  return { bids: bids.map(withShare), asks: asks.map(withShare) };
}

interface SideOptions {
  readonly side: LadderSide;
  readonly step: string;
  readonly rowsMax: number;
}

function sideOf(levels: readonly BookLevel[], own: readonly OwnLevel[], { side, step, rowsMax }: SideOptions): LadderRow[] {
  const last = levels.at(-1);
  if (last === undefined) return [];
  const isShown = ({ price }: OwnLevel): boolean => isBetterOrSame(price, last.price, side);
  const groups = new Map<string, { levels: BookLevel[]; own: OwnLevel[] }>();
  const groupAt = (price: string) => {
    const row = rowPrice(price, { side, step });
    const group = groups.get(row) ?? { levels: [], own: [] };
    groups.set(row, group);
    return group;
  };
  for (const level of levels) groupAt(level.price).levels.push(level);
  for (const level of own.filter(isShown)) groupAt(level.price).own.push(level);
  const rows = [...groups].sort(([a], [b]) => (Number(a) - Number(b)) * (side === 'bid' ? -1 : 1)).slice(0, rowsMax);
  let total = '0';
  return rows.map(([price, group]) => {
    const size = sumOf(group.levels.map((level) => level.size));
    total = sumOf([total, size]);
    const consumed = sumOf(group.own.map((level) => level.consumed));
    return { price, size, total, share: 0, consumed: Number(consumed) > 0 ? consumed : null, own: ownIn(group.own, side) };
  });
}

function ownIn(levels: readonly OwnLevel[], side: LadderSide): LadderRow['own'] {
  const held = levels.filter(({ ownOrders }) => ownOrders > 0);
  const [first] = [...held].sort((a, b) => (Number(a.price) - Number(b.price)) * (side === 'bid' ? -1 : 1));
  if (first === undefined) return null;
  const orders = held.reduce((sum, { ownOrders }) => sum + ownOrders, 0);
  return { size: sumOf(held.map(({ ownSize }) => ownSize)), orders, queueAhead: first.queueAhead };
}

const isBetterOrSame = (price: string, than: string, side: LadderSide): boolean =>
  side === 'bid' ? Number(price) >= Number(than) : Number(price) <= Number(than);

/** The row of a price: bids down to a multiple of the step, asks up to one, so that no row promises a better price. */
export function rowPrice(price: string, { side, step }: { readonly side: LadderSide; readonly step: string }): string {
  const decimals = Math.max(decimalsOf(price), decimalsOf(step));
  const [units, size] = [toUnits(price, decimals), toUnits(step, decimals)];
  const down = (units / size) * size;
  return fromUnits(side === 'bid' || down === units ? down : down + size, decimals);
}

/** Figures that a price has at most, but for whole ones. */
const FIGURES = 5;
const STEPS = ['1', '2', '5', '10', '100', '1000'] as const;

/** Steps that a ladder may have at a price, the finest first: the venue's own grid, and multiples of it. */
export function stepsAt(price: string): readonly string[] {
  const value = Number(price);
  if (!(value > 0)) return ['1'];
  const decimals = Math.max(0, FIGURES - 1 - Math.floor(Math.log10(value)));
  return STEPS.map((step) => fromUnits(BigInt(step), decimals));
}

/** The own levels of the ladder: the orders of now, with the queue and the consumed sizes of the last answer. */
export function withOwnOrders(
  known: readonly OwnLevel[],
  orders: readonly { readonly price: string; readonly size: string }[],
): readonly OwnLevel[] {
  const byPrice = new Map<number, OwnLevel>();
  for (const level of known) byPrice.set(Number(level.price), { ...level, ownSize: '0', ownOrders: 0 });
  for (const { price, size } of orders) {
    const level = byPrice.get(Number(price)) ?? { price, consumed: '0', ownSize: '0', ownOrders: 0, queueAhead: null };
    byPrice.set(Number(price), { ...level, ownSize: sumOf([level.ownSize, size]), ownOrders: level.ownOrders + 1 });
  }
  return [...byPrice.values()].filter(({ consumed, ownOrders }) => ownOrders > 0 || Number(consumed) > 0);
}
