// One position and how a fill changes it (trading-rules 4.1, 4.10). Applying a fill only adds up: `fillNumbers` has
// computed every number that needed a decision (fee, margin moved), and the event carries them, live and in a replay
// alike.
import { type Decimal, halfUp, roundOffDust, roundOffResidue, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, LeverageSetting, Position } from '../account/account.ts';
import type { Side } from '../messages/command.ts';

/** The cross cash and one position of the account. */
export interface Holding {
  readonly cash: Decimal;
  readonly position: Position | undefined;
}

/** What is needed of a fill to add it up. */
export interface AppliedFill {
  readonly asset: number;
  readonly coin: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly size: Decimal;
  /** Price times size. */
  readonly notional: Decimal;
  readonly fee: Decimal;
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
  readonly marginMovedUsd?: Decimal | undefined;
  /** `closedCost` of what the fill closes, where it is known already. */
  readonly closedCost?: Decimal;
}

/** Adds one fill to cash and position. Exact but for the entry notional that a partial close leaves (40 decimals). */
export function applyFill({ cash, position }: Holding, fill: AppliedFill): Holding {
  const { side, size, notional, fee, marginMode } = fill;
  const isBuy = side === 'buy';
  const moved = fill.marginMovedUsd ?? ZERO;
  const paid = isBuy ? notional.plus(fee) : fee.minus(notional);
  const held = position?.signedSize ?? ZERO;
  const signedSize = isBuy ? held.plus(size) : held.minus(size);
  const isCross = marginMode === 'cross';
  const cashAfter = cash.minus(isCross ? paid : moved);
  if (signedSize.isZero()) return { cash: cashAfter, position: undefined };

  const { asset, coin, leverage } = fill;
  const { entryNotional, funding } = costAfter(position, fill, signedSize);
  const rawUsd = isCross ? ZERO : (position?.rawUsd ?? ZERO).minus(paid).plus(moved);
  return { cash: cashAfter, position: { asset, coin, signedSize, entryNotional, marginMode, leverage, rawUsd, funding } };
}

/** The position under another setting. Its isolated margin does not change (trading-rules 4.9). */
export function withLeverage(position: Position, { marginMode, leverage }: LeverageSetting): Position {
  return { ...position, marginMode, leverage };
}

/** USD per coin, exact to 40 decimals. */
export function entryPriceOf(position: Position): Decimal {
  return roundOffResidue(position.entryNotional.div(position.signedSize.abs()));
}

/** Coins of a fill that reduce the position; the rest opens. */
export function closingPart(position: Position | undefined, side: Side, size: Decimal): Decimal {
  if (!position || isSameSide(position, side)) return ZERO;
  const held = position.signedSize.abs();
  return size.lt(held) ? size : held;
}

/** Coins that an order of this side could close. */
export function closableSize({ positions }: Pick<Account, 'positions'>, asset: number, side: Side): Decimal {
  const position = positions.get(asset);
  return position && !isSameSide(position, side) ? position.signedSize.abs() : ZERO;
}

export function isSameSide(position: Position, side: Side): boolean {
  return position.signedSize.isPos() === (side === 'buy');
}

/** The side of the orders that would increase it. */
export const sideOf = ({ signedSize }: Position): Side => (signedSize.isPos() ? 'buy' : 'sell');

/** What the closed part had cost when it was opened, USD. */
export function closedCost(position: Position, closedSize: Decimal): Decimal {
  const held = position.signedSize.abs();
  if (closedSize.eq(held)) return position.entryNotional;
  return roundOffResidue(position.entryNotional.times(closedSize).div(held));
}

/**
 * Closed PnL without the fee, USD, half up after 6 decimals; shown only (trading-rules 7.2).
 * @param proceeds price times size of what is closed, unsigned
 * @param cost what it had cost when it was opened: has the dust of earlier partial closes
 */
export function closedPnlOf({ signedSize }: Position, proceeds: Decimal, cost: Decimal): Decimal {
  const gain = signedSize.isPos() ? proceeds.minus(cost) : cost.minus(proceeds);
  const rounded = halfUp(roundOffDust(gain), USD_DECIMALS);
  return rounded.isZero() ? ZERO : rounded;
}

/** What the whole position cost with its sign, without dust, USD: its value while it has neither gain nor loss. */
export function signedCost({ signedSize, entryNotional }: Position): Decimal {
  const cost = roundOffDust(entryNotional);
  return signedSize.isPos() ? cost : cost.neg();
}

/** Opening adds its notional, closing takes its share, a flip starts again. */
function costAfter(position: Position | undefined, fill: AppliedFill, signedSize: Decimal): Cost {
  const { side, price, size, notional } = fill;
  const allTime = position?.funding.allTime ?? ZERO;
  const sinceOpen = position?.funding.sinceOpen ?? ZERO;
  if (!position || position.signedSize.isPos() !== signedSize.isPos()) {
    const entryNotional = position ? price.times(signedSize.abs()) : notional;
    return { entryNotional, funding: { allTime, sinceOpen: ZERO, sinceChange: ZERO } };
  }
  const entryNotional = isSameSide(position, side)
    ? position.entryNotional.plus(notional)
    : position.entryNotional.minus(fill.closedCost ?? closedCost(position, size));
  return { entryNotional, funding: { allTime, sinceOpen, sinceChange: ZERO } };
}

type Cost = Pick<Position, 'entryNotional' | 'funding'>;
