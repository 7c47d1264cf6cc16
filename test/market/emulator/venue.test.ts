// The emulated venue by itself: the same seed gives the same market, trades explain what books do, candles are the trades.
import { expect } from 'chai';
import { candleStart, INTERVALS } from '../../../src/market/domain/candleInterval.ts';
import type { FeedLevel, MarketTrade, VenueCandle } from '../../../src/market/domain/feed.ts';
import { toWireFrame } from '../../../src/market/emulator/info.ts';
import { Venue } from '../../../src/market/emulator/venue.ts';

const T0 = Date.UTC(2026, 10, 20, 9, 58, 30);
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

interface Frame {
  readonly channel: string;
  readonly coin: string | undefined;
  readonly data: unknown;
}

/** A venue with a clock of its own, and all it sends. */
class Clockwork {
  nowMs: number;
  readonly frames: Frame[] = [];
  readonly venue: Venue;
  readonly #coins: readonly string[];

  /** @param options.coins the running coins; coins do not depend on each other */
  constructor(options: { seed?: number; startMs?: number; begins?: boolean; quiet?: boolean; coins?: readonly string[] } = {}) {
    const { seed = 1, startMs = T0, begins = false, quiet = false, coins = [] } = options;
    this.nowMs = startMs;
    this.#coins = coins;
    this.venue = new Venue({
      seed,
      isQuiet: quiet,
      ...(begins && { beginsMs: startMs }),
      now: () => this.nowMs,
      emit: (channel, coin, data) =>
        this.frames.push({ channel, coin, data: channel === 'trades' ? toWireFrame(channel, coin, data) : data }),
      emitOfUser: () => undefined,
    });
  }

  run(durationMs: number): this {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) {
      this.nowMs = Math.min(endMs, this.nowMs + 100);
      if (this.#coins.length === 0) this.venue.advance();
      for (const coin of this.#coins) this.venue.coin(coin)?.advance(this.nowMs);
    }
    return this;
  }

  of(channel: string, coin: string): unknown[] {
    return this.frames.filter((frame) => frame.channel === channel && frame.coin === coin).map((frame) => frame.data);
  }

  info(body: object): Promise<unknown> {
    return this.venue.info(body);
  }

  candles(coin: string, interval: string, startTime: number, endTime?: number): Promise<VenueCandle[]> {
    return this.info({ type: 'candleSnapshot', req: { coin, interval, startTime, endTime } }) as Promise<VenueCandle[]>;
  }
}

interface SentTrade {
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly tid: number;
  readonly side: 'A' | 'B';
}

/** Open, high, low, close, volume and count of trades. */
function summed(trades: readonly SentTrade[]): unknown {
  const prices = trades.map((trade) => Number(trade.px));
  const volume = trades.reduce((sum, trade) => sum + Number(trade.sz), 0);
  return [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1), volume.toFixed(6), trades.length];
}
const toSum = (c: VenueCandle): unknown => [Number(c.o), Number(c.h), Number(c.l), Number(c.c), Number(c.v).toFixed(6), c.n];

