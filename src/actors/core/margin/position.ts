// One position with its round trip so far, and how a fill changes them (trading-rules 4.1, 4.10, 7.3). Applying a fill only adds up: `fillNumbers` has
// computed every number that needed a decision (fee, margin moved), and the event carries them, live and in a replay
// alike.

import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, cutTo, Decimal, roundOffDust, roundOffResidue, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import type { IdSource } from '../../../shared/domain/shards.ts';
import type { Account, LeverageSetting, OpenTrip, Position } from '../account/account.ts';
import type { WholePosition } from '../messages/event.ts';
import type { Side } from '../messages/order.ts';
import { type EntryPlace, endedTrip } from './roundTrip.ts';

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
  /** Of what closes; 0 where nothing does. */
  readonly exactPnl: Decimal;
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
  const goesOn = position?.signedSize.isPos() === signedSize.isPos() ? position.trip : undefined;
  const closing = { ...fill, closedSize: closingPart(position, side, size) };
  const trip = tripAfter(goesOn, closing, signedSize.abs());
  return { cash: cashAfter, position: { asset, coin, signedSize, entryNotional, marginMode, leverage, rawUsd, funding, trip } };
}

/** The position under another setting. Its isolated margin does not change (trading-rules 4.9). */
export function withLeverage(position: Position, { marginMode, leverage }: LeverageSetting): Position {
  return { ...position, marginMode, leverage };
}

/** USD per coin, exact to 40 decimals. */
export function entryPriceOf(position: Position): Decimal {
  return roundOffResidue(position.entryNotional.div(position.signedSize.abs()));
}

/**
 * `entryPx`: the entry price cut to the decimals of a price, USD per coin. Shown, and what `closedPnl` is computed from; money moves by
 * the entry notional (trading-rules 7.2).
 */
export function shownEntryPrice(position: Position, sizeDecimals: number): Decimal {
  return cutTo(roundOffDust(entryPriceOf(position)), USD_DECIMALS - sizeDecimals);
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

/** Result of closing coins of a position, without the fee, USD (trading-rules 7.2). */
export interface ClosedPnl {
  /** From the shown entry price, cut after 6 decimals; shown only. */
  readonly closedPnl: Decimal;
  /** What closing brought beyond its cost, to 40 decimals: sums of it end at the account value. */
  readonly exactPnl: Decimal;
}

export const NOTHING_CLOSED: ClosedPnl = { closedPnl: ZERO, exactPnl: ZERO };

/**
 * @param closed coins that leave the position, the price that is shown for them, what they brought (unsigned) and what they had
 * cost when they were opened, USD
 */
export function closedPnlOf(
  position: Position,
  closed: { readonly price: Decimal; readonly size: Decimal; readonly proceeds: Decimal; readonly cost: Decimal },
  sizeDecimals: number,
): ClosedPnl {
  const { price, size, proceeds, cost } = closed;
  const isLong = position.signedSize.isPos();
  const perCoin = price.minus(shownEntryPrice(position, sizeDecimals));
  const shown = cut6((isLong ? perCoin : perCoin.neg()).times(size));
  const exact = roundOffResidue(isLong ? proceeds.minus(cost) : cost.minus(proceeds));
  return { closedPnl: shown.isZero() ? ZERO : shown, exactPnl: exact.isZero() ? ZERO : exact };
}

/** As events and rows have it. */
interface ClosedPnlTexts {
  readonly closedPnl: string;
  /** Absent where `closedPnl` is exact. */
  readonly exactPnl?: string;
}

/** A whole position that leaves the account. */
interface Leaving {
  /** USD per coin. */
  readonly price: Decimal;
  /** The amount that the account gets beside the isolated margin, USD; negative for a short. */
  readonly usd: Decimal;
  readonly direction: string;
}

/** How events have it. No order and no fee is part of it, and it ends the round trip. */
export function wholePosition(
  position: Position,
  { price, usd, direction }: Leaving,
  { ids, market, place }: { readonly ids: IdSource; readonly market: MarketView; readonly place: EntryPlace },
): WholePosition {
  const { asset, coin, signedSize, entryNotional } = position;
  const isLong = signedSize.isPos();
  const size = signedSize.abs();
  const closed = { price, size, proceeds: isLong ? usd : usd.neg(), cost: entryNotional };
  const pnl = closedPnlOf(position, closed, market.asset(asset)?.sizeDecimals ?? 0);
  return {
    ...{ oid: ids.next(), tid: ids.next(), asset, coin, side: isLong ? 'sell' : 'buy' },
    ...{ price: price.toString(), size: size.toString(), usd: (usd.isZero() ? ZERO : usd).toString() },
    ...closedPnlTexts(pnl),
    trip: endedTrip(position, { exactPnl: pnl.exactPnl, fee: ZERO }, place),
    ...{ startPosition: signedSize.toString(), direction },
  };
}

export function closedPnlTexts({ closedPnl, exactPnl }: ClosedPnl): ClosedPnlTexts {
  const text = closedPnl.toString();
  return exactPnl.eq(closedPnl) ? { closedPnl: text } : { closedPnl: text, exactPnl: exactPnl.toString() };
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

/** What a fill does to the round trip that goes on after it. */
interface TripFill {
  readonly price: Decimal;
  readonly size: Decimal;
  readonly fee: Decimal;
  readonly exactPnl: Decimal;
  /** Coins of the fill that close. */
  readonly closedSize: Decimal;
}

/** That of a position which was found so, of an import: what was before is not known here. @param size coins, unsigned */
export const foundTrip = (size: Decimal, openedUsd: Decimal, openedAtMs: number): OpenTrip => ({
  ...{ openedAtMs, openedSeq: 0, fills: 0, sizeMax: size, openedSize: size, openedUsd, pnlUsd: ZERO, feesUsd: ZERO },
});

/** The round trip after a fill that leaves `held` coins, unsigned. @param before undefined where the fill opens or flips */
export function tripAfter(before: OpenTrip | undefined, fill: TripFill, held: Decimal): OpenTrip {
  const { price, size, fee, exactPnl, closedSize } = fill;
  if (before === undefined) {
    const openedUsd = price.times(held);
    const feesUsd = fee.minus(closingFee(fee, closedSize, size));
    return { openedAtMs: 0, openedSeq: 0, fills: 1, sizeMax: held, openedSize: held, openedUsd, pnlUsd: ZERO, feesUsd };
  }
  const after = { ...before, fills: before.fills + 1, feesUsd: before.feesUsd.plus(fee) };
  if (!closedSize.isZero()) return { ...after, pnlUsd: before.pnlUsd.plus(exactPnl) };
  return {
    ...after,
    sizeMax: Decimal.max(before.sizeMax, held),
    openedSize: before.openedSize.plus(size),
    openedUsd: before.openedUsd.plus(price.times(size)),
  };
}

/** The part of a fill's fee that closing costs, USD, cut after 6 decimals; a flip's other part is the next round trip's. */
export function closingFee(fee: Decimal, closedSize: Decimal, size: Decimal): Decimal {
  return closedSize.eq(size) ? fee : cut6(fee.times(closedSize).div(size));
}
