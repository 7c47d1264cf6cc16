// Which hours a funding settlement pays, and which coins wait for a rate or an oracle price (trading-rules 6.4).
import type { FundingChange } from '../../market/domain/feed.ts';
import { type FundingHour, HOURS_KEPT } from '../../market/domain/fundingRecords.ts';
import { HOUR_MS } from '../../shared/domain/units.ts';

/** The funding hours that the market has recorded for one coin. */
export interface CoinHours extends Omit<FundingChange, 'type'> {
  /** A delisted coin gets no more rates: its hours without one are not due. */
  readonly isDelisted: boolean;
}

/** The hours of a coin for which a number is missing: the first boundary, and how many they are. */
export interface MissingHours {
  readonly firstMs: number;
  readonly count: number;
}

/** What a shard's newest settlement still waits for. */
export interface FundingWaits {
  readonly throughMs: number;
  /** When the settlement began, ms. */
  readonly sinceMs: number;
  /** True when the shard was asked to pay waiting coins up to their first unknown hour. */
  readonly isLate: boolean;
  readonly coins: ReadonlyMap<string, MissingHours>;
}

/** The first settlement after a time: 00, 08, 16 UTC for 8 hours, a divisor of 24. */
export function settlementAfter(timeMs: number, settleHours: number): number {
  const everyMs = settleHours * HOUR_MS;
  return (Math.floor(timeMs / everyMs) + 1) * everyMs;
}

/** The last settlement at or before a time. */
export function settlementBefore(timeMs: number, settleHours: number): number {
  return settlementAfter(timeMs, settleHours) - settleHours * HOUR_MS;
}

/** The hours after `afterMs` up to `throughMs`, each with the coins of which both numbers are known. No number is ever estimated. */
export function hoursToSettle(
  coins: readonly CoinHours[],
  { afterMs, throughMs }: { afterMs: number; throughMs: number },
): readonly FundingHour[] {
  const hours = new Map<number, Record<string, readonly [string, string]>>();
  for (const { coin, hours: recorded } of coins) {
    for (const [hourMs, rate, oraclePrice] of recorded) {
      if (hourMs <= afterMs || hourMs > throughMs || rate === null || oraclePrice === null) continue;
      const ofHour = hours.get(hourMs) ?? {};
      ofHour[coin] = [rate, oraclePrice];
      hours.set(hourMs, ofHour);
    }
  }
  return [...hours].sort(([a], [b]) => a - b).map(([hourMs, ofHour]) => ({ hourMs, coins: ofHour }));
}

/** The listed coins of which a number is missing, in the ten days up to `throughMs`: accounts forget older hours. */
export function waitingCoins(coins: readonly CoinHours[], throughMs: number): ReadonlyMap<string, MissingHours> {
  const waiting = new Map<string, MissingHours>();
  for (const { coin, sinceMs, hours, isDelisted } of coins) {
    if (isDelisted) continue;
    const known = new Set(
      hours.flatMap(([hourMs, rate, oraclePrice]) => (rate !== null && oraclePrice !== null ? [hourMs] : [])),
    );
    const fromMs = Math.max(sinceMs, throughMs - HOURS_KEPT * HOUR_MS);
    for (let hourMs = fromMs + HOUR_MS; hourMs <= throughMs; hourMs += HOUR_MS) {
      if (known.has(hourMs)) continue;
      const { firstMs, count } = waiting.get(coin) ?? { firstMs: hourMs, count: 0 };
      waiting.set(coin, { firstMs, count: count + 1 });
    }
  }
  return waiting;
}

/** As it is stored: `<settlement ms> <since ms> <late|waits>`, then `<coin>/<first hour ms>/<count>` for each coin. */
export function writeWaits({ throughMs, sinceMs, isLate, coins }: FundingWaits): string {
  const named = [...coins].map(([coin, { firstMs, count }]) => `${coin}/${firstMs}/${count}`);
  return [throughMs, sinceMs, isLate ? 'late' : 'waits', ...named].join(' ');
}

export function readWaits(text: string): FundingWaits {
  const [throughMs, sinceMs, state, ...named] = text.split(' ');
  const coins = named.map((one) => {
    const [coin = '', firstMs, count] = one.split('/');
    return [coin, { firstMs: Number(firstMs), count: Number(count) }] as const;
  });
  return { throughMs: Number(throughMs), sinceMs: Number(sinceMs), isLate: state === 'late', coins: new Map(coins) };
}
