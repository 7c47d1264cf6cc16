// Margin that resting orders hold back, per coin: the larger side, without what would only close a position
// (trading-rules 4.6). Reduce-only orders hold nothing.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, quotient, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { leverageOf } from '../account/leverageSetting.ts';
import type { Sides } from '../account/openOrderBook.ts';
import type { Side } from '../messages/command.ts';
import { isSameSide } from './position.ts';

export interface HoldInput extends Pick<Account, 'positions' | 'leverage'> {
  /** Every order that rests, or would. */
  readonly orders: { readonly sides: ReadonlyMap<number, Sides> };
}

/**
 * Sum of the holds of all coins, USD, exact to 40 decimals. Isolated coins hold from cross cash too. A coin that the
 * market does not know yet holds the whole notional.
 */
export function totalHolds(input: HoldInput, market: MarketView): Decimal {
  let total = ZERO;
  for (const [asset, sides] of input.orders.sides) {
    const position = input.positions.get(asset);
    const notional = Decimal.max(openingNotional(sides, 'buy', position), openingNotional(sides, 'sell', position));
    if (!notional.isZero()) total = total.plus(quotient(notional, leverageFor(asset, input, market)));
  }
  return total;
}

/**
 * Notional at limit prices of the orders of one coin and side that would open: all but the first coins, best price first,
 * that close an open position. USD, exact.
 */
export function openingNotional(sides: Sides, side: Side, position: Position | undefined): Decimal {
  const { rows, opening } = sides[side];
  if (opening.isZero() || !position || isSameSide(position, side)) return opening;
  let closing = position.signedSize.abs();
  let left = opening;
  for (const { price, size, reduceOnly } of rows) {
    if (reduceOnly) continue;
    const exempt = Decimal.min(closing, size);
    left = left.minus(price.times(exempt));
    closing = closing.minus(exempt);
    if (closing.isZero()) break;
  }
  return left;
}

function leverageFor(assetId: number, input: HoldInput, market: MarketView): number {
  const asset = market.asset(assetId);
  return asset ? leverageOf(input, asset).leverage : (input.leverage.get(assetId)?.leverage ?? 1);
}
