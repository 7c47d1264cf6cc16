// Account value and free margin at the current marks (trading-rules 4.1, 4.6, 4.7): sums over positions, less what
// resting orders hold back, per coin the larger side without the part that would only close a position. Checks of
// orders, withdrawals and views use them.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, Decimal, quotient, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Account, Position } from '../account/account.ts';
import type { Sides } from '../account/openOrderBook.ts';
import type { Side } from '../messages/order.ts';
import { pendingFunding } from './fundingPayments.ts';
import { type Holding, isSameSide, signedCost } from './position.ts';
import { leverageOf, type Valuation, valuationOf } from './positionMargin.ts';

/** Share of a position's notional that stays when money leaves, whatever its leverage. */
export const TRANSFER_RATE = new Decimal('0.1');
/** Leverage whose initial margin is that share: with more it is less. */
const TRANSFER_LEVERAGE = 10;

/** The part of an account that margin depends on. `Account` is one; so is a draft of what it would become. */
export interface MarginState extends Pick<Account, 'cash'>, HoldInput {}

/** Cross cash plus the value of all cross positions at mark (`crossAV`), USD. */
export function crossAccountValue({ cash, positions }: Pick<MarginState, 'cash' | 'positions'>, market: MarketView): Decimal {
  let sum = cash;
  for (const position of positions.values()) {
    if (position.marginMode === 'cross') sum = sum.plus(valuationOf(position, market).signedNotional);
  }
  return sum;
}

/** Cross account value plus the equity of every isolated position (`AV`), USD. */
export function accountValue({ cash, positions }: Pick<MarginState, 'cash' | 'positions'>, market: MarketView): Decimal {
  let sum = cash;
  for (const position of positions.values()) {
    sum = sum.plus(valuationOf(position, market).signedNotional);
    if (position.marginMode === 'isolated') sum = sum.plus(position.rawUsd);
  }
  return sum;
}

/** Cash and isolated margins with every position at its cost, USD: account value less unrealized PnL. */
export function balanceOf({ cash, positions }: Pick<Account, 'cash' | 'positions'>): Decimal {
  let sum = cash;
  for (const position of positions.values()) {
    if (position.marginMode === 'isolated') sum = sum.plus(position.rawUsd);
    sum = sum.plus(signedCost(position));
  }
  return sum;
}

/** What new orders may still use, USD; negative when margin was lost. Initial margins are cut after 6 decimals, holds are exact. */
export function freeMargin(state: MarginState, market: MarketView): Decimal {
  let free = state.cash;
  for (const position of state.positions.values()) {
    if (position.marginMode === 'cross') free = free.plus(valuationOf(position, market).free);
  }
  return free.minus(totalHolds(state, market));
}

/** What one coin adds to free margin, USD: its cross position's part less the hold of its orders. */
function freeOfCoin(
  coin: { readonly asset: number; readonly position: Position | undefined; readonly sides: Sides | undefined } & LeverageInput,
  market: MarketView,
): Decimal {
  const { position } = coin;
  const free = position?.marginMode === 'cross' ? valuationOf(position, market).free : ZERO;
  return coin.sides ? free.minus(holdOf({ ...coin, sides: coin.sides }, market)) : free;
}

/**
 * What may leave the account, USD, cut after 6 decimals, never negative: each position keeps 10 % of its notional at
 * least, and owed funding stays.
 */
export function withdrawable(state: MarginState & Pick<Account, 'funding'>, market: MarketView): Decimal {
  let left = state.cash;
  for (const position of state.positions.values()) {
    if (position.marginMode === 'isolated') continue;
    left = left.plus(leavable(position, valuationOf(position, market)).usd);
  }
  return mayLeave(left, state, market);
}

/** The same of what cash and cross positions leave together, USD. */
export function mayLeave(left: Decimal, state: MarginState & Pick<Account, 'funding'>, market: MarketView): Decimal {
  const owed = Decimal.min(ZERO, pendingFunding(state, market));
  return cut6(Decimal.max(ZERO, left.plus(owed).minus(totalHolds(state, market))));
}

/** What a cross position leaves for a withdrawal: its value less the larger of initial margin and 10 %. */
export function leavableOf({ leverage }: Position, { notional, signedNotional }: Valuation): Decimal {
  const kept = leverage < TRANSFER_LEVERAGE ? quotient(notional, leverage) : notional.times(TRANSFER_RATE);
  return signedNotional.minus(kept);
}

const leavable = rememberFor(
  (position: Position, valuation: Valuation) => ({ valuation, usd: leavableOf(position, valuation) }),
  (last, valuation) => last.valuation === valuation,
);

type LeverageInput = Pick<Account, 'leverage'>;

interface HoldInput extends Pick<Account, 'positions' | 'leverage'> {
  /** Every order that rests, or would. */
  readonly orders: { readonly sides: ReadonlyMap<number, Sides> };
}

/**
 * Sum of the holds of all coins, USD, exact to 40 decimals. Isolated coins hold from cross cash too. A coin that the
 * market does not know yet holds the whole notional.
 */
export function totalHolds(input: HoldInput, market: MarketView): Decimal {
  let total = ZERO;
  const { leverage } = input;
  for (const [asset, sides] of input.orders.sides) {
    total = total.plus(holdOf({ asset, sides, position: input.positions.get(asset), leverage }, market));
  }
  return total;
}

function holdOf(
  coin: { readonly asset: number; readonly position: Position | undefined; readonly sides: Sides } & LeverageInput,
  market: MarketView,
): Decimal {
  const { sides, position } = coin;
  const notional = Decimal.max(openingNotional(sides, 'buy', position), openingNotional(sides, 'sell', position));
  return notional.isZero() ? ZERO : quotient(notional, leverageFor(coin.asset, coin, market));
}

/**
 * Notional at limit prices of the orders of one coin and side that would open: all but the first coins, best price first,
 * that close an open position. USD, exact.
 */
export function openingNotional(sides: Sides, side: Side, position: Position | undefined): Decimal {
  const orders = sides[side];
  if (orders.opening.isZero() || !position || isSameSide(position, side)) return orders.opening;
  return orders.openingBeyond(position.signedSize.abs());
}

function leverageFor(assetId: number, input: LeverageInput, market: MarketView): number {
  const asset = market.asset(assetId);
  return asset ? leverageOf(input, asset).leverage : (input.leverage.get(assetId)?.leverage ?? 1);
}

/** One coin as a plan would leave it, and the cash. */
interface CoinAfter extends Holding {
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

/**
 * Free margin while a decision is made. A batch of a thousand orders asks for it a thousand times, and each order changes
 * one coin: what the other coins add is kept from the question before. It lives as long as one decision, in which marks
 * do not move.
 */
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
