// How an order that crosses takes the displayed book, level by level: a plan, nothing changes yet (trading-rules 3.2).
// Own resting orders in its way are canceled, never filled (trading-rules 2.9).
import type { BookLevel } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { isWithinLimit, type RestingOrder } from '../account/ownOrders.ts';
import type { Side } from '../messages/command.ts';
import type { AvailableLevel } from './takenLiquidity.ts';

export interface WalkInput {
  readonly side: Side;
  readonly limitPrice: Decimal;
  readonly size: Decimal;
  /** Opposite levels as displayed, best first. */
  readonly levels: readonly BookLevel[];
  /** A level as this account sees it; asked only for those that the order reaches. */
  readonly availableAt: (level: BookLevel) => AvailableLevel;
  /** Own resting orders of the other side, best first. */
  readonly ownOpposite: readonly RestingOrder[];
}

/** What is taken from one level: one fill. */
export interface Take extends AvailableLevel {
  readonly size: Decimal;
}

export interface Walk {
  readonly takes: readonly Take[];
  /** Own resting orders that the walk reaches. */
  readonly selfTrades: readonly OpenOrder[];
  readonly left: Decimal;
}

/** Walks the book up to the limit. */
export function walkBook({ side, limitPrice, size, levels, availableAt, ownOpposite }: WalkInput): Walk {
  const takes: Take[] = [];
  let left = size;
  let reached = 0;
  for (const level of levels) {
    if (left.isZero() || !isWithinLimit(level.price, { side, limitPrice })) break;
    reached = reachedAt(level.price, { side, ownOpposite, reached });
    const { price, displayed, consumed, available } = availableAt(level);
    const taken = left.lt(available) ? left : available;
    if (taken.isZero()) continue;
    takes.push({ price, displayed, consumed, available, size: taken });
    left = left.minus(taken);
  }
  if (!left.isZero()) reached = reachedAt(limitPrice, { side, ownOpposite, reached });
  return { takes, selfTrades: ownOpposite.slice(0, reached).map(({ order }) => order), left };
}

/** What the takes come to, USD. */
export function costOf(takes: readonly Take[]): Decimal {
  let cost = ZERO;
  for (const { price, size } of takes) cost = cost === ZERO ? price.times(size) : cost.plus(price.times(size));
  return cost;
}

/** The field of an order that says so; nothing when nothing was taken. */
export function filledUsdOf(takes: readonly Take[]): { readonly filledUsd?: string } {
  return takes.length === 0 ? {} : { filledUsd: costOf(takes).toString() };
}

/** How many own orders stand at this price or better for the taker. */
function reachedAt(
  price: Decimal,
  { side, ownOpposite, reached }: Pick<WalkInput, 'side' | 'ownOpposite'> & { readonly reached: number },
): number {
  let count = reached;
  for (
    let next = ownOpposite[count];
    next && isWithinLimit(next.limitPrice, { side, limitPrice: price });
    next = ownOpposite[count]
  ) {
    count += 1;
  }
  return count;
}
