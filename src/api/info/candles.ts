// `candleSnapshot` and `candles`: the same rows under the venue's and the specification's form of the request. Asked at
// the venue for whole candles, so that clients who poll with moving times share one cached answer.
import { type Static, Type } from '@sinclair/typebox';
import type { Services } from '../call.ts';
import { absentOr, CoinText, TimeMs } from '../requestReader.ts';
import { askVenue } from './askVenue.ts';
import { requireCoin } from './coins.ts';
import { marketType } from './infoType.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Start times of candles are multiples of this, ms; longer ones begin at some midnight UTC. */
const GRID_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '3d': DAY_MS,
  '1w': DAY_MS,
  '1M': DAY_MS,
};

/** How long rows with the candle in progress, and rows of the past, are kept. */
const CURRENT_TTL_MS = 1_000;
const PAST_TTL_MS = 60_000;

const CandleFields = {
  coin: CoinText,
  interval: Type.String({
    pattern: `^(${Object.keys(GRID_MS).join('|')})$`,
    expected: `one of ${Object.keys(GRID_MS).join(', ')}`,
  }),
  startTime: TimeMs,
  /** Absent or `null` = now. */
  endTime: absentOr(TimeMs),
};
const CandleRequest = Type.Object(CandleFields, { expected: '{coin, interval, startTime, endTime}' });

export const candleSnapshot = marketType('candleSnapshot', { req: CandleRequest }, ({ req }, services) =>
  readCandles(req, services),
);

export const candles = marketType('candles', CandleFields, readCandles);

async function readCandles(request: Static<typeof CandleRequest>, services: Services): Promise<unknown> {
  const { coin, interval, startTime, endTime } = request;
  requireCoin(coin, services);
  const nowMs = services.now();
  const endMs = Math.min(endTime ?? nowMs, nowMs);
  if (startTime > endMs) return [];
  const gridMs = GRID_MS[interval] ?? DAY_MS;
  const toGrid = (timeMs: number): number => timeMs - (timeMs % gridMs);
  const req = { coin, interval, startTime: toGrid(startTime), endTime: toGrid(endMs) };
  const ttlMs = req.endTime < toGrid(nowMs) ? PAST_TTL_MS : CURRENT_TTL_MS;
  return askVenue(services, { type: 'candleSnapshot', req }, ttlMs);
}
