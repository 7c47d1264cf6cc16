// The place of resting orders in their queues, and the liquidity that an account has taken, as events and the state have them.
import type { FillModel } from './terms.ts';

/** Queue position and acceptance of a resting order. */
export interface RestingState {
  /** Displayed size ahead at its price; `'unknown'` while the price is outside the visible range. */
  readonly ahead: string;
  /** Newest upstream time of the coin when it was accepted: older trades do nothing. */
  readonly acceptedFeedTimeMs: number;
  /** Tick position when it was accepted: older ticks are ignored. */
  readonly acceptedTick: string;
  /** How it fills; absent = `queue`. */
  readonly model?: Exclude<FillModel, 'queue'>;
  /** Of a `probable` one whose queue is known: the size displayed at its price, with trades since taken off it. Never below `ahead`. */
  readonly shown?: string;
  /** What books took off `ahead` whose trades may not all have come; absent = nothing. */
  readonly takenOff?: TakenOff;
}

/** What books took off a queue or off taken liquidity, each with its time, oldest first; `unknown`: the queue had no known size before. */
export type TakenOff = readonly (readonly [bookTimeMs: number, size: string])[];

/** What keeps size inside its limit from an order: the account has taken it before, or it may stand beyond the levels that are shown. */
export type OutOfReach = 'taken' | 'beyond';

/** The place of an order after a change. `shown` of a `probable` one. Without `takenOff` there is none any more. */
export type QueueText = readonly [oid: number, ahead: string, shown?: string | null, takenOff?: TakenOff];

/** What is taken at one price after a change. */
export type TakenText = readonly [
  price: string,
  consumed: string,
  lastFillFeedTimeMs: number,
  halvings?: number | null,
  /** Of a bucket of the aggregated book: where it begins; `price` is its end. */
  from?: string | null,
  takenOff?: TakenOff,
];