describe('emulated venue: a function of seed and time', () => {
  it('sends the same frames at the same time for the same seed, others for another', () => {
    const frames = (seed: number): string => JSON.stringify(new Clockwork({ seed }).run(6000).frames);
    expect(frames(7)).to.equal(frames(7));
    expect(frames(7)).to.not.equal(frames(8));
  });

  it('with a beginning of its own is the same for the seed whenever it begins, at every moment from then on', async () => {
    const laterMs = T0 + 5 * 86_400_000 + 1_234_567;
    const coins = ['BTC', 'DYDX'];
    const began = (seed: number, startMs: number): Clockwork => new Clockwork({ seed, startMs, begins: true, coins }).run(6000);
    const trades = (one: Clockwork, startMs: number): unknown =>
      coins.map((coin) =>
        (one.of('trades', coin).flat() as SentTrade[]).map((trade) => ({ ...trade, time: trade.time - startMs })),
      );
    expect(trades(began(7, T0), T0)).to.deep.equal(trades(began(7, laterMs), laterMs));
    expect(began(7, T0).venue.coin('BTC')?.book.bids).to.deep.equal(began(7, laterMs).venue.coin('BTC')?.book.bids);
    expect(began(8, T0).venue.mids()).to.not.deep.equal(began(7, T0).venue.mids());
    const candles = async (startMs: number): Promise<unknown> =>
      (await began(7, startMs).candles('BTC', '1m', startMs - 30 * MINUTE, startMs)).length;
    expect(await candles(laterMs)).to.be.within(30, 31);
  });

  it('standing still at its beginning it shows that moment, later too', () => {
    const still = (startMs: number): Clockwork => new Clockwork({ seed: 7, startMs, begins: true, quiet: true, coins: ['BTC'] });
    const { bids, asks } = still(T0).venue.coin('BTC')?.book ?? {};
    const later = still(T0 + 9_876_543)
      .run(20_000)
      .venue.coin('BTC')?.book;
    expect([later?.bids, later?.asks]).to.deep.equal([bids, asks]);
    expect(still(T0).venue.mids()).to.deep.equal(new Clockwork({ seed: 7, begins: true }).venue.mids());
  });

  it('has the same past after a restart: candles of every interval, funding, recent trades', async () => {
    const coins = ['BTC', 'DYDX', 'kPEPE'];
    const running = new Clockwork({ coins }).run(3 * MINUTE);
    const restarted = new Clockwork({ startMs: running.nowMs });
    for (const coin of coins) {
      for (const interval of ['1m', '15m', '1h', '1d']) {
        const startTime = T0 - 30 * MINUTE;
        expect(await restarted.candles(coin, interval, startTime), interval).to.deep.equal(
          await running.candles(coin, interval, startTime),
        );
      }
      for (const type of ['fundingHistory', 'recentTrades']) {
        const body = { type, coin, startTime: T0 - 86_400_000 };
        expect(await restarted.info(body)).to.deep.equal(await running.info(body));
      }
    }
  });
});

describe('emulated venue: books and trades', () => {
  const coins = ['BTC', 'ETH', 'DYDX'];
  const clockwork = new Clockwork({ coins }).run(60_000);

  it('shows 20 levels a side that never cross, at legal prices', () => {
    for (const coin of coins) {
      for (const book of clockwork.of('l2Book', coin) as { bids: FeedLevel[]; asks: FeedLevel[] }[]) {
        expect(book.bids.length, coin).to.be.within(1, 20);
        expect(Number(book.bids[0]?.[0])).to.be.lessThan(Number(book.asks[0]?.[0]));
        for (const [price] of [...book.bids, ...book.asks]) {
          const digits = price.replace(/\.0$/, '').replace('.', '').replace(/^0+/, '');
          expect(digits.length, price).to.be.at.most(5);
        }
      }
    }
  });

  it('explains every step of the best price by trades that took the levels', () => {
    for (const coin of coins) {
      let asks: readonly FeedLevel[] = [];
      for (const { channel, data } of clockwork.frames.filter((frame) => frame.coin === coin)) {
        if (channel === 'l2Book') ({ asks } = data as { asks: FeedLevel[] });
        if (channel !== 'trades') continue;
        for (const trade of (data as SentTrade[]).filter(({ side }) => side === 'B')) {
          const shown = asks.find(([price]) => price === trade.px);
          expect(shown, `${coin} ${trade.px}`).to.not.equal(undefined);
          expect(Number(trade.sz)).to.be.at.most(Number(shown?.[1]));
        }
      }
    }
  });

  it('takes what was traded from the book that follows', () => {
    const frames = clockwork.frames.filter(
      ({ coin, channel }) => coin === 'BTC' && channel !== 'activeAssetCtx' && channel !== 'bbo',
    );
    let checked = 0;
    for (const [i, { channel, data }] of frames.entries()) {
      if (channel !== 'trades') continue;
      const before = frames[i - 1]?.data as { bids: FeedLevel[]; asks: FeedLevel[] } | undefined;
      const after = frames[i + 1]?.data as { bids: FeedLevel[]; asks: FeedLevel[] };
      if (before?.bids === undefined) continue;
      const size = (levels: FeedLevel[]): number => levels.reduce((sum, [, sz]) => sum + Number(sz), 0);
      const sold = (data as SentTrade[]).reduce((sum, trade) => sum + Number(trade.sz), 0);
      const side = (data as SentTrade[])[0]?.side === 'B' ? ('asks' as const) : ('bids' as const);
      expect(size(before[side]) - size(after[side])).to.be.closeTo(sold, 1e-6);
      checked += 1;
    }
    expect(checked).to.be.greaterThan(10);
  });

  it('gives trades ids of their own', () => {
    const tids = clockwork.frames
      .filter((f) => f.channel === 'trades')
      .flatMap((f) => (f.data as SentTrade[]).map(({ tid }) => tid));
    expect(new Set(tids).size).to.equal(tids.length);
    for (const tid of tids) expect(tid).to.be.lessThan(2 ** 50);
  });
});

