// The whole way of market data on real parts: emulated venue, leader, Redis, follower, view.

import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { type MarketChange, readMessage, readTrades, type TradesChange } from '../../src/market/domain/feed.ts';
import { LiveMarket } from '../../src/market/domain/liveMarket.ts';
import { type MarketRole, startMarket } from '../../src/market/role.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import { FeedFollower } from '../../src/shared/redis/feedFollower.ts';
import { marketKeys } from '../../src/shared/redis/keys.ts';
import { writeDeepWants } from '../../src/shared/venue/deepWants.ts';
import { newestFormats } from '../support/formats.ts';
import { startEmulator, type TestMarket } from '../support/market.ts';
import { openRedis, type Store, startRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

const log = pino({ level: 'silent' });

/** A follower with its view, and everything it was handed. */
class Watcher {
  readonly market = new LiveMarket({ maxAgeMs: 15_000 });
  readonly ticks: TradesChange[] = [];
  /** How often the state was loaded whole. */
  loads = 0;
  readonly follower: FeedFollower<MarketChange, TradesChange>;
  readonly #redis: Redis;
  readonly #subscriber: Redis;

  constructor(url: string) {
    this.#redis = openRedis(url, { maxRetriesPerRequest: null });
    this.#subscriber = openRedis(url, { maxRetriesPerRequest: null });
    for (const connection of [this.#redis, this.#subscriber]) connection.on('error', () => undefined);
    this.follower = new FeedFollower({
      log,
      redis: this.#redis,
      subscriber: this.#subscriber,
      forms: { readMessage, readTrades },
      handlers: {
        onLoad: ({ fields, tick, missed }) => {
          this.loads += 1;
          this.ticks.push(...missed);
          this.market.load(fields, tick);
        },
        onMessage: ({ changes }) => {
          for (const change of changes) {
            if (change.type === 'trades') this.ticks.push(change);
            this.market.apply(change);
          }
        },
      },
    });
  }

  /** Breaks the subscription as a network would. */
  cut(): void {
    this.#subscriber.disconnect(true);
  }

  get id(): number {
    return this.market.assetOf('BTC')?.id ?? -1;
  }

  best(): string[] {
    const text = this.market.bookText('BTC');
    return [...(text?.bids[0] ?? []), ...(text?.asks[0] ?? [])].map(String);
  }

  async close(): Promise<void> {
    await this.follower.stop();
    this.#redis.disconnect();
    this.#subscriber.disconnect();
  }
}

describe('market feed: from the venue to the view', () => {
  let store: Store;
  let redis: Redis;
  let venue: TestMarket;
  let watcher: Watcher;
  const roles: MarketRole[] = [];

  const lead = async (): Promise<MarketRole> => {
    const config = readConfig({ MARKET_SOURCE: 'emulated', MARKET_URL: venue.url, MARKET_LEASE_TTL_MS: '1500' });
    const role = await startMarket({ config, log, redis, formats: newestFormats, now: Date.now });
    roles.push(role);
    return role;
  };
  const isLeader = (role: MarketRole | undefined): boolean => role?.status().role === 'leader';
  const readyNow = (role: MarketRole): boolean => (role.whyNotReady() as readonly string[]).length === 0;
  const setBook = (bid: string, ask: string, size = '1.0'): Promise<void> =>
    venue.control({ op: 'setBook', coin: 'BTC', bids: [[bid, size]], asks: [[ask, size]] });
  const best = (...want: string[]): Promise<void> => until(() => watcher.best().join() === want.join());

  before(async () => {
    store = await startRedis();
    redis = openRedis(store.url, { enableAutoPipelining: true, maxRetriesPerRequest: null });
    venue = await startEmulator();
    await lead();
    watcher = new Watcher(store.url);
    await watcher.follower.start();
    await watcher.follower.loaded();
  });

  after(async () => {
    await watcher.close();
    for (const role of roles) await role.stop();
    redis.disconnect();
    await venue.stop();
    await store.stop();
  });

  it('shows every listed coin with a fresh book, a mark and mids', async () => {
    const listed = watcher.market.rawMeta?.universe.filter((entry) => entry.isDelisted !== true) ?? [];
    expect(listed.length).to.be.greaterThan(150);
    await until(() => watcher.market.ages(Date.now()).book.stale === 0 && watcher.market.ages(Date.now()).context.stale === 0);
    for (const [id, entry] of (watcher.market.rawMeta?.universe ?? []).entries()) {
      if (entry.isDelisted === true) continue;
      expect(watcher.market.book(id)?.bids.length, entry.name).to.equal(20);
      expect(watcher.market.prices(id)?.markPrice.gt(0), entry.name).to.equal(true);
    }
    await until(() => '@1' in watcher.market.mids());
    expect(watcher.market.mids()).to.include({ MATIC: '0.37621' });
    expect(watcher.market.status?.source).to.equal('emulated');
    expect(watcher.market.recentTrades('BTC')).to.have.length(30);
  });

  it('keeps the aggregated book of a coin while it is wanted, with prices as coarse as it takes', async () => {
    const ladder = (from: number, step: number) =>
      Array.from({ length: 40 }, (_, at): [string, string] => [String(from + step * at), '1.0']);
    await venue.control({ op: 'setBook', coin: 'BTC', bids: ladder(49_999, -1), asks: ladder(50_001, 1) });
    const { id = -1 } = watcher.market.assetOf('BTC') ?? {};
    expect(watcher.market.deep(id), 'nobody wants it').to.equal(undefined);
    const want = (coins: number, ms: number) =>
      writeDeepWants(redis, 'test', new Map([['BTC', { kind: 'asked', owner: 'u', coins, untilMs: Date.now() + ms }]]));
    await want(35, 60_000);
    await until(() => watcher.market.deep(id)?.digits === 4);
    const texts = (levels: readonly { readonly price: Decimal; readonly size: Decimal }[] = []) =>
      levels.map(({ price, size }) => `${size} @ ${price}`);
    expect(texts(watcher.market.deep(id)?.asks)).to.deep.equal(['10 @ 50030', '10 @ 50040']);
    expect(texts(watcher.market.deep(id)?.bids)).to.deep.equal(['10 @ 49970', '10 @ 49960']);
    expect(watcher.market.book(id)?.asks.length, 'what is shown').to.equal(20);
    const known = watcher.market.deep(id)?.timeMs ?? 0;
    await until(() => (watcher.market.deep(id)?.timeMs ?? 0) > known);
    await want(35, -1);
    await until(async () => (await redis.hlen(marketKeys.deepWants)) === 0);
  });

  it('edge 90: a coin that leaves the list has a settlement price, the average of the oracle prices that were heard', async () => {
    const { id = -1 } = watcher.market.assetOf('AAVE') ?? {};
    const oracle = () => watcher.market.prices(id)?.oraclePrice ?? new Decimal(0);
    const before = oracle();
    expect(watcher.market.settlementPrice(id)).to.equal(undefined);
    await venue.control({ op: 'setOracle', coin: 'AAVE', px: before.times(2).toFixed(2) });
    await until(() => oracle().gt(before.times('1.9')));
    await venue.control({ op: 'delist', coin: 'AAVE' });
    await venue.control({ op: 'disconnect' });
    await until(() => watcher.market.settlementPrice(id) !== undefined);
    const price = watcher.market.settlementPrice(id) ?? new Decimal(0);
    expect(price.gt(before.times('0.9')) && price.lt(before.times(2)), price.toFixed()).to.equal(true);
    expect(price.decimalPlaces()).to.be.at.most(6 - (watcher.market.asset(id)?.sizeDecimals ?? 0));
    expect(watcher.market.asset(id)?.isDelisted).to.equal(true);
    await until(() => watcher.market.status?.connectedSinceMs !== null);
  });

  it('carries a pushed book, mark and trade to the view, the trade with its tick', async () => {
    await setBook('60000.0', '60010.0', '2.0');
    await best('60000.0', '2.0', '1', '60010.0', '2.0', '1');
    expect(watcher.market.prices(watcher.id)?.midPrice?.toFixed()).to.equal('60005');
    await venue.control({ op: 'setMark', coin: 'BTC', px: '60003.0' });
    await until(() => watcher.market.prices(watcher.id)?.markPrice.toFixed() === '60003');
    const candle = () => watcher.market.candle('BTC')?.candle;
    const tradesBefore = candle()?.n ?? 0;
    await venue.control({ op: 'trade', coin: 'BTC', px: '60010.0', sz: '0.5', side: 'B' });
    await until(() => candle()?.c === '60010.0');
    expect(candle()).to.include({ s: 'BTC', i: '1m' });
    expect(candle()?.n).to.be.oneOf([tradesBefore + 1, 1]);
    const traded = candle()?.n;
    await venue.control({ op: 'setPrice', coin: 'BTC', px: '60012' });
    await until(() => candle()?.c === '60012.0');
    expect(candle()?.n).to.be.oneOf([traded, 0]);
    await best('60000.0', '2.0', '1', '60010.0', '1.5', '1');
    const { tick, trades } = watcher.ticks.at(-1) ?? { tick: '', trades: [] };
    expect(trades.map(({ side, price, size }) => [side, price, size])).to.deep.equal([['buy', '60010.0', '0.5']]);
    expect(watcher.market.tick).to.equal(tick);
    expect(await redis.xrange(marketKeys.ticks, tick, tick)).to.have.length(1);
  });

  it('drops repeated and older trades', async () => {
    const nowMs = Date.now();
    const trade = { op: 'trade', coin: 'ETH', px: '1900.0', sz: '1.0', side: 'B', keepBook: true } as const;
    const seen = (): number[] => watcher.ticks.filter((t) => t.coin === 'ETH').flatMap((t) => t.trades.map(({ tid }) => tid));
    await venue.control({ ...trade, time: nowMs, tid: 1 });
    await venue.control({ ...trade, time: nowMs, tid: 1 });
    await venue.control({ ...trade, time: nowMs - 5000, tid: 2 });
    await venue.control({ ...trade, time: nowMs + 1, tid: 3 });
    await until(() => seen().includes(3));
    expect(seen()).to.deep.equal([1, 3]);
  });

  it('counts a frame that cannot be read and goes on', async () => {
    for (const text of [
      '',
      '{',
      'null',
      '{"channel":"l2Book","data":{"coin":"BTC"}}',
      '{"channel":"trades","data":[{"px":"NaN"}]}',
    ]) {
      await venue.control({ op: 'send', text });
    }
    await setBook('60001.0', '60011.0');
    await best('60001.0', '1.0', '1', '60011.0', '1.0', '1');
    expect(roles[0]?.status().leader?.unreadableFrames).to.equal(5);
  });

  it('comes back after the connection is cut, and what traded meanwhile fills nothing', async () => {
    const before = watcher.ticks.length;
    await venue.control({ op: 'disconnect', refuseMs: 600 });
    await until(() => watcher.market.status?.connectedSinceMs === null);
    await venue.control({ op: 'trade', coin: 'BTC', px: '60011.0', sz: '0.1', side: 'B' });
    await setBook('59000.0', '59010.0');
    await best('59000.0', '1.0', '1', '59010.0', '1.0', '1');
    await until(() => watcher.market.status?.connectedSinceMs !== null);
    expect(watcher.ticks.slice(before)).to.deep.equal([]);
    await until(() => watcher.market.recentTrades('BTC')[0]?.price === '60011.0');
  });

  it('reads the trades that it missed while its own subscription was broken', async () => {
    const before = watcher.ticks.length;
    const { loads } = watcher;
    watcher.cut();
    for (let i = 1; i <= 5; i++) {
      await venue.control({ op: 'trade', coin: 'BTC', px: '59010.0', sz: `0.0${i}`, side: 'B', keepBook: true });
    }
    await until(() => watcher.loads > loads && watcher.ticks.length >= before + 5);
    const sizes = watcher.ticks.slice(before).flatMap((change) => change.trades.map((trade) => trade.size));
    expect(sizes).to.deep.equal(['0.01', '0.02', '0.03', '0.04', '0.05']);
    expect(watcher.market.tick).to.equal(watcher.ticks.at(-1)?.tick);
  });

  it('is loaded by who comes while Redis has used up its memory', async () => {
    await redis.config('SET', 'maxmemory', '1');
    const late = new Watcher(store.url);
    await late.follower.start();
    expect(late.best()).to.deep.equal(watcher.best());
    await late.close();
    await redis.config('SET', 'maxmemory', '0');
  });

  it('is written whole again when Redis has lost it', async () => {
    await redis.del(marketKeys.state, marketKeys.sequence);
    await setBook('58000.0', '58010.0');
    await best('58000.0', '1.0', '1', '58010.0', '1.0', '1');
    await until(async () => (await redis.hlen(marketKeys.state)) > 500);
  });

  it('goes on under the next leader when the first one stops, with one leader at any time', async () => {
    await lead();
    // A machine that sleeps for the life of a lease may have made the second one the leader.
    await until(() => roles.filter(isLeader).length === 1);
    // The process that stands by is ready, too: a pod that replaces it need not wait for the lead.
    await until(() => roles.every((role) => readyNow(role)));
    await roles.find(isLeader)?.stop();
    await until(() => roles.some(isLeader));
    const isConnected = () => roles.find(isLeader)?.status().leader?.connectedSinceMs !== null;
    await until(() => watcher.market.status?.connectedSinceMs !== null && isConnected());
    await setBook('57000.0', '57010.0');
    await best('57000.0', '1.0', '1', '57010.0', '1.0', '1');
    const tids = watcher.ticks.flatMap((change) => change.trades.map((trade) => trade.tid));
    expect(new Set(tids).size).to.equal(tids.length);
  });

  it('cannot write once another holds the lease', async () => {
    await redis.set(marketKeys.lease, 'another', 'PX', 600_000);
    await setBook('56000.0', '56010.0');
    await until(() => !roles.some(isLeader));
    expect(watcher.best()[0]).to.equal('57000.0');
    await redis.del(marketKeys.lease);
    await until(() => roles.some(isLeader));
    await best('56000.0', '1.0', '1', '56010.0', '1.0', '1');
  });

  it('goes on after Redis was restarted; meanwhile it is not ready', async () => {
    await store.kill();
    await until(() => !roles.some(readyNow));
    store = await startRedis({ dir: store.dir, port: store.port });
    await setBook('55000.0', '55010.0');
    await best('55000.0', '1.0', '1', '55010.0', '1.0', '1');
  });
});
