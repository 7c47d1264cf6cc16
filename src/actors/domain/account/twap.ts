// A TWAP that is running: an order that is worked off in slices over time (trading-rules 2.8). Its schedule follows from
// these numbers alone, so whoever has the account goes on with it and no slice is sent twice.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { TwapView } from '../messages/historyRows.ts';

export interface Twap extends TwapView {
  /** Number of slices, at times that `sliceTimeMs` gives. */
  readonly slices: number;
  /** The next one to have its turn, from 0; always below `slices`. */
  readonly nextSlice: number;
  /** What the sizes of the slices are drawn from when they are random. */
  readonly seed: number;
}

/** What clients and history are told of it: all but its schedule. */
export function toTwapView({ slices: _, nextSlice: __, seed: ___, ...view }: Twap): TwapView {
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
