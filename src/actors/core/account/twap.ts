// A running TWAP: an order that is executed in slices over time (trading-rules 2.8). The times and sizes of its
// slices are a function of its own numbers alone, so a new owner of the account continues it and no slice is sent
// twice.
import { assert } from '../../../shared/domain/assert.ts';
import { cutTo, Decimal } from '../../../shared/domain/decimal.ts';
import { uniform } from '../../../shared/domain/labProfile.ts';
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Side, TwapTrigger, TwapView } from '../messages/order.ts';

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

/** Slices are this far apart, or farther when their value would be below `SLICE_USD`. */
const SPACING_MS = 30_000;
const SLICE_USD = new Decimal(10);
/** When slices have got less than planned, one slice makes up for at most this many normal ones. */
const CATCH_UP_SLICES = 3;
/** A random slice has between 1 - this and 1 + this times the normal size. */
const RANDOM_PART = new Decimal('0.2');

export interface Twap extends TwapView {
  /** Number of slices, at times that `sliceTimeMs` gives. */
  readonly slices: number;
  /** The next one to have its turn, from 0; always below `slices`. */
  readonly nextSlice: number;
  /** What the sizes of the slices are drawn from when they are random. */
  readonly seed: number;
  /** It waits for its trigger and sends nothing. */
  readonly isWaiting?: true;
}

/** A TWAP as it begins. */
export function startedTwap({ twap, slices, seed, isWaiting }: EventOf<'twapStarted'>): Twap {
  return { ...twap, slices, nextSlice: 0, seed, ...(isWaiting && { isWaiting }) };
}

/** One that waited, as it begins to run. */
export function triggeredTwap({ seed }: Twap, { twap, slices }: EventOf<'twapTriggered'>): Twap {
  return { ...twap, slices, nextSlice: 0, seed };
}

/** The mark at which something happens to a TWAP next: its start while it waits, then its end; undefined = none. */
export function watchedPrice({ isWaiting, trigger, stopPrice, side }: Twap): TwapTrigger | undefined {
  if (isWaiting) return trigger;
  return stopPrice === undefined ? undefined : stopOf(side, stopPrice);
}

/** A buy ends above its stop price, a sell below. */
export function stopOf(side: Side, stopPrice: string): TwapTrigger {
  return { price: stopPrice, above: side === 'buy' };
}

/** True when the mark is at the price or beyond it. */
export function isAt({ price, above }: TwapTrigger, markPrice: Decimal): boolean {
  return above ? markPrice.gte(price) : markPrice.lte(price);
}

/** The client's and the history's view of it: all but its schedule. */
export function toTwapView({ slices: _, nextSlice: __, seed: ___, isWaiting: ____, ...view }: Twap): TwapView {
  return view;
}

/** The TWAP with one more fill of a slice. */
export function withSliceFill(twap: Twap, { size, notional }: { size: Decimal; notional: Decimal }): Twap {
  return {
    ...twap,
    executedSize: size.plus(twap.executedSize).toString(),
    executedUsd: notional.plus(twap.executedUsd).toString(),
  };
}

/** Coins that are still to be got. */
export function leftOf({ size, executedSize }: TwapView): Decimal {
  return new Decimal(size).minus(executedSize);
}

/** @throws Error when it has ended, or never was: no event can be about it */
export function runningTwap({ twaps }: { readonly twaps: ReadonlyMap<number, Twap> }, twapId: number): Twap {
  const twap = twaps.get(twapId);
  assert(twap, `TWAP ${twapId} is not running`);
  return twap;
}

/** Number of slices: one every 30 s with both ends, but none of less than 10 USD at the mid of its start (one at least). */
export function sliceCount({ minutes, notional }: { minutes: number; notional: Decimal }): number {
  return Math.max(1, Math.min(fullCount(minutes), notional.divToInt(SLICE_USD).toNumber()));
}

/** When slice `slice` (from 0) is due, ms. */
export function sliceTimeMs({ startedAtMs, minutes, slices }: Twap, slice: number): number {
  if (slices === fullCount(minutes)) return startedAtMs + slice * SPACING_MS;
  return startedAtMs + Math.floor((slice * minutes * MINUTE_MS) / slices);
}

/** When the next slice is due, ms. */
export function nextSliceMs(twap: Twap): number {
  return sliceTimeMs(twap, twap.nextSlice);
}

/** The latest slice whose time has come; the next one at least. Those between that and this were missed. */
export function latestSlice(twap: Twap, nowMs: number): number {
  let slice = twap.nextSlice;
  while (slice + 1 < twap.slices && sliceTimeMs(twap, slice + 1) <= nowMs) slice += 1;
  return slice;
}

/**
 * The size of slice `slice`: what is missing to its target, at most three normal slices, in whole lots; 0 = nothing.
 * Where even three normal slices are less than a lot, a lot is the most: else nothing would ever be sent.
 */
export function sliceSize(twap: Twap, slice: number, { sizeDecimals }: { sizeDecimals: number }): Decimal {
  const missing = targetAfter(twap, slice, sizeDecimals).minus(twap.executedSize);
  const most = Decimal.max(caughtUp(twap), new Decimal(10).pow(-sizeDecimals));
  return cutTo(Decimal.max(0, Decimal.min(missing, most, leftOf(twap))), sizeDecimals);
}

/** No slice that is still to come is larger, coins, but for a single lot. */
export const largestSlice = (twap: Twap): Decimal => Decimal.min(caughtUp(twap), leftOf(twap));

/** Three normal slices. */
const caughtUp = ({ size, slices }: Twap): Decimal => new Decimal(size).times(CATCH_UP_SLICES).div(slices);

/** Coins that all slices up to this one should have got together, cut to the lot; the whole size after the last one. */
function targetAfter(twap: Twap, slice: number, sizeDecimals: number): Decimal {
  const done = new Decimal(slice + 1).plus(twap.randomize ? shiftAfter(twap, slice) : 0);
  return cutTo(done.times(twap.size).div(twap.slices), sizeDecimals);
}

/**
 * How far random sizes put the target before or behind the plan, in normal slices. Slices go in pairs: the first is a
 * uniform 0.8 to 1.2 of the normal size and the second makes up for it, so each is within 20 % of the normal size and
 * the last one ends exactly at the whole.
 */
function shiftAfter({ seed, slices }: Twap, slice: number): Decimal {
  if (slice % 2 === 1 || slice === slices - 1) return new Decimal(0);
  return new Decimal(uniform(seed, slice)).times(2).minus(1).times(RANDOM_PART);
}

/** Slices of a TWAP of this length when each has enough value. */
function fullCount(minutes: number): number {
  return (minutes * MINUTE_MS) / SPACING_MS + 1;
}
