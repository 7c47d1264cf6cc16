// Which hours a funding settlement pays, and whether all of their rates and oracle prices are known (trading-rules
// 6.4).
import type { FundingChange } from '../../market/domain/feed.ts';
import { type FundingHour, HOUR_MS } from '../../market/domain/fundingHour.ts';

/** The funding hours that the market has recorded for one coin. */
export interface CoinHours extends Omit<FundingChange, 'type'> {
  /** A delisted coin gets no more rates: its hours without one are not due. */
  readonly isDelisted: boolean;
}

export interface MissingHour {
  readonly coin: string;
  readonly hourMs: number;
}

/** The first settlement after a time: 00, 08, 16 UTC for 8 hours, a divisor of 24. */
export function settlementAfter(timeMs: number, settleHours: number): number {
  const everyMs = settleHours * HOUR_MS;
  return (Math.floor(timeMs / everyMs) + 1) * everyMs;
}

/**
 * The hours after `afterMs` up to `throughMs`, and the coins and hour boundaries whose rate or price is still missing. The
 * settlement waits for them for a while; no number is ever estimated.
 */
export function hoursToSettle(
  coins: readonly CoinHours[],
  { afterMs, throughMs }: { afterMs: number; throughMs: number },
): { readonly hours: readonly FundingHour[]; readonly missing: readonly MissingHour[] } {
  const hours = new Map<number, Record<string, readonly [string, string]>>();
  const missing: MissingHour[] = [];
  for (const { coin, sinceMs, hours: recorded, isDelisted } of coins) {
    const known = new Map(recorded.map(([hourMs, rate, oraclePrice]) => [hourMs, { rate, oraclePrice }]));
    for (let hourMs = Math.max(afterMs, sinceMs) + HOUR_MS; hourMs <= throughMs; hourMs += HOUR_MS) {
      const { rate = null, oraclePrice = null } = known.get(hourMs) ?? {};
      if (rate !== null && oraclePrice !== null) {
        const ofHour = hours.get(hourMs) ?? {};
        ofHour[coin] = [rate, oraclePrice];
        hours.set(hourMs, ofHour);
      } else if (!isDelisted) missing.push({ coin, hourMs });
    }
  }
  const sorted = [...hours].sort(([a], [b]) => a - b);
  return { hours: sorted.map(([hourMs, ofHour]) => ({ hourMs, coins: ofHour })), missing };
}
