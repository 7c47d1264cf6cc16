// One hour boundary of the venue's funding. The payment of every position that was open at the boundary follows from
// it alone.

import { HOUR_MS } from '../../shared/domain/units.ts';

/** Rate and oracle price of each coin at one hour boundary. A coin without both is absent: no number is ever estimated. */
export interface FundingHour {
  /** The boundary, a multiple of one hour. */
  readonly hourMs: number;
  /** By coin. The rate is the venue's, a fraction per hour; the oracle price the last one published at or before the hour. */
  readonly coins: Readonly<Record<string, readonly [rate: string, oraclePrice: string]>>;
}

/** The last hour boundary at or before a time. */
export const hourOf = (timeMs: number): number => timeMs - (timeMs % HOUR_MS);
