// Terms that a user has given an account: what its fills cost, and when its resting orders fill. A what-if's own (fork/terms.ts) go before
// them.
import type { FillModel } from '../fork/terms.ts';

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
