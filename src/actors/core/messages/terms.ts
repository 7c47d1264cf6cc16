// The terms of an account: those of a what-if, and those that a user has set.
import type { Latency } from '../../../shared/domain/labProfile.ts';

// Under which other terms a fork goes on, to see what would have been: fees, leverage, latency, and how resting orders fill. They are the
// fork's for as long as it is one; a reset ends them.

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

// Terms that a user has given an account: what its fills cost, and when its resting orders fill. A what-if's own go before
// them.

/**
 * `tier`: a tier of the venue, 0 to 6, with one of its rebates, 1 to 3, or without. `own`: rates as fractions of the notional, < 0 = a
 * rebate. `volume`: the venue's tier by the account's volume of 14 days.
 */
export type FeeChoice =
  | { readonly kind: 'tier'; readonly tier: number; readonly rebate?: number }
  | { readonly kind: 'own'; readonly maker: string; readonly taker: string }
  | { readonly kind: 'volume' };

/** Plain JSON, with its keys in this order. What is absent is as everywhere. */
export interface OwnTerms {
  readonly fees?: FeeChoice | undefined;
  /** Of orders that are accepted from then on. */
  readonly fillModel?: Exclude<FillModel, 'queue'> | undefined;
}