describe('emulated venue: candles are the trades', () => {
  it('for whole minutes of what was sent', async () => {
    const coins = ['BTC', 'DYDX'];
    const clockwork = new Clockwork({ coins }).run(4 * MINUTE);
    for (const coin of coins) {
      const trades = (clockwork.of('trades', coin) as SentTrade[][]).flat();
      const candles = await clockwork.candles(coin, '1m', T0);
      let compared = 0;
      for (const candle of candles) {
        if (candle.t < T0) continue;
        const within = trades.filter(({ time }) => time >= candle.t && time <= candle.T);
        expect(toSum(candle), `${coin} ${candle.t}`).to.deep.equal(summed(within));
        compared += 1;
      }
      expect(compared).to.be.at.least(3);
    }
  });

  it('for scripted trades, between those of the path', async () => {
    const clockwork = new Clockwork({ coins: ['BTC'] }).run(10_000);
    const coin = clockwork.venue.coin('BTC');
    const trade = (price: string): MarketTrade => ({ side: 'buy', price, size: '0.5', timeMs: clockwork.nowMs, tid: 1 });
    coin?.trade(trade('90000.0'), { keepBook: true });
    clockwork.run(10_000);
    coin?.trade(trade('50000.0'), { keepBook: true });
    coin?.thaw(clockwork.nowMs);
    clockwork.run(5000);
    const trades = (clockwork.of('trades', 'BTC') as SentTrade[][]).flat().filter(({ time }) => time >= T0);
    const opened = Math.floor(T0 / MINUTE) * MINUTE;
    const past = (await new Clockwork().candles('BTC', '1m', opened)).at(-1);
    const [candle] = await clockwork.candles('BTC', '1m', opened);
    expect(Number(candle?.h)).to.equal(90_000);
    expect(Number(candle?.l)).to.equal(50_000);
    expect(candle?.n).to.equal((past?.n ?? 0) + trades.length);
  });

  it('for prices that are set, which close them like trades, and count as none', async () => {
    const clockwork = new Clockwork({ coins: ['BTC'] }).run(10_000);
    const coin = clockwork.venue.coin('BTC');
    const set = (price: string): void => coin?.setPrices({ mark: price, oracle: price, mid: price }, clockwork.nowMs);
    const opened = Math.floor(T0 / MINUTE) * MINUTE;
    set('90000.0');
    const [before] = await clockwork.candles('BTC', '1m', opened);
    expect([before?.h, before?.c]).to.deep.equal(['90000.0', '90000.0']);
    clockwork.run(90_000);
    set('50000.0');
    coin?.trade({ side: 'buy', price: '51000.0', size: '1', timeMs: clockwork.nowMs + 1, tid: 1 }, { keepBook: true });
    clockwork.run(2 * MINUTE);
    set('70000.0');
    clockwork.nowMs += 1;
    const minutes = await clockwork.candles('BTC', '1m', opened + MINUTE);
    const shown = minutes.map(({ o, h, l, c, n }) => [o, h, l, c, n]);
    expect(shown.slice(0, 3)).to.deep.equal([
      ['90000.0', '90000.0', '90000.0', '90000.0', 0],
      ['50000.0', '51000.0', '50000.0', '51000.0', 1],
      ['51000.0', '51000.0', '51000.0', '51000.0', 0],
    ]);
    expect(shown.at(-1)).to.deep.equal(['70000.0', '70000.0', '70000.0', '70000.0', 0]);
    // Without an earlier candle that is known, too.
    const [last] = await clockwork.run(5 * MINUTE).candles('BTC', '1m', clockwork.nowMs);
    expect(last?.c).to.equal('70000.0');
  });

  it('longer ones add up shorter ones, and the one in progress is included', async () => {
    const clockwork = new Clockwork();
    const startTime = T0 - 3 * 3_600_000;
    const minutes = await clockwork.candles('ETH', '1m', startTime);
    for (const candle of (await clockwork.candles('ETH', '1h', startTime)).slice(1)) {
      const within = minutes.filter(({ t }) => t >= candle.t && t <= candle.T);
      expect(candle.n).to.equal(within.reduce((sum, { n }) => sum + n, 0));
      expect(Number(candle.h)).to.equal(Math.max(...within.map(({ h }) => Number(h))));
      expect([candle.o, candle.c]).to.deep.equal([within[0]?.o, within.at(-1)?.c]);
    }
    expect(minutes.at(-1)?.t).to.equal(Math.floor(T0 / MINUTE) * MINUTE);
  });

  it('offers every interval, without holes, 90 days back', async () => {
    const clockwork = new Clockwork();
    for (const interval of INTERVALS) {
      const candles = await clockwork.candles('DYDX', interval, 0);
      expect(
        candles.filter(({ t }) => t !== candleStart(interval, t)),
        interval,
      ).to.deep.equal([]);
      const closings = candles.map(({ T }) => T + 1);
      expect(candles.slice(1).map(({ t }) => t)).to.deep.equal(closings.slice(0, -1));
      expect(candles.at(-1)?.T).to.be.at.least(T0);
      if (candles.length < 5000) expect(candles[0]?.t, interval).to.be.at.most(T0 - 89 * 86_400_000);
    }
  });

  it('opens weeks on Monday and months on the first', () => {
    expect(new Date(candleStart('1w', T0)).toISOString()).to.equal('2026-11-16T00:00:00.000Z');
    expect(new Date(candleStart('1M', T0)).toISOString()).to.equal('2026-11-01T00:00:00.000Z');
    expect(new Date(candleStart('8h', T0)).toISOString()).to.equal('2026-11-20T08:00:00.000Z');
  });
});

