// The emulated venue's `info`: each market-wide request type with its answer (wire-format 3.1), and those about scripted addresses. Any
// other question about an account is answered as the venue answers a request that it cannot read.

import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { DAY_MS, HOUR_MS } from '../../shared/domain/units.ts';
import { aggregateLevels, type BookAggregation } from '../domain/aggregateBook.ts';
import type { VenueMeta } from '../domain/asset.ts';
import type { Interval } from '../domain/candleInterval.ts';
import type { AssetContext, FeedLevel, MarketTrade } from '../domain/feed.ts';
import {
  type Body,
  type ExchangeSubscription,
  marginTable,
  requireBody,
  requireCandles,
  requireRange,
  requireText,
  toAggregation,
  UnreadableRequest,
} from '../venue/exchange.ts';
import { type BookLevels, toWireBbo, toWireBook, toWireTrade } from '../venue/wire.ts';
import type { Candles } from './candles.ts';
import type { Seed } from './listing.ts';
import { fractionText } from './path.ts';
import {
  answerAbstraction,
  answerClearinghouseState,
  answerDexs,
  answerFrontendOrders,
  answerOpenOrders,
  answerOrderStatus,
  answerSpotState,
  answerUserFills,
  answerUserFillsByTime,
} from './userAnswers.ts';
import { type VenueCoin, withParties } from './venueCoin.ts';
import type { VenueUsers } from './venueUsers.ts';

/** The part of the venue that its answers are made of. */
export interface VenueData {
  readonly seed: Seed;
  readonly candles: Candles;
  readonly now: () => number;
  readonly atOpenInterestCap: ReadonlySet<string>;
  readonly users: VenueUsers;
  coin(name: string): VenueCoin | undefined;
  coins(): readonly VenueCoin[];
  isSpot(name: string): boolean;
  mids(): Record<string, string>;
  meta(): VenueMeta;
  contexts(): AssetContext[];
}

type Answer = (venue: VenueData, body: Body) => unknown;

const FUNDING_ROWS_MAX = 500;
const RECENT_TRADES_REST = 10;
const FUNDING_HISTORY_MS = 90 * DAY_MS;
/** Levels a side from which a coarser book is made. */
const DEEP_LEVELS = 400;

/** @throws {UnreadableRequest} for anything that is not one of the known requests */
export async function answerInfo(venue: VenueData, body: unknown): Promise<unknown> {
  const request = requireBody(body);
  const answer = typeof request.type === 'string' ? ANSWERS.get(request.type) : undefined;
  if (answer === undefined) throw new UnreadableRequest();
  return await answer(venue, request);
}

/** Data of the first frame of a subscription, or of a derived one; undefined while the coin is paused. */
export async function subscriptionData(venue: VenueData, subscription: ExchangeSubscription): Promise<unknown> {
  if (subscription.type === 'allMids') return { mids: venue.mids() };
  if (subscription.type === 'orderUpdates') return undefined;
  if (subscription.type === 'userFills') {
    const newestFirst = answerUserFills(venue, subscription);
    return { isSnapshot: true, user: subscription.user, fills: newestFirst.toReversed() };
  }
  const coin = venue.coin(String(subscription.coin));
  if (coin === undefined || coin.isPaused) return undefined;
  const name = coin.listing.coin;
  switch (subscription.type) {
    case 'l2Book':
      return l2Book(coin, toAggregation(subscription));
    case 'bbo':
      return toWireBbo(name, coin.book);
    case 'trades':
      return coin.recent.map((trade) => toWireTrade(name, withParties(trade))).reverse();
    case 'activeAssetCtx':
      return { coin: name, ctx: coin.context(venue.now()) };
    default: {
      const nowMs = venue.now();
      const range = { startMs: nowMs, endMs: nowMs, nowMs };
      return (await venue.candles.read(coin, subscription.interval as Interval, range)).at(-1);
    }
  }
}

/** The messages of a coin, as the venue sends them. */
export function toWireFrame(channel: string, coin: string | undefined, data: unknown): unknown {
  if (coin === undefined) return data;
  if (channel === 'l2Book') return toWireBook(coin, data as BookLevels);
  if (channel === 'bbo') return toWireBbo(coin, data as BookLevels);
  return channel === 'trades' ? (data as MarketTrade[]).map((trade) => toWireTrade(coin, withParties(trade))) : data;
}

function l2Book(coin: VenueCoin, aggregation: BookAggregation | undefined): unknown {
  const name = coin.listing.coin;
  if (aggregation === undefined) return toWireBook(name, coin.book);
  const bids = aggregateLevels(coin.deepLevels('bid', DEEP_LEVELS), 'bid', aggregation).map(withPoints);
  const asks = aggregateLevels(coin.deepLevels('ask', DEEP_LEVELS), 'ask', aggregation).map(withPoints);
  return { ...toWireBook(name, { timeMs: coin.book.timeMs, bids, asks }), spread: spreadText(bids[0], asks[0]) };
}

