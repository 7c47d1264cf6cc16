// How far each coin moves in a day: one question for a coin that is held, kept for an hour. Those beyond the first few come one
// after another, so that an account with many positions does not use up its requests.
import { signal } from '@preact/signals';
import { ApiError, serverNow } from '../../api/answer.ts';
import { averageTrueRange } from '../../domain/market/averageTrueRange.ts';
import { DAY_MS, HOUR_MS } from '../../domain/units.ts';
import { readCandles } from './candles.ts';

/** ATR(14) wants 15 whole days; one more is in progress. */
const DAYS_MS = 16 * DAY_MS;
const APART_MS = 12_000;

/** ATR of the day by coin, USD per coin. */
export const dayRanges = signal<Readonly<Record<string, number>>>({});
const askedMs = new Map<string, number>();

/**
 * Asks for the ranges that are not known.
 * @param coins the ones that matter most first
 * @param atOnce questions that do not wait
 * @returns ends it
 */
export function wantDayRanges(coins: readonly string[], atOnce: number): () => void {
  const missing = coins.filter((coin) => serverNow() - (askedMs.get(coin) ?? 0) > HOUR_MS);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askFrom = (index: number): void => {
    const coin = missing[index];
    if (coin === undefined) return;
    void askOne(coin);
    timer = setTimeout(() => askFrom(index + 1), index + 1 < atOnce ? 0 : APART_MS);
  };
  askFrom(0);
  return () => clearTimeout(timer);
}

async function askOne(coin: string): Promise<void> {
  askedMs.set(coin, serverNow());
  try {
    const range = averageTrueRange(await readCandles(coin, '1d', serverNow() - DAYS_MS), serverNow());
    if (range !== undefined) dayRanges.value = { ...dayRanges.value, [coin]: range };
  } catch (error) {
    // The distance is shown without it, and it is asked for the next time.
    askedMs.delete(coin);
    // A right to trade that has ended is said by the shell.
    if (!(error instanceof ApiError && error.status === 403)) console.warn(error);
  }
}
