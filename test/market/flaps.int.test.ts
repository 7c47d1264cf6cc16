// An hour in which the venue's connection breaks again and again. Waits pass at once: time is an input, connections are real.
import { expect } from 'chai';
import { pino } from 'pino';
import { freshMarket } from '../../src/actors/core/checks/checkForm.ts';
import { Connector } from '../../src/market/connector.ts';
import { LiveMarket } from '../../src/market/domain/liveMarket.ts';
import { requestInfo } from '../../src/shared/venue/requestInfo.ts';
import { OpeningPace, VENUE_LIMITS } from '../../src/shared/venue/venueSocket.ts';
import { Random } from '../support/faults/seeds.ts';
import { SMALL_VENUE_COINS, SmallVenue } from '../support/smallVenue.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
const MAX_AGE_MS = 15_000;
/** Mids, and of each coin its four feeds and its candle. */
const MESSAGES = 1 + 5 * SMALL_VENUE_COINS.length;

/** The venue's pace in a time that passes when somebody would wait. */
class PassingPace extends OpeningPace {
  nowMs = Date.now();
  readonly #random: Random;

  constructor(random: Random) {
    super(VENUE_LIMITS, () => random.next());
    this.#random = random;
  }

  override delayMs(_nowMs: number, opening: { failures: number; messages: number }): number {
    this.nowMs += super.delayMs(this.nowMs, opening) + this.#random.whole(0, 3000);
    return 0;
  }
}

describe('connector: the venue’s connection flaps for an hour', () => {
  it('connects again each time, fills nothing by an old book, leaves nothing open, and has all feeds at the end', async () => {
    const random = new Random(1);
    const pace = new PassingPace(random);
    const now = (): number => pace.nowMs;
    const venue = new SmallVenue({ now });
    const market = new LiveMarket({ maxAgeMs: MAX_AGE_MS });
    /** When each coin's whole book last came, by asset. */
    const bookMs = new Map<string, number>();
    let connectedSinceMs: number | null = null;
    const statuses: (number | null)[] = [];
    const wrong: string[] = [];
    const url = await venue.start();
    const connector = new Connector({
      log: pino({ level: 'silent' }),
      url,
      ask: (body, request) => requestInfo({ url, body, ...request }),
      pace,
      now,
      handlers: {
        onMeta: (meta) => market.apply({ type: 'meta', meta }),
        onChange: (change) => {
          market.apply(change);
          if (change.type === 'book') bookMs.set(change.coin, change.timeMs);
        },
        onTrades: () => undefined,
        onStatus: (sinceMs) => {
          connectedSinceMs = sinceMs;
          statuses.push(sinceMs);
          for (const [asset, coin] of SMALL_VENUE_COINS.entries()) {
            const isFresh = freshMarket(market, { asset, nowMs: now() }).type === 'fresh';
            if (isFresh && now() - (bookMs.get(coin) ?? 0) > MAX_AGE_MS) wrong.push(`${coin} at ${now()}`);
          }
        },
      },
    });
    const endsMs = now() + HOUR_MS;
    venue.breaksAfter = () => (now() < endsMs ? random.whole(0, MESSAGES) : Number.POSITIVE_INFINITY);
    const socketsBefore = sockets();
    connector.start();
    try {
      await until(() => now() >= endsMs && connectedSinceMs !== null && venue.open === 1);
      const { connections } = venue;
      expect(connections).to.be.within(HOUR_MS / 30_000, HOUR_MS / 2000);
      expect(wrong).to.deep.equal([]);
      expect(statuses, 'each break was told').to.include(null);
      venue.subscribed.length = 0;
      venue.move(65_000);
      await until(() => SMALL_VENUE_COINS.every((coin) => market.bookText(coin)?.bids[0]?.[0] === '65000.0'));
      // The marks come by REST.
      await until(() => SMALL_VENUE_COINS.every((_, asset) => freshMarket(market, { asset, nowMs: now() }).type === 'fresh'));
      expect(venue.connections, 'it stays connected').to.equal(connections);
      // One to the venue by either side, and what REST has kept open.
      await until(() => sockets() <= socketsBefore + 6);
    } finally {
      connector.stop();
      await venue.stop();
    }
  });

  it('judges a whole book by its own time: a newer best bid and offer, or trade, make the levels behind no younger', () => {
    const market = new LiveMarket({ maxAgeMs: MAX_AGE_MS });
    const universe = [{ name: 'BTC', szDecimals: 5, maxLeverage: 40 }];
    market.apply({ type: 'meta', meta: { universe } } as Parameters<LiveMarket['apply']>[0]);
    const context = { ...{ funding: '0', openInterest: '0', prevDayPx: '1', dayNtlVlm: '0' }, oraclePx: '100', markPx: '100' };
    const rest = { premium: null, midPx: null, impactPxs: null };
    market.apply({ type: 'context', coin: 'BTC', timeMs: 40_000, context: { ...context, ...rest } });
    market.apply({ type: 'book', coin: 'BTC', timeMs: 20_000, bids: [['99', '1', 1]], asks: [['101', '1', 1]] });
    expect(freshMarket(market, { asset: 0, nowMs: 35_000 }).type).to.equal('fresh');
    market.apply({ type: 'bbo', coin: 'BTC', timeMs: 40_000, bid: ['99.5', '1', 1], ask: ['101', '1', 1] });
    const trade = { side: 'buy', price: '101', size: '0.1', timeMs: 40_500, tid: 1 } as const;
    market.apply({ type: 'trades', coin: 'BTC', tick: '1-0', trades: [trade] });
    expect(freshMarket(market, { asset: 0, nowMs: 41_000 })).to.deep.equal({ type: 'stale', age: '21 s' });
    expect(market.ages(41_000).book.stale).to.equal(1);
    market.apply({ type: 'book', coin: 'BTC', timeMs: 41_000, bids: [['99', '1', 1]], asks: [['101', '1', 1]] });
    expect(freshMarket(market, { asset: 0, nowMs: 41_000 }).type).to.equal('fresh');
  });
});

const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
