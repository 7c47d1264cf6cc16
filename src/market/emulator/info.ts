// The emulated venue's `info`: each market-wide request type with its answer (wire-format 3.1). What is about an account
// is answered as the venue answers what it cannot read.
import { aggregateLevels, type BookAggregation } from '../domain/aggregateBook.ts';
import type { FeedLevel } from '../domain/feed.ts';
import { INTERVALS, type Interval } from './candles.ts';
import { fractionText, fundingRate } from './path.ts';
import type { Venue } from './venue.ts';
import { toWireLevel, toWireTrade, type VenueCoin } from './venueCoin.ts';

/** A body that the venue cannot read: HTTP 422 with plain text. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

/** Fields of the known requests, not yet checked. */
export interface Body {
  readonly type?: unknown;
  readonly dex?: unknown;
  readonly coin?: unknown;
  readonly nSigFigs?: unknown;
  readonly mantissa?: unknown;
  readonly req?: unknown;
  readonly interval?: unknown;
  readonly startTime?: unknown;
  readonly endTime?: unknown;
  readonly id?: unknown;
}

type Answer = (venue: Venue, body: Body) => unknown;

const HOUR_MS = 3_600_000;
const FUNDING_ROWS_MAX = 500;
const RECENT_TRADES_REST = 10;
const FUNDING_HISTORY_MS = 90 * 24 * HOUR_MS;
/** Levels a side from which a coarser book is made. */
const DEEP_LEVELS = 400;

/** @throws {Unreadable} for anything that is not one of the known requests */
export async function answerInfo(venue: Venue, body: unknown): Promise<unknown> {
  if (typeof body !== 'object' || body === null) throw new Unreadable();
  const request = body as Body;
  const answer = typeof request.type === 'string' ? ANSWERS.get(request.type) : undefined;
  if (answer === undefined) throw new Unreadable();
  return await answer(venue, request);
}

/** The answer to `l2Book`, and the data of its frames. */
export function l2Book(coin: VenueCoin, aggregation: BookAggregation | undefined): unknown {
  const { timeMs, bids, asks } = coin.book;
  const name = coin.listing.coin;
  if (aggregation === undefined) return { coin: name, time: timeMs, levels: [bids.map(toWireLevel), asks.map(toWireLevel)] };
  const coarseBids = aggregateLevels(coin.deepLevels('bid', DEEP_LEVELS), 'bid', aggregation);
  const coarseAsks = aggregateLevels(coin.deepLevels('ask', DEEP_LEVELS), 'ask', aggregation);
  return {
    coin: name,
    time: timeMs,
    levels: [coarseBids.map(toWireText), coarseAsks.map(toWireText)],
    spread: spreadText(coarseBids[0], coarseAsks[0]),
  };
}

/** @throws {Unreadable} when the fields are there and are not what the venue allows */
export function toAggregation(body: Body): BookAggregation | undefined {
  const { nSigFigs = null, mantissa = null } = body;
  if (nSigFigs === null && mantissa === null) return undefined;
  if (![2, 3, 4, 5].includes(nSigFigs as number)) throw new Unreadable();
  if (mantissa === null) return { nSigFigs: nSigFigs as 2 | 3 | 4 | 5 };
  if (nSigFigs !== 5 || ![1, 2, 5].includes(mantissa as number)) throw new Unreadable();
  return { nSigFigs, mantissa: mantissa as 1 | 2 | 5 };
}

const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['meta', (venue, body) => ofMainDex(body, () => venue.seed.meta)],
  ['metaAndAssetCtxs', (venue, body) => ofMainDex(body, () => [venue.seed.meta, venue.contexts()])],
  ['allMids', (venue, body) => ofMainDex(body, () => venue.mids())],
  ['allPerpMetas', (venue) => [venue.seed.meta]],
  ['spotMeta', (venue) => venue.seed.spotMeta],
  ['spotMetaAndAssetCtxs', (venue) => [venue.seed.spotMeta, venue.seed.spotContexts]],
  ['perpDexs', () => [null]],
  ['outcomeMeta', () => ({ outcomes: [], questions: [] })],
  ['l2Book', answerL2Book],
  ['candleSnapshot', answerCandles],
  ['recentTrades', answerRecentTrades],
  ['fundingHistory', answerFundingHistory],
  ['predictedFundings', answerPredictedFundings],
  ['exchangeStatus', (venue) => ({ time: venue.now(), specialStatuses: null })],
  ['perpsAtOpenInterestCap', () => []],
  [
    'maxMarketOrderNtls',
    () => [
      [25, '30000000.0'],
      [20, '5000000.0'],
      [10, '2000000.0'],
      [1, '500000.0'],
    ],
  ],
  ['marginTable', answerMarginTable],
  ['perpDexLimits', () => null],
  ['perpDexStatus', () => ({ totalNetDeposit: '0.0' })],
  ['perpDeployAuctionStatus', answerDeployAuction],
  ['perpCategories', () => []],
  ['perpAnnotation', () => null],
  ['perpConciseAnnotations', () => []],
  ['liquidatable', () => []],
]);

