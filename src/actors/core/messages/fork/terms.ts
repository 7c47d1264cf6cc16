// Under which other terms a fork goes on, to see what would have been: fees, leverage, latency, and how resting orders fill. They are the
// fork's for as long as it is one; a reset ends them.
import type { Latency } from '../../../../shared/domain/lab/labProfile.ts';

/**
 * When a resting order fills (trading-rules 3.6). `queue`, which holds without terms: a trade at its price first uses up the queue ahead.
 * `probable`: the same, and a share of what is canceled at its price stood ahead. `touch`: a trade at its price fills it, whatever stands
 * ahead. `pessimistic`: only a trade or a book beyond its price does.
 */
export const FILL_MODELS = ['queue', 'probable', 'touch', 'pessimistic'] as const;
export type FillModel = (typeof FILL_MODELS)[number];

/** Plain JSON. What is absent is as everywhere. */
export interface Terms {
  /** Rates as fractions of the notional. */
  readonly fees?: { readonly maker: string; readonly taker: string };
  /** Of every coin, where the coin allows as much. */
  readonly leverage?: number;
  readonly fillModel?: FillModel;
  /** Of mirrored commands on their way into the account. */
  readonly latency?: { readonly seed: number; readonly submit?: Latency; readonly cancel?: Latency };
}