describe('emulated venue: funding', () => {
  it('has a row an hour for 90 days, in pages of 500', async () => {
    const clockwork = new Clockwork();
    const rows: { time: number; fundingRate: string }[] = [];
    for (let startTime = 0; ; ) {
      const page = (await clockwork.info({ type: 'fundingHistory', coin: 'BTC', startTime })) as typeof rows;
      expect(page.length).to.be.at.most(500);
      rows.push(...page);
      if (page.length < 500) break;
      startTime = (page.at(-1)?.time ?? 0) + 1;
    }
    expect(rows).to.have.length(90 * 24);
    for (const [i, { time, fundingRate }] of rows.entries()) {
      expect(time % 3_600_000).to.be.lessThan(1000);
      if (i > 0) expect(Math.floor(time / 3_600_000)).to.equal(Math.floor((rows[i - 1]?.time ?? 0) / 3_600_000) + 1);
      expect(fundingRate).to.match(/^-?\d+\.\d+$/);
    }
  });

  it('pays at the hour what the context said before it', async () => {
    const clockwork = new Clockwork();
    const said = clockwork.venue.coin('SOL')?.context(clockwork.nowMs).funding;
    clockwork.nowMs += 2 * MINUTE;
    const rows = (await clockwork.info({ type: 'fundingHistory', coin: 'SOL', startTime: T0 })) as { fundingRate: string }[];
    expect(rows.map(({ fundingRate }) => fundingRate)).to.deep.equal([said]);
  });

  it('a rate that a test sets is that of the hours from the next one on, until another is set; those before keep theirs', async () => {
    const clockwork = new Clockwork({ quiet: true });
    const coin = clockwork.venue.coin('SOL');
    const past = await clockwork.info({ type: 'fundingHistory', coin: 'SOL', startTime: T0 - DAY, endTime: T0 });
    for (const funding of ['0.001', '0.004', '-0.002']) {
      // Of two in one hour the second counts: 0.001 is of no hour.
      if (funding === '-0.002') clockwork.nowMs += 3 * 60 * MINUTE;
      coin?.setPrices({ funding }, clockwork.nowMs);
      expect(coin?.context(clockwork.nowMs).funding).to.equal(funding);
    }
    clockwork.nowMs += 2 * 60 * MINUTE;
    const rows = (await clockwork.info({ type: 'fundingHistory', coin: 'SOL', startTime: T0 })) as { fundingRate: string }[];
    expect(rows.map(({ fundingRate }) => fundingRate)).to.deep.equal(['0.004', '0.004', '0.004', '-0.002', '-0.002']);
    expect(await clockwork.info({ type: 'fundingHistory', coin: 'SOL', startTime: T0 - DAY, endTime: T0 })).to.deep.equal(past);
  });
});

