// What a recording holds of the time before it began: candles and funding rates of the busiest coins, so that charts
// and indicators have data when the recording is played.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import type { VenueMeta } from '../domain/asset.ts';
import type { Interval } from '../domain/candleInterval.ts';
import type { AssetContext } from '../domain/feed.ts';

/** Body of an `info` request. */
export type RecordedRequest = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface WeighedRequest {
  readonly request: RecordedRequest;
  /** As the venue counts it: 20, and one per so many rows. */
  readonly weight: number;
}

const HOURS_BACK_MS = 7 * DAY_MS;
const MINUTES_BACK_MS = 12 * HOUR_MS;
const FUNDING_BACK_MS = DAY_MS;
const BASE_WEIGHT = 20;
const CANDLES_PER_WEIGHT = 60;
const FUNDINGS_PER_WEIGHT = 20;
/** Coins whose past is asked for when none are named: as many as one minute's allowance is enough for. */
const COINS_BY_VOLUME = 10;

/** The coins with the largest volume of the day, largest first. */
export function busiestCoins([meta, contexts]: readonly [VenueMeta, readonly AssetContext[]]): string[] {
  return meta.universe
    .map(({ name, isDelisted }, index) => ({ name, isDelisted, volume: Number(contexts[index]?.dayNtlVlm ?? 0) }))
    .filter(({ isDelisted }) => isDelisted !== true)
    .sort((a, b) => b.volume - a.volume)
    .slice(0, COINS_BY_VOLUME)
    .map(({ name }) => name);
}

export function pastRequests(coins: readonly string[], nowMs: number): WeighedRequest[] {
  const candles = (coin: string, interval: Interval, { backMs, rowMs }: { backMs: number; rowMs: number }): WeighedRequest => ({
    request: { type: 'candleSnapshot', req: { coin, interval, startTime: nowMs - backMs, endTime: nowMs } },
    weight: BASE_WEIGHT + Math.ceil(backMs / rowMs / CANDLES_PER_WEIGHT),
  });
  return coins.flatMap((coin) => [
    candles(coin, '1h', { backMs: HOURS_BACK_MS, rowMs: HOUR_MS }),
    candles(coin, '1m', { backMs: MINUTES_BACK_MS, rowMs: MINUTE_MS }),
    {
      request: { type: 'fundingHistory', coin, startTime: nowMs - FUNDING_BACK_MS },
      weight: BASE_WEIGHT + Math.ceil(FUNDING_BACK_MS / HOUR_MS / FUNDINGS_PER_WEIGHT),
    },
  ]);
}
