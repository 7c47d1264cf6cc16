// The market as an API node sees it: a fold over the leader's feed, and the venue, for questions that no feed answers. The node's
// sockets hear of every change.
import { type MarketChange, readMessage, readTrades, type TradesChange } from '../market/domain/feed.ts';
import { LiveMarket } from '../market/domain/liveMarket.ts';
import type { RoleParts } from '../shared/deployment/role.ts';
import { openSubscriber } from '../shared/redis/channels.ts';
import { FeedFollower, type FollowerHandlers } from '../shared/redis/feedFollower.ts';
import { Upstream } from '../shared/venue/upstream.ts';
import { CandleStore } from '../shared/venue/venueAnswers.ts';
import { countCandleChunks, countVenueWeight, VenueBudget } from '../shared/venue/venueBudget.ts';
import { FreshQuestions } from '../shared/venue/venueQuestions.ts';
import type { Services } from './accounts/services.ts';
import { MarketStream } from './stream/channel/marketStream.ts';

export interface NodeMarket extends Pick<Services, 'market' | 'upstream' | 'candles'> {
  /** Hears every change of the market. */
  readonly stream: MarketStream;
  /** Asks the venue for what nobody has asked before. */
  readonly venue: FreshQuestions;
  readonly follower: Pick<FeedFollower<MarketChange, TradesChange>, 'position' | 'start' | 'stop'>;
}

export function openMarket(parts: RoleParts): NodeMarket {
  const { config, log, redis, subscriberFactory, realNow, registry } = parts;
  const market = new LiveMarket({ maxAgeMs: config.MARKET_MAX_AGE_MS });
  const stream = new MarketStream();
  const feed = openSubscriber(redis, () => subscriberFactory('feed'));
  const forms = { readMessage, readTrades };
  const handlers = handlersOf(market, stream);
  const follower = new FeedFollower<MarketChange, TradesChange>({ log, redis, subscriber: feed.connection, forms, handlers });
  const budget = new VenueBudget({ redis, config, now: realNow, count: countVenueWeight(registry) });
  const ofVenue = { log, url: config.MARKET_URL, budget, now: realNow };
  return {
    ...{ market, stream, venue: new FreshQuestions(ofVenue), upstream: new Upstream({ ...ofVenue, redis }) },
    candles: { store: candleStoreOf(parts), minutes: stream.minutes },
    follower: {
      get position() {
        return follower.position;
      },
      start: () => follower.start(),
      async stop() {
        await follower.stop();
        feed.close();
      },
    },
  };
}

/** The store of the market's candles. A recording that is played again has other candles at the same times, so none is kept of it. */
function candleStoreOf({ config, log, mongo, formats, realNow, registry }: RoleParts): CandleStore | undefined {
  const { MARKET_SOURCE, EMULATOR_SEED, EMULATOR_BEGINS_MS, CANDLE_STORE_BYTES: bytesMax } = config;
  if (MARKET_SOURCE === 'replay' || bytesMax === 0) return undefined;
  const market = MARKET_SOURCE === 'live' ? 'live' : `emulated-${EMULATOR_SEED}-${EMULATOR_BEGINS_MS}`;
  return new CandleStore({ log, mongo, formats, market, bytesMax, now: realNow, count: countCandleChunks(registry) });
}

/** The market view is a fold over the feed; the loaded state contains the messages that were missed. */
function handlersOf(market: LiveMarket, stream: MarketStream): FollowerHandlers<MarketChange, TradesChange> {
  return {
    onLoad: ({ fields, tick, missed }) => {
      market.load(fields, tick);
      const sinceMs = market.status?.connectedSinceMs ?? null;
      stream.minutes.onStatus(sinceMs);
      const candles = (market.rawMeta?.universe ?? []).flatMap(({ name }) => {
        const change = market.candle(name);
        return change !== undefined && sinceMs !== null && change.timeMs >= sinceMs ? [change] : [];
      });
      stream.onLoad(missed, candles);
    },
    onMessage: ({ changes }) => {
      for (const change of changes) market.apply(change);
      stream.onChanges(changes);
    },
  };
}
