// Candles over the emulated venue, with a real Redis and MongoDB: a kept candle costs no question, a missing candle is asked for
// once.
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { PayingServices } from '../../../src/api/accounts/askVenue.ts';
import { MinuteCandles } from '../../../src/api/accounts/minuteCandles.ts';
import { readCandles } from '../../../src/api/accounts/readCandles.ts';
import { type Emulator, startEmulator } from '../../../src/market/emulator/role.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { marketKeys } from '../../../src/shared/redis/keys.ts';
import { Upstream } from '../../../src/shared/venue/upstream.ts';
import { CandleStore } from '../../../src/shared/venue/venueAnswers.ts';
import { VenueBudget } from '../../../src/shared/venue/venueBudget.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { newestFormats } from '../../support/formats.ts';
import { control } from '../../support/market.ts';
import { openRedis, type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const log = pino({ level: 'silent' });
const MINUTE_MS = 60_000;
const COINS = ['BTC', 'ETH', 'SOL', 'AVAX', 'DOGE', 'LTC', 'ARB', 'OP', 'SUI', 'APT', 'LINK', 'ADA'];

describe('kept candles', () => {
  let stores: readonly [Store, Store];
  let redis: Redis;
  let mongo: MongoConnection;
  let venue: Emulator;
  const asked: { readonly req: { readonly coin: string; readonly startTime: number } }[] = [];
  /** The questions of `asked` that were not refused. */
  const answered: object[] = [];
  const exchange = new ExchangeInMemory();

  before(async () => {
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = openRedis(stores[0].url);
    mongo = connectMongo({ url: stores[1].url, database: 'candles', timeoutMs: 5000 });
    venue = await startEmulator({ port: 0, seed: 3, isQuiet: true, now: () => Date.now() + passedMs });
  });
  beforeEach(async () => {
    asked.length = 0;
    answered.length = 0;
    passedMs = 0;
    await Promise.all([redis.flushall(), mongo.db.collection(collections.candles).deleteMany({})]);
    await control(venue.url, { op: 'limitWeight', perMinute: null });
  });
  after(async () => {
    redis.disconnect();
    await mongo.close();
    await venue.stop();
    await Promise.all(stores.map((store) => store.stop()));
  });

  /** The services of a node on behalf of a user. */
  const node = (
    payer: string,
    { source = 'emulated', aheadMs = 0, minutes = new MinuteCandles(), store = storeOf(mongo) }: NodeOptions = {},
  ): PayingServices => {
    const config = readConfig({ MARKET_SOURCE: source });
    const budget = new VenueBudget({ redis, config, now: Date.now });
    const upstream = new Upstream({ log, redis, url: venue.url, budget, now: Date.now });
    const info = async (body: object, options: Parameters<Upstream['info']>[1]): Promise<unknown> => {
      asked.push(body as (typeof asked)[number]);
      const answer = await upstream.info(body, options);
      answered.push(body);
      return answer;
    };
    const now = (): number => Date.now() + aheadMs;
    return { ...exchange.services, upstream: { info }, candles: { store, minutes }, now, payers: () => [payer] };
  };
  interface NodeOptions {
    readonly source?: 'live' | 'emulated';
    readonly aheadMs?: number;
    readonly minutes?: MinuteCandles;
    readonly store?: CandleStore;
  }
  const storeOf = (connection: MongoConnection, bytesMax = 10_000_000): CandleStore =>
    new CandleStore({ log, mongo: connection, formats: newestFormats, market: 'test', bytesMax, now: Date.now });
  /** 501 of them, the one in progress included. */
  const fives = (coin: string) => ({ coin, interval: '5m', startTime: Date.now() - 500 * 5 * MINUTE_MS });
  /** The feed of the coins, from three minutes ago on. */
  const fed = async (coins: readonly string[] = COINS): Promise<MinuteCandles> => {
    const minutes = new MinuteCandles(() => Date.now() + passedMs);
    minutes.onStatus(1);
    for (const coin of coins) {
      const rows = await readCandles({ coin, interval: '1m', startTime: Date.now() - 3 * MINUTE_MS }, node('feed'));
      for (const candle of rows) minutes.onCandle({ coin, candle, timeMs: Date.now() });
    }
    asked.length = 0;
    answered.length = 0;
    return minutes;
  };
  /** Beside the time of the machine. */
  let passedMs = 0;
  const outcome = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      return await work;
    } catch (error) {
      return error;
    }
  };

  it('a second user asks the venue for nothing, and gets the same candles', async () => {
    const minutes = await fed();
    const first = await Promise.all(COINS.map((coin) => readCandles(fives(coin), node('ann', { minutes }))));
    expect(asked).to.have.length(COINS.length);
    for (const rows of first) expect(rows).to.have.length(501);
    const second = await Promise.all(COINS.map((coin) => readCandles(fives(coin), node('bob', { minutes }))));
    expect(asked).to.have.length(COINS.length);
    expect(second).to.deep.equal(first);
  });

  it('minutes are continued from the feed, longer candles after a restart from the venue: their tail alone', async () => {
    const minutes = await fed();
    const wanted = { coin: 'BTC', interval: '1m', startTime: Date.now() - 500 * MINUTE_MS };
    expect(await readCandles(wanted, node('ann', { minutes }))).to.have.length(501);
    passedMs = 5 * MINUTE_MS;
    const later = await readCandles(wanted, node('ann', { minutes, aheadMs: 5 * MINUTE_MS }));
    expect([asked.length, later.length, later.at(-1)?.n]).to.deep.equal([1, 506, 0]);
    await readCandles(wanted, node('bob', { aheadMs: 5 * MINUTE_MS }));
    expect(asked).to.have.length(2);
    expect(asked.at(-1)?.req.startTime).to.be.within(Date.now() - 3 * MINUTE_MS, Date.now());
  });

  it('cold on a venue that counts: the answer says when, what came is kept, and the next try asks for the rest', async () => {
    const minutes = await fed();
    await control(venue.url, { op: 'limitWeight', perMinute: 180 });
    const ask = (payer: string, source: 'live' | 'emulated') =>
      Promise.all(COINS.map((coin) => outcome(readCandles(fives(coin), node(payer, { minutes, source })))));
    // Twice: by the deployment's own budget, and by the venue's refusal where there is no budget.
    for (const [source, payer] of [
      ['live', 'ann'],
      ['emulated', 'cid'],
    ] as const) {
      await Promise.all([redis.flushall(), mongo.db.collection(collections.candles).deleteMany({})]);
      await control(venue.url, { op: 'limitWeight', perMinute: source === 'live' ? 10_000 : 180 });
      const first = await ask(payer, source);
      const refused = first.filter((one) => one instanceof RequestError) as RequestError[];
      expect(refused.length, source).to.be.within(1, COINS.length - 1);
      for (const error of refused) {
        expect(error.status).to.be.oneOf([429, 503]);
        expect(Number(error.headers['Retry-After'])).to.be.within(1, 61);
      }
      // Another user has at once what came.
      asked.length = 0;
      const done = COINS.filter((_, i) => Array.isArray(first[i]));
      for (const coin of done) expect(await readCandles(fives(coin), node('bob', { minutes, source }))).to.have.length(501);
      expect(asked).to.deep.equal([]);
      await redis.flushall();
      await control(venue.url, { op: 'limitWeight', perMinute: null });
      const second = await ask(payer, source);
      expect(second.every((rows) => Array.isArray(rows) && rows.length === 501)).to.equal(
        source === 'emulated' || refused.length < 9,
      );
      expect(new Set(asked.map(({ req }) => req.coin))).to.deep.equal(new Set(COINS.filter((coin) => !done.includes(coin))));
    }
  });

  it('200 coins cold on the live venue: each refusal says when, no candle is paid twice, and a second bot pays nothing', async () => {
    const coins = (exchange.market.rawMeta?.universe ?? []).flatMap(({ name, isDelisted }) => (isDelisted ? [] : [name]));
    const minutes = await fed(coins);
    // The market has 190 coins that trade: ten of them have candles of another length besides.
    const series = [
      ...coins.map(fives),
      ...coins.slice(0, 10).map((coin) => ({ ...fives(coin), interval: '3m', startTime: Date.now() - 500 * 3 * MINUTE_MS })),
    ];
    expect(series).to.have.length(200);
    const store = storeOf(mongo, 100_000_000);
    await redis.flushall();
    // As the venue itself counts: nobody meets its refusal.
    await control(venue.url, { op: 'limitWeight', perMinute: 1200 });
    type Series = (typeof series)[number];
    /** @returns the refused questions, and the seconds that the refusals name */
    const ask = async (payer: string, some: readonly Series[]): Promise<{ left: Series[]; waits: number[] }> => {
      const bot = node(payer, { minutes, store, source: 'live', aheadMs: passedMs });
      const answers = await Promise.all(some.map((one) => outcome(readCandles(one, bot))));
      const refusals = answers.filter((one) => one instanceof RequestError);
      for (const { status, code } of refusals) expect([status, code]).to.deep.equal([429, 'upstream_limited']);
      for (const rows of answers) if (!(rows instanceof RequestError)) expect(rows).to.have.length.within(501, 520);
      return {
        left: some.filter((_, i) => answers[i] instanceof RequestError),
        waits: refusals.map(({ headers }) => Number(headers['Retry-After'])),
      };
    };
    let left: readonly Series[] = series;
    let rounds = 0;
    while (left.length > 0) {
      const answer = await ask('ann', left);
      // The wait that a refusal named was enough: a user's share of a minute is 240, and each of these questions counts 29. Of a round that
      // took two seconds of a busy machine only the first second's questions are free again.
      expect(left.length - answer.left.length).to.be.within(1, 8);
      left = answer.left;
      rounds += 1;
      if (left.length > 0) await pass(Math.min(...answer.waits));
    }
    expect(rounds).to.be.at.least(25);
    expect(answered).to.have.length(series.length);
    expect(await ask('bob', series)).to.deep.equal({ left: [], waits: [] });
    expect(answered).to.have.length(series.length);
  });

  /** So many seconds pass: for the candles, for the venue, and for what the deployment has asked it. */
  const pass = async (seconds: number): Promise<void> => {
    passedMs += seconds * 1000;
    for (const key of [marketKeys.usersWeight, marketKeys.marketWeight, marketKeys.userWeight('ann')]) {
      const weights = Object.entries(await redis.hgetall(key));
      if (weights.length === 0) continue;
      await redis.del(key);
      await redis.hset(key, ...weights.flatMap(([second, weight]) => [Number(second) - seconds, weight]));
    }
  };

  it('MongoDB away: the venue is asked', async () => {
    const away = connectMongo({ url: 'mongodb://127.0.0.1:1', database: 'x', timeoutMs: 300 });
    try {
      const store = storeOf(away);
      for (let n = 0; n < 2; n++) expect(await readCandles(fives('BTC'), node('ann', { store }))).to.have.length(501);
    } finally {
      await away.close();
    }
  });

  it('Redis full: what is kept is answered, and what is not is asked', async () => {
    const minutes = await fed();
    await readCandles(fives('BTC'), node('ann', { minutes }));
    await redis.config('SET', 'maxmemory', '1');
    try {
      expect(await readCandles(fives('BTC'), node('bob', { minutes }))).to.have.length(501);
      expect(await readCandles(fives('ETH'), node('bob', { minutes }))).to.have.length(501);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  });

  it('a chunk of a newer build is asked for, and written again', async () => {
    const minutes = await fed();
    await readCandles(fives('BTC'), node('ann', { minutes }));
    const documents = mongo.db.collection(collections.candles);
    const ofFives = { _id: /BTC\/5m/ } as object;
    expect(await documents.distinct('v', ofFives)).to.deep.equal([1]);
    await documents.updateMany(ofFives, { $set: { v: 2, text: 'of another form' } });
    asked.length = 0;
    expect(await readCandles(fives('BTC'), node('bob', { minutes }))).to.have.length(501);
    expect(asked).not.to.have.length(0);
    await until(async () => (await documents.distinct('v', ofFives)).join() === '1');
  });

  it('at most so many bytes: the longest unused go first', async () => {
    const store = storeOf(mongo, 100_000);
    for (const coin of COINS.slice(0, 4)) await readCandles(fives(coin), node('ann', { store }));
    await store.removeBeyond();
    const left = await mongo.db.collection<{ _id: string; bytes: number }>(collections.candles).find().toArray();
    expect(left.reduce((sum, { bytes }) => sum + bytes, 0)).to.be.within(1, 100_000);
    expect(left.every(({ _id }) => !_id.includes('/BTC/'))).to.equal(true);
    await until(async () => (await readCandles(fives('BTC'), node('ann', { store }))).length === 501);
  });
});
