// Free margin while a decision is made. A batch of a thousand orders asks for it a thousand times, and each order changes
// one coin: what the other coins add is kept from the question before. It lives as long as one decision, in which marks
// do not move.

import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Sides } from '../account/openOrderBook.ts';
import { freeOfCoin, type MarginState } from './margin.ts';
import type { Holding } from './position.ts';

/** One coin as a plan would leave it, and the cash. */
export interface CoinAfter extends Holding {
  readonly asset: number;
  readonly sides: Sides;
}

/** What all coins add to free margin. */
interface Parts {
  /** What each coin adds, USD. */
  readonly coins: Map<number, Decimal>;
  sum: Decimal;
  /** Coins to compute again. */
  readonly changed: Set<number>;
}

export class RunningMargin {
  /** Kept from the second question on: most decisions ask once. */
  #parts: Parts | undefined;
  #isAsked = false;

  /** Position, orders or leverage of the coin have changed; without a coin, those of any may have. */
  onChange(asset?: number): void {
    if (asset === undefined) this.#parts = undefined;
    else this.#parts?.changed.add(asset);
  }

  /**
   * `freeMargin` of the account with one coin and the cash as they would be after a plan, USD.
   * @param before the account, of whose every change `onChange` has told
   */
  freeAfter(before: MarginState, { asset, cash, position, sides }: CoinAfter, market: MarketView): Decimal {
    const isFirst = !this.#isAsked;
    this.#isAsked = true;
    if (isFirst)
      return cash
        .plus(freeOfOthers(before, asset, market))
        .plus(freeOfCoin({ asset, position, sides, leverage: before.leverage }, market));
    const { sum, coins } = this.#follow(before, market);
    const now = coins.get(asset) ?? ZERO;
    const { leverage } = before;
    return cash.plus(sum).minus(now).plus(freeOfCoin({ asset, position, sides, leverage }, market));
  }

  #follow(state: MarginState, market: MarketView): Parts {
    this.#parts ??= { coins: new Map(), sum: ZERO, changed: new Set([...state.positions.keys(), ...state.orders.sides.keys()]) };
    const parts = this.#parts;
    for (const asset of parts.changed) compute(parts, asset, state, market);
    parts.changed.clear();
    return parts;
  }
}

function compute(parts: Parts, asset: number, { positions, leverage, orders }: MarginState, market: MarketView): void {
  const usd = freeOfCoin({ asset, position: positions.get(asset), sides: orders.sides.get(asset), leverage }, market);
  parts.sum = parts.sum.minus(parts.coins.get(asset) ?? ZERO).plus(usd);
  parts.coins.set(asset, usd);
}

/** What all coins but one add, USD. */
function freeOfOthers({ positions, orders, leverage }: MarginState, asset: number, market: MarketView): Decimal {
  let sum = ZERO;
  for (const [other, position] of positions) {
    if (other !== asset) sum = sum.plus(freeOfCoin({ asset: other, position, sides: orders.sides.get(other), leverage }, market));
  }
  for (const [other, sides] of orders.sides) {
    if (other !== asset && !positions.has(other))
      sum = sum.plus(freeOfCoin({ asset: other, position: undefined, sides, leverage }, market));
  }
  return sum;
}
