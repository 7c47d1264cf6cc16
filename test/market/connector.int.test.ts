// The connector at another server with the venue's protocol, which offers almost nothing and says so.
import { expect } from 'chai';
import { pino } from 'pino';
import { Connector } from '../../src/market/connector.ts';
import { LiveMarket } from '../../src/market/domain/liveMarket.ts';
import { requestInfo } from '../../src/shared/venue/requestInfo.ts';
import { NO_LIMITS, OpeningPace, VenueSocket } from '../../src/shared/venue/venueSocket.ts';
import { SMALL_VENUE_COINS, SmallVenue } from '../support/smallVenue.ts';
import { until } from '../support/until.ts';

const log = pino({ level: 'silent' });

describe('connector: a server that offers no more than books, trades and mids', () => {
  let venue: SmallVenue;
  let connector: Connector;
  let market: LiveMarket;
  let connectedSinceMs: number | null;
  let trades: string[];
  /** How far the connector's clock is ahead. */
  let aheadMs: number;

  beforeEach(async () => {
    venue = new SmallVenue();
    market = new LiveMarket({ maxAgeMs: 15_000 });
    connectedSinceMs = null;
    trades = [];
    aheadMs = 0;
    const url = await venue.start();
    connector = new Connector({
      log,
      url,
      ask: (body, request) => requestInfo({ url, body, ...request }),
      pace: new OpeningPace(NO_LIMITS, Math.random),
      now: () => Date.now() + aheadMs,
      handlers: {
        onMeta: (meta, atOpenInterestCap) => market.apply({ type: 'meta', meta, atOpenInterestCap }),
        onChange: (change) => market.apply(change),
        onTrades: (frame, { isPast }) => trades.push(...frame.trades.map(({ price }) => `${isPast ? 'past ' : ''}${price}`)),
        onStatus: (sinceMs) => {
          connectedSinceMs = sinceMs;
        },
      },
    });
    connector.start();
    await until(() => SMALL_VENUE_COINS.every((coin) => market.bookText(coin) !== undefined));
  });
  afterEach(async () => {
    connector.stop();
    await venue.stop();
  });

  const best = (coin: string): string | undefined => market.bookText(coin)?.bids[0]?.[0];

  it('is followed all the same: what it refuses breaks nothing', async () => {
    await until(() => connector.counters.complaints === 3 * SMALL_VENUE_COINS.length);
    expect(venue.subscribed).to.have.members(['allMids', ...SMALL_VENUE_COINS.flatMap((c) => [`l2Book ${c}`, `trades ${c}`])]);
    venue.move(61_000);
    await until(() => SMALL_VENUE_COINS.every((coin) => best(coin) === '61000.0'));
    expect(trades).to.deep.equal(['61000.0', '61000.0', '61000.0']);
    expect(market.mids()).to.include({ ETH: '60000.5' });
    expect(market.prices(0)?.markPrice.toFixed()).to.equal('60000');
    expect(connectedSinceMs).to.be.a('number');
    expect(venue.connections).to.equal(1);
    expect(connector.counters.unreadable, 'the greeting alone').to.equal(1);
  });

  it('asks by REST for the marks that are not pushed, and is not held up by a refusal', async () => {
    venue.move(62_000);
    await until(() => SMALL_VENUE_COINS.every((coin) => best(coin) === '62000.0'));
    aheadMs = 11_000;
    await until(() => market.prices(0)?.markPrice.toFixed() === '62000');
    expect(venue.asked.filter((type) => type === 'metaAndAssetCtxs')).to.have.length(2);
    await until(() => venue.asked.includes('l2Book'));
    venue.move(63_000);
    aheadMs = 22_000;
    await until(() => market.prices(0)?.markPrice.toFixed() === '63000');
  });

  it('asks once a minute which coins are at their open-interest cap, and keeps them while no list comes', async () => {
    const isCapped = (): boolean | undefined => market.asset(0)?.isAtOpenInterestCap;
    const loads = (): number => venue.asked.filter((type) => type === 'metaAndAssetCtxs').length;
    /** Lets the connector load everything again, a minute later each time. */
    const aMinuteLater = async (): Promise<void> => {
      const before = loads();
      aheadMs += 61_000;
      await until(() => loads() > before);
    };
    expect(isCapped()).to.equal(false);
    venue.capped = [SMALL_VENUE_COINS[0]];
    await aMinuteLater();
    await until(() => isCapped() === true);
    for (const answer of [undefined, 'BTC', [1]]) {
      venue.capped = answer;
      const asked = venue.asked.filter((type) => type === 'perpsAtOpenInterestCap').length;
      await aMinuteLater();
      await until(() => venue.asked.filter((type) => type === 'perpsAtOpenInterestCap').length > asked);
      expect(isCapped(), JSON.stringify(answer)).to.equal(true);
    }
    venue.capped = [];
    await aMinuteLater();
    await until(() => isCapped() === false);
  });

  it('is connected again after it hung up', async () => {
    venue.hangUp();
    await until(() => venue.connections === 2 && connectedSinceMs !== null);
    await until(() => venue.subscribed.length === 2 * (1 + 2 * SMALL_VENUE_COINS.length));
    venue.move(64_000);
    await until(() => best('HYPE') === '64000.0');
  });
});

describe('venueSocket: a server that closes connections on which it has nothing to say', () => {
  for (const { name, pingMs, isKept } of [
    { name: 'is kept by pings', pingMs: 20, isKept: true },
    { name: 'would close without them, and is opened again', pingMs: 60_000, isKept: false },
  ]) {
    it(name, async () => {
      const venue = new SmallVenue({ silenceMs: isKept ? 400 : 40 });
      const url = `${(await venue.start()).replace('http', 'ws')}/ws`;
      const handlers = { onOpen: () => undefined, onText: () => undefined, onDown: () => undefined };
      const socket = new VenueSocket({
        log,
        url,
        subscriptions: [],
        pingMs,
        handlers,
        pace: new OpeningPace(NO_LIMITS, Math.random),
      });
      socket.open();
      await until(() => (isKept ? venue.pings >= 40 : venue.connections >= 2));
      if (isKept) expect([venue.closedAsSilent, venue.connections]).to.deep.equal([0, 1]);
      else expect(venue.pings).to.equal(0);
      socket.close();
      await venue.stop();
    });
  }
});
