// What the next settlement of funding would be if rate and oracle price stayed as they are: for reading only, no payment follows
// from it.
import { hourOf } from '../../market/domain/fundingRecords.ts';
import { cut6, Decimal, toWire } from '../../shared/domain/decimal.ts';
import { HOUR_MS } from '../../shared/domain/units.ts';

/** A position, and what the market says of its coin now. */
export interface FundedPosition {
  readonly signedSize: string;
  /** Estimate of the running hour's rate, a fraction per hour. */
  readonly funding: string;
  readonly oraclePx: string;
}

/**
 * @param pending of the hours whose rate is known, USD
 * @returns USD, > 0 = would be received; each hour is cut as a payment is (trading-rules 6.2)
 */
export function fundingEstimate(
  pending: string,
  { signedSize, funding, oraclePx }: FundedPosition,
  { nowMs, settlementMs }: { nowMs: number; settlementMs: number },
): string {
  const hoursLeft = (settlementMs - hourOf(nowMs)) / HOUR_MS;
  const ofHour = cut6(new Decimal(signedSize).neg().times(oraclePx).times(funding));
  return toWire(ofHour.times(hoursLeft).plus(pending));
}
