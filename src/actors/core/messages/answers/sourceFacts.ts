// What a mirrored address did at the venue, as it is told to the account that follows it. Numbers are decimal text.
import type { SourceOrder } from './importReport.ts';

/** One fill of the address. */
export interface SourceFill {
  /** The venue's numbers of the fill and its order. */
  readonly tid: number;
  readonly oid: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  /** Paid by the address, USD; negative = received. */
  readonly fee: string;
  readonly timeMs: number;
  readonly liquidity: 'maker' | 'taker';
  /** It made the position of the address smaller. */
  readonly closes?: true;
}

/** An open order of the address that may not have been seen before, with its children. */
export interface SourceOpening {
  readonly order: SourceOrder;
  readonly originalSize: string;
  readonly placedAtMs: number;
}

/** How an account follows an address, to those who ask. */
export interface FollowingView {
  readonly id: string;
  readonly sinceMs: number;
  /** Time of the newest fill of the address that has come. */
  readonly throughMs: number;
  /** Open orders of the address that have a copy here. */
  readonly copies: number;
}