const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['meta', (venue, body) => ofMainDex(body, () => venue.meta())],
  ['metaAndAssetCtxs', answerMetaAndContexts],
  ['allMids', (venue, body) => ofMainDex(body, () => venue.mids())],
  ['allPerpMetas', (venue) => [venue.meta()]],
  ['spotMeta', (venue) => venue.seed.spotMeta],
  ['spotMetaAndAssetCtxs', (venue) => [venue.seed.spotMeta, venue.seed.spotContexts]],
  ['perpDexs', answerDexs],
  ['outcomeMeta', () => ({ outcomes: [], questions: [] })],
  ['l2Book', answerL2Book],
  ['candleSnapshot', answerCandles],
  ['recentTrades', answerRecentTrades],
  ['fundingHistory', answerFundingHistory],
  ['predictedFundings', answerPredictedFundings],
  ['exchangeStatus', (venue) => ({ time: venue.now(), specialStatuses: null })],
  ['perpsAtOpenInterestCap', (venue) => [...venue.atOpenInterestCap]],
  [
    'maxMarketOrderNtls',
    () => [
      [25, '30000000.0'],
      [20, '5000000.0'],
      [10, '2000000.0'],
      [1, '500000.0'],
    ],
  ],
  ['marginTable', (venue, body) => marginTable(venue.seed.meta, body)],
  ['perpDexLimits', () => null],
  ['perpDexStatus', () => ({ totalNetDeposit: '0.0' })],
  ['perpDeployAuctionStatus', answerDeployAuction],
  ['perpCategories', () => []],
  ['perpAnnotation', () => null],
  ['perpConciseAnnotations', () => []],
  ['liquidatable', () => []],
  ['clearinghouseState', answerClearinghouseState],
  ['spotClearinghouseState', answerSpotState],
  ['userAbstraction', answerAbstraction],
  ['openOrders', answerOpenOrders],
  ['frontendOpenOrders', answerFrontendOrders],
  ['orderStatus', answerOrderStatus],
  ['userFills', answerUserFills],
  ['userFillsByTime', answerUserFillsByTime],
]);

function ofMainDex(body: Body, answer: () => unknown): unknown {
  return body.dex === undefined || body.dex === null || body.dex === '' ? answer() : null;
}

/** A venue that is paused as a whole does not answer for contexts either. */
function answerMetaAndContexts(venue: VenueData, body: Body): unknown {
  if (venue.coins().every((coin) => coin.isPaused)) throw new Error('paused');
  return ofMainDex(body, () => [venue.meta(), venue.contexts()]);
}

function answerL2Book(venue: VenueData, body: Body): unknown {
  const name = requireText(body, 'coin');
  const aggregation = toAggregation(body);
  const coin = venue.coin(name);
  if (coin === undefined) return venue.isSpot(name) ? { coin: name, time: venue.now(), levels: [[], []] } : null;
  return l2Book(coin, aggregation);
}

async function answerCandles(venue: VenueData, { req }: Body): Promise<unknown> {
  const nowMs = venue.now();
  const { coin: name, interval, ...range } = requireCandles(req, nowMs);
  const coin = venue.coin(name);
  return coin === undefined ? [] : await venue.candles.read(coin, interval, { ...range, nowMs });
}

function answerRecentTrades(venue: VenueData, body: Body): unknown {
  const coin = venue.coin(requireText(body, 'coin'));
  const trades = coin?.recent.slice(-RECENT_TRADES_REST).reverse() ?? [];
  return trades.map((trade) => toWireTrade(coin?.listing.coin ?? '', withParties(trade)));
}

function answerFundingHistory(venue: VenueData, body: Body): unknown {
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
    const funding = coin.hourlyFunding(hour);
    if (funding !== undefined) rows.push({ coin: coin.listing.coin, ...funding, time });
  }
  return rows;
}

function answerPredictedFundings(venue: VenueData): unknown {
  const nowMs = venue.now();
  const nextHourMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
  const nextEightMs = (Math.floor(nowMs / (8 * HOUR_MS)) + 1) * 8 * HOUR_MS;
  return venue
    .coins()
    .filter((coin) => !coin.isDelisted)
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

function answerDeployAuction(venue: VenueData): unknown {
  const durationSeconds = 111_600;
  const startTimeSeconds = Math.floor(venue.now() / 1000 / durationSeconds) * durationSeconds;
  return { startTimeSeconds, durationSeconds, startGas: '500.0', currentGas: '500.0', endGas: null };
}

const withPoints = ([px, sz, n]: FeedLevel): FeedLevel => [toWire(new Decimal(px)), toWire(new Decimal(sz)), n];

function spreadText(bid: FeedLevel | undefined, ask: FeedLevel | undefined): string {
  if (bid === undefined || ask === undefined) return '0.0';
  return fractionText(Number(ask[0]) - Number(bid[0]));
}
