// What a decision is made from and what it is: the two shapes that every rule of this folder meets by.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Format } from '../../../shared/domain/formats.ts';
import type { IdSource } from '../../../shared/domain/ids.ts';
import type { AccountEvent } from './event.ts';
import type { Outcome } from './outcome.ts';

export interface Context {
  /** The later of the clock and the account's last time. */
  readonly nowMs: number;
  readonly market: MarketView;
  readonly ids: IdSource;
  /** The generation that is written now: what a newer one brings to events must not be written yet. */
  readonly format: Format;
}

export interface Decision {
  readonly events: readonly AccountEvent[];
  readonly outcome: Outcome;
  /** What the command counts for in `userRateLimit`; goes into its entry. 0 for queries. */
  readonly requests: number;
}