function ofMainDex(body: Body, answer: () => unknown): unknown {
  return body.dex === undefined || body.dex === null || body.dex === '' ? answer() : null;
}

function answerL2Book(venue: Venue, body: Body): unknown {
  const name = requireText(body, 'coin');
  const aggregation = toAggregation(body);
  const coin = venue.coin(name);
  if (coin === undefined) return venue.isSpot(name) ? { coin: name, time: venue.now(), levels: [[], []] } : null;
  return l2Book(coin, aggregation);
}

async function answerCandles(venue: Venue, body: Body): Promise<unknown> {
  const request = body.req;
  if (typeof request !== 'object' || request === null) throw new Unreadable();
  const name = requireText(request as Body, 'coin');
  const interval = requireText(request as Body, 'interval') as Interval;
  if (!INTERVALS.includes(interval)) throw new Unreadable();
  const { startMs, endMs } = requireRange(request as Body, venue.now());
  const coin = venue.coin(name);
  return coin === undefined ? [] : await venue.candles.read(coin, interval, { startMs, endMs, nowMs: venue.now() });
}

function answerRecentTrades(venue: Venue, body: Body): unknown {
  const coin = venue.coin(requireText(body, 'coin'));
  const trades = coin?.recent.slice(-RECENT_TRADES_REST).reverse() ?? [];
  return trades.map((trade) => toWireTrade(coin?.listing.coin ?? '', trade));
}

function answerFundingHistory(venue: Venue, body: Body): unknown {
  const coin = venue.coin(requireText(body, 'coin'));
  const nowMs = venue.now();
  const { startMs, endMs } = requireRange(body, nowMs);
  if (coin === undefined || coin.listing.isDelisted) return [];
  const rows: unknown[] = [];
  const oldestMs = Math.max(startMs, nowMs - FUNDING_HISTORY_MS);
  for (let hour = Math.floor(oldestMs / HOUR_MS); rows.length < FUNDING_ROWS_MAX; hour++) {
    const time = coin.path.fundingTimeMs(hour);
    if (time > Math.min(endMs, nowMs)) break;
    if (time < oldestMs) continue;
    const premium = coin.path.premium(hour);
    rows.push({
      coin: coin.listing.coin,
      fundingRate: fractionText(fundingRate(premium)),
      premium: fractionText(premium),
      time,
    });
  }
  return rows;
}

function answerPredictedFundings(venue: Venue): unknown {
  const nowMs = venue.now();
  const nextHourMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
  const nextEightMs = (Math.floor(nowMs / (8 * HOUR_MS)) + 1) * 8 * HOUR_MS;
  return venue
    .coins()
    .filter((coin) => !coin.listing.isDelisted)
    .map((coin) => {
      const { funding } = coin.context(nowMs);
      const elsewhere = { fundingRate: fractionText(Number(funding) * 8), nextFundingTime: nextEightMs, fundingIntervalHours: 8 };
      return [
        coin.listing.coin,
        [
          ['BinPerp', elsewhere],
          ['HlPerp', { fundingRate: funding, nextFundingTime: nextHourMs, fundingIntervalHours: 1 }],
          ['BybitPerp', elsewhere],
        ],
      ];
    });
}

function answerMarginTable(venue: Venue, body: Body): unknown {
  const id = body.id;
  if (!Number.isInteger(id)) throw new Unreadable();
  const listed = venue.seed.meta.marginTables?.find(([tableId]) => tableId === id);
  return listed?.[1] ?? { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: id }] };
}

function answerDeployAuction(venue: Venue): unknown {
  const durationSeconds = 111_600;
  const startTimeSeconds = Math.floor(venue.now() / 1000 / durationSeconds) * durationSeconds;
  return { startTimeSeconds, durationSeconds, startGas: '500.0', currentGas: '500.0', endGas: null };
}

function requireText(body: Body, field: 'coin' | 'interval'): string {
  const value = body[field];
  if (typeof value !== 'string') throw new Unreadable();
  return value;
}

function requireRange(body: Body, nowMs: number): { startMs: number; endMs: number } {
  const { startTime, endTime = null } = body;
  if (!isTime(startTime) || !(endTime === null || isTime(endTime))) throw new Unreadable();
  return { startMs: startTime, endMs: endTime ?? nowMs };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const toWireText = ([px, sz, n]: FeedLevel): unknown => toWireLevel([withPoint(px), withPoint(sz), n]);
const withPoint = (text: string): string => (text.includes('.') ? text : `${text}.0`);

function spreadText(bid: FeedLevel | undefined, ask: FeedLevel | undefined): string {
  if (bid === undefined || ask === undefined) return '0.0';
  return fractionText(Number(ask[0]) - Number(bid[0]));
}
