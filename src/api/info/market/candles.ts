// `candleSnapshot` and `candles`: the same rows under the venue's and the specification's form of the request. The
// venue is asked for whole candles, so that clients who poll with moving times share one cached answer. The minute in
// progress comes from the feed, so a cached answer stays current.
import { type Static, Type } from '@sinclair/typebox';
import type { CandleChange, VenueCandle } from '../../../market/domain/feed.ts';
import type { Services } from '../../accounts/services.ts';
import { atLeast, CoinName, Count, EpochMs, venueValue } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { absentOr, CoinText, TimeMs } from '../../http/requestReader.ts';
import { marketType } from '../infoType.ts';
import { askVenue, type PayingServices, paidBy } from './askVenue.ts';
import { requireCoin } from './coins.ts';

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

/** How long rows with the candle in progress, and rows of closed candles, are cached. */
const CURRENT_TTL_MS = 1_000;
const PAST_TTL_MS = 60_000;
/** The same for rows of minutes while the feed has the minute in progress. */
const FOLLOWED_TTL_MS = 10_000;
const CANDLES_MAX = 5000;

/** Length of a candle. */
export const IntervalText = Type.String({
  pattern: `^(${Object.keys(GRID_MS).join('|')})$`,
  expected: `one of ${Object.keys(GRID_MS).join(', ')}`,
});

const CandleFields = {
  coin: CoinText,
  interval: IntervalText,
  startTime: TimeMs,
  endTime: described(absentOr(TimeMs), 'Absent or `null` = now.'),
};
const CandleRequest = named('CandleRange', Type.Object(CandleFields, { expected: '{coin, interval, startTime, endTime}' }));

export const Candle = named(
  'Candle',
  atLeast({
    t: described(EpochMs, 'When it opens.'),
    T: described(EpochMs, 'When it closes.'),
    s: CoinName,
    i: Type.String({ examples: ['1h'] }),
    o: Type.String(),
    c: Type.String(),
    h: Type.String(),
    l: Type.String(),
    v: described(Type.String(), 'Volume, coins.'),
    n: described(Count, 'Trades.'),
  }),
);
const Candles = venueValue(Type.Array(Candle));
const EXAMPLE = { coin: 'BTC', interval: '1h', startTime: 1_795_000_000_000 };

const SNAPSHOT_CONTRACT = {
  about: 'Candles of a coin, oldest first, at most 5,000.',
  fields: { req: CandleRequest },
  answers: Candles,
  example: { req: EXAMPLE },
};

export const candleSnapshot = marketType('candleSnapshot', SNAPSHOT_CONTRACT, ({ req }, services, call) =>
  readCandles(req, paidBy(services, call)),
);

const CONTRACT = {
  about: 'The same as candleSnapshot, with the fields beside `type`.',
  fields: CandleFields,
  answers: Candles,
  example: EXAMPLE,
};

export const candles = marketType('candles', CONTRACT, (request, services, call) => readCandles(request, paidBy(services, call)));

/** Rows of a coin, oldest first; the last one is the candle in progress where `endTime` is not before it. */
export async function readCandles(request: Static<typeof CandleRequest>, services: PayingServices): Promise<unknown> {
  const { coin, interval, startTime, endTime } = request;
  requireCoin(coin, services);
  const nowMs = services.asOfMs ?? services.now();
  const endMs = Math.min(endTime ?? nowMs, nowMs);
  if (startTime > endMs) return [];
  const gridMs = GRID_MS[interval] ?? DAY_MS;
  const toGrid = (timeMs: number): number => timeMs - (timeMs % gridMs);
  const req = { coin, interval, startTime: toGrid(startTime), endTime: toGrid(endMs) };
  const body = { type: 'candleSnapshot', req };
  if (req.endTime < toGrid(nowMs)) return askVenue(services, body, PAST_TTL_MS);
  if (services.asOfMs !== undefined)
    return rowsOfThen(await askVenue(services, body, CURRENT_TTL_MS), { coin, interval }, services);
  const live = interval === '1m' ? followed(coin, services) : undefined;
  if (live !== undefined && live.t === req.endTime && live.t === req.startTime) return [live];
  if (live?.t !== req.endTime) return askVenue(services, body, CURRENT_TTL_MS);
  return withCandle(await askVenue(services, body, FOLLOWED_TTL_MS), live);
}

/** The candles that were closed then, and the minute that was in progress, as the feed had it. */
function rowsOfThen(
  rows: unknown,
  { coin, interval }: Pick<Static<typeof CandleRequest>, 'coin' | 'interval'>,
  services: PayingServices,
): unknown {
  if (!Array.isArray(rows)) return rows;
  const closed = (rows as readonly VenueCandle[]).filter((row) => row.T < (services.asOfMs ?? 0));
  const live = interval === '1m' ? followed(coin, services) : undefined;
  return live === undefined ? closed : withCandle(closed, live);
}

/** The coin's newest candle from the feed, if it came on the current connection. */
function followed(coin: string, { market }: Services): VenueCandle | undefined {
  const change: CandleChange | undefined = market.candle(coin);
  const sinceMs = market.status?.connectedSinceMs ?? null;
  return change !== undefined && sinceMs !== null && change.timeMs >= sinceMs ? change.candle : undefined;
}

/** Rows of minutes that end with the one in progress: of its two versions the one with more trades. */
function withCandle(rows: unknown, live: VenueCandle): unknown {
  if (!Array.isArray(rows)) return rows;
  const last = rows.at(-1) as VenueCandle | undefined;
  if (last !== undefined && (last.t > live.t || (last.t === live.t && last.n >= live.n))) return rows;
  return [...(last?.t === live.t ? rows.slice(0, -1) : rows), live].slice(-CANDLES_MAX);
}
