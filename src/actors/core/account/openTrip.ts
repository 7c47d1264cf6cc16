// What a position remembers of its round trip so far (trading-rules 7.3).
import type { Decimal } from '../../../shared/domain/decimal.ts';

/** The open round trip of a position. */
export interface OpenTrip {
  /** 0 in a plan: the time of the entry that is being made. */
  readonly openedAtMs: number;
  /** Entry of its first fill; 0 = it began before the account's own history, in a fork's source or at an imported address. */
  readonly openedSeq: number;
  readonly fills: number;
  /** Largest size held so far, coins. */
  readonly sizeMax: Decimal;
  /** Of all opening fills: coins, and price times size, USD. */
  readonly openedSize: Decimal;
  readonly openedUsd: Decimal;
  /** Exact PnL of what was closed, USD. */
  readonly pnlUsd: Decimal;
  readonly feesUsd: Decimal;
}