describe('emulated venue: a price that a test sets', () => {
  const bests = (clockwork: Clockwork, name: string): (string | undefined)[] => {
    const { bids = [], asks = [] } = clockwork.venue.coin(name)?.book ?? {};
    return [bids[0]?.[0], asks[0]?.[0]];
  };

  it('has the book around it, at legal prices of any size, until the coin follows its path again', () => {
    const clockwork = new Clockwork();
    const set = (name: string, price: string): void => clockwork.venue.coin(name)?.setPrice(price, clockwork.nowMs);
    for (const [name, price, bid, ask] of [
      ['BTC', '60000.0', '59999.0', '60001.0'],
      ['BTC', '123456.0', '123455.0', '123457.0'],
      ['BTC', '9.5', '9.4', '9.6'],
      ['ETH', '2345.6', '2345.5', '2345.7'],
      ['ETH', '12000.0', '11999.0', '12001.0'],
      ['SOL', '100.0', '99.99', '100.01'],
    ] as const) {
      set(name, price);
      expect(bests(clockwork, name), `${name} ${price}`).to.deep.equal([bid, ask]);
      expect(clockwork.venue.coin(name)?.mid).to.equal(price);
    }
    const book = clockwork.venue.coin('SOL')?.book;
    expect([book?.bids.length, book?.asks.length]).to.deep.equal([20, 20]);
    expect(clockwork.of('l2Book', 'SOL').at(-1)).to.deep.equal(book);
    clockwork.venue.coin('SOL')?.thaw(clockwork.nowMs);
    expect(bests(clockwork, 'SOL')).not.to.deep.equal(['99.99', '100.01']);
  });

  it('leaves a book that the test has set, before it or after it', () => {
    const clockwork = new Clockwork();
    const coin = clockwork.venue.coin('BTC');
    coin?.setPrice('60000.0', clockwork.nowMs);
    coin?.setBook({ bids: [['50000.0', '1.0', 1]], asks: [['50001.0', '1.0', 1]], isNew: false }, clockwork.nowMs);
    expect(bests(clockwork, 'BTC')).to.deep.equal(['50000.0', '50001.0']);
    coin?.setPrice('61000.0', clockwork.nowMs);
    expect([...bests(clockwork, 'BTC'), coin?.mid]).to.deep.equal(['50000.0', '50001.0', '61000.0']);
  });
});

describe('emulated venue: quiet', () => {
  it('stands still at the same prices at any time, and sends books with fresh times', () => {
    const first = new Clockwork({ quiet: true }).run(20_000);
    const second = new Clockwork({ quiet: true, startMs: T0 + 5 * 86_400_000 });
    const levels = (clockwork: Clockwork): unknown => [clockwork.venue.coin('BTC')?.book.bids, clockwork.venue.contexts()];
    expect(levels(first)).to.deep.equal(levels(second));
    const books = first.of('l2Book', 'ETH') as { timeMs: number }[];
    expect(books.length).to.be.within(3, 5);
    expect(books.at(-1)?.timeMs).to.be.greaterThan(first.nowMs - 5200);
    expect(first.frames.filter(({ channel }) => channel === 'trades')).to.deep.equal([]);
  });
});
