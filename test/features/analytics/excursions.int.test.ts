// Excursions of round trips with a real MongoDB, over an account in memory whose venue answers what a test says.
import { expect } from 'chai';
import { bucketId, NO_ROWS } from '../../../src/actors/core/messages/historyRows.ts';
import { removeDroppedHistory } from '../../../src/actors/engine/journal/historyStore.ts';
import { ExcursionStore } from '../../../src/api/accounts/excursionStore.ts';
import { readTearsheet } from '../../../src/features/analytics/figures.ts';
import { readRoundTrips } from '../../../src/features/analytics/roundTrips.ts';
import { RetryableError } from '../../../src/shared/errors.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { VenueBusy } from '../../../src/shared/venue/upstream.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { newestFormats } from '../../support/formats.ts';
import { type Store, startMongo } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const COIN = 'SOL';
const MINUTE = 60_000;
const BEGIN = Date.parse('2026-11-27T12:00:30Z');

describe('excursions of round trips', () => {
  let store: Store;
  let mongo: MongoConnection;
  let exchange: ExchangeInMemory;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'excursions', timeoutMs: 5000 });
  });
  beforeEach(async () => {
    await mongo.db.collection(collections.excursions).deleteMany({});
    exchange = new ExchangeInMemory();
    exchange.nowMs = BEGIN;
  });
  after(async () => {
    await mongo.close();
    await store.stop();
  });

  const trade = (isBuy: boolean, size: string, price: string): Promise<unknown> => {
    exchange.setMarket(COIN, { mark: price, bids: [[price, '500']], asks: [[String(Number(price) + 0.01), '500']] });
    const px = isBuy ? String(Number(price) + 0.01) : price;
    const order = { a: exchange.assetId(COIN), b: isBuy, p: px, s: size, r: false, t: { limit: { tif: 'Ioc' } } };
    return exchange.exchange({ type: 'order', orders: [order], grouping: 'na' });
  };
  /** Long 2 from 100 at 12:00:30, sold at 103 at 12:03:10. */
  const roundTrip = async (heldMs = 160_000): Promise<void> => {
    await trade(true, '2', '99.99');
    exchange.nowMs += heldMs;
    await trade(false, '2', '103');
  };
  /** `[low, high]` of each minute from 12:00 on. */
  const candles = (...prices: [string, string][]): void => {
    const rows = prices.map(([l, h], i) => {
      const t = BEGIN - 30_000 + i * MINUTE;
      return { t, T: t + MINUTE - 1, s: COIN, i: '1m', o: l, c: h, h, l, v: '1', n: 1 };
    });
    exchange.upstreamAnswers.set('candleSnapshot', rows);
  };
  const kept = () => new ExcursionStore({ mongo, formats: newestFormats });
  const list = (limit = 100) =>
    readRoundTrips({ ...exchange.services, excursions: kept() }, exchange.call, {
      ...{ limit, cursor: undefined, coin: undefined, startMs: 0, endMs: undefined },
    });
  const WANTED = { mfe: '12.0', mae: '-6.0', mfe_share: '0.06', mae_share: '-0.03', resolution: '1m', excursion_missing: null };
  const NONE = { mfe: null, mae: null, mfe_share: null, mae_share: null, resolution: null };

  it('are worked out once, from the whole minutes of the trip, and kept for all who ask', async () => {
    candles(['50', '500'], ['97', '101'], ['99', '106'], ['50', '500']);
    await roundTrip();
    exchange.nowMs += 2 * MINUTE;
    const first = await list();
    expect(first.items[0]).to.include(WANTED);
    expect(first.excursions_again).to.equal(null);
    expect(exchange.upstreamRequests).to.deep.equal([
      {
        type: 'candleSnapshot',
        req: { coin: COIN, interval: '1m', startTime: BEGIN + 30_000, endTime: BEGIN + 90_000 },
      },
    ]);
    exchange.upstreamAnswers.set('candleSnapshot', new RetryableError('away'));
    expect((await list()).items).to.deep.equal(first.items);
    expect(exchange.upstreamRequests).to.have.length(1);
    const { accountId } = exchange.call.caller;
    const { tid } = first.items[0] as { tid: number };
    const text = `{"tid":${tid},"closedMs":${BEGIN + 160_000},"mfeUsd":"12","maeUsd":"-6","resolution":"1m","v":1}`;
    const documents = await mongo.db.collection<{ _id: string }>(collections.excursions).find().toArray();
    expect(documents).to.deep.equal([{ _id: bucketId(accountId, 'roundTrips', 0), v: 1, trips: { 0: text } }]);

    const { excursions } = await readTearsheet({ ...exchange.services, excursions: kept() }, exchange.call, 'all');
    expect(excursions).to.deep.equal({
      ...{ trades: 1, average_mfe: '12.0', average_mae: '-6.0', average_mfe_share: '0.06', average_mae_share: '-0.03' },
      ...{ largest_mfe: '12.0', largest_mae: '-6.0' },
    });
  });

  it('a later trip under the number of one that was lost has its own', async () => {
    candles(['50', '500'], ['97', '101'], ['99', '106'], ['50', '500']);
    await roundTrip();
    exchange.nowMs += 2 * MINUTE;
    await list();
    const row = exchange.rows.find(({ kind }) => kind === 'roundTrips');
    if (row?.kind !== 'roundTrips') throw new Error('no trip');
    const { accountId } = exchange.call.caller;
    expect((await kept().read(accountId, [row])).size).to.equal(1);
    const other = { number: row.number, row: { ...row.row, timeMs: row.row.timeMs + 1 } };
    expect((await kept().read(accountId, [other])).size).to.equal(0);
  });

  it('a venue that may not be asked refuses nothing: the answer says when to ask again', async () => {
    await roundTrip();
    exchange.nowMs += 2 * MINUTE;
    exchange.upstreamAnswers.set('candleSnapshot', new VenueBusy('used up', { isOwn: true, retryMs: 30_000 }));
    const refused = await list();
    expect(refused.items[0]).to.include({ ...NONE, pnl: '6.0', excursion_missing: 'later' });
    expect(refused.excursions_again).to.equal(new Date(exchange.nowMs + 30_000).toISOString());
    exchange.upstreamAnswers.set('candleSnapshot', new RetryableError('away'));
    expect((await list()).items[0]).to.include({ ...NONE, excursion_missing: 'later' });
    candles(['50', '500'], ['97', '101'], ['99', '106'], ['50', '500']);
    expect((await list()).items[0]).to.include(WANTED);
  });

  it('a candle that may still change is waited for, and a trip without a whole one is not', async () => {
    await roundTrip();
    const early = await list();
    // The last whole minute ended at 12:03.
    expect(early.items[0]).to.include({ ...NONE, excursion_missing: 'later' });
    expect(early.excursions_again).to.equal('2026-11-27T12:04:00.000Z');
    exchange.nowMs += MINUTE;
    candles();
    await roundTrip(5_000);
    const { items } = await list();
    expect(items[0]).to.include({ mfe: '6.0', mae: '0.0', resolution: 'fills', excursion_missing: null });
    expect(exchange.upstreamRequests).to.have.length(1);
  });

  it('without a candle of its time it has none, which is kept when a day has gone', async () => {
    candles();
    await roundTrip();
    exchange.nowMs += 2 * MINUTE;
    for (const asked of [1, 2]) {
      expect(await list()).to.deep.include({ excursions_again: null });
      expect((await list()).items[0]).to.include({ ...NONE, excursion_missing: 'no_candles' });
      expect(exchange.upstreamRequests).to.have.length(2 * asked);
    }
    exchange.nowMs += 86_400_000;
    for (let i = 0; i < 2; i++) expect((await list()).items[0]).to.include({ ...NONE, excursion_missing: 'no_candles' });
    expect(exchange.upstreamRequests).to.have.length(5);
  });

  it('an answer waits three seconds at most; what comes later is kept', async () => {
    candles(['50', '500'], ['97', '101'], ['99', '106'], ['50', '500']);
    await roundTrip();
    exchange.nowMs += 2 * MINUTE;
    let release = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { services } = exchange;
    const info = async (body: object, options: { ttlMs: number }): Promise<unknown> => {
      await asked;
      return await services.upstream.info(body, options);
    };
    const query = { limit: 1, cursor: undefined, coin: undefined, startMs: 0, endMs: undefined };
    const slow = { ...services, excursions: kept(), upstream: { info } };
    const { items, excursions_again: again } = await readRoundTrips(slow, exchange.call, query);
    expect(items[0]).to.include({ ...NONE, excursion_missing: 'later' });
    expect(again).to.equal(new Date(exchange.nowMs + 5000).toISOString());
    release();
    const documents = mongo.db.collection(collections.excursions);
    await until(async () => (await documents.countDocuments()) === 1);
    exchange.upstreamAnswers.set('candleSnapshot', new RetryableError('away'));
    expect((await list()).items[0]).to.include(WANTED);
  });

  it('rows of candles without prices say nothing', async () => {
    candles(['97', '101'], ['97', ''], ['x', '106']);
    await roundTrip();
    exchange.nowMs += 2 * MINUTE;
    expect((await list()).items[0]).to.include({ ...NONE, excursion_missing: 'no_candles' });
  });

  it('a trip that is not whole has none', async () => {
    await roundTrip();
    const row = exchange.rows.find(({ kind }) => kind === 'roundTrips');
    if (row?.kind === 'roundTrips') Object.assign(row.row, { openedSeq: 0 });
    expect(await list()).to.deep.include({ excursions_again: null });
    expect((await list()).items[0]).to.include({ ...NONE, whole: false, excursion_missing: 'not_whole' });
  });

  it('a request reads 10,000 candles at most, and the next one goes on', async () => {
    candles();
    // 24 trips of 2.5 days each, one after the other: in minutes, in 5 and 15 minutes and in hours.
    for (let i = 0; i < 24; i++) await roundTrip(216_000_000);
    exchange.nowMs += 2 * MINUTE;
    const asked = (): number => {
      const requests = exchange.upstreamRequests.splice(0) as { req: { interval: string; startTime: number; endTime: number } }[];
      return requests.reduce((sum, { req }) => {
        const lengthMs = { '1m': MINUTE, '5m': 5 * MINUTE, '15m': 15 * MINUTE, '1h': 60 * MINUTE }[req.interval] ?? Number.NaN;
        return sum + (req.endTime - req.startTime) / lengthMs + 1;
      }, 0);
    };
    const first = await list();
    expect(asked()).to.be.within(9000, 10_000);
    const laterOf = ({ items }: typeof first): number => items.filter(({ excursion_missing: why }) => why === 'later').length;
    expect([first.items.length, laterOf(first) > 0, first.excursions_again !== null]).to.deep.equal([24, true, true]);
    const second = await list();
    expect([laterOf(second), second.excursions_again]).to.deep.equal([0, null]);
    expect(asked()).to.be.within(1, 5000);
  });

  it('a trip of more fills than one request reads says so', async () => {
    candles(['97', '101']);
    await roundTrip(5000);
    const trip = exchange.rows.find(({ kind }) => kind === 'roundTrips');
    const at = exchange.rows.findLastIndex(({ kind }) => kind === 'fills');
    const last = exchange.rows[at];
    if (trip?.kind !== 'roundTrips' || last?.kind !== 'fills') throw new Error('no trip');
    // 9,000 fills of another coin between its two.
    const others = Array.from({ length: 9000 }, (_, i) => ({
      ...{ kind: 'fills' as const, number: i + 1, row: { ...last.row, coin: 'BTC', tid: last.row.tid - 1 } },
    }));
    exchange.rows.splice(at, 1, ...others, { ...last, number: 9001 });
    expect((await list()).items[0]).to.include({ ...NONE, excursion_missing: 'too_many_fills' });
    const found = await kept().read(exchange.call.caller.accountId, [trip]);
    expect([...found.values()]).to.deep.equal([{ missing: 'too_many_fills' }]);
  });

  it('go with the rows of a history that was dropped', async () => {
    await roundTrip(5000);
    await list();
    const { accountId } = exchange.call.caller;
    const documents = mongo.db.collection(collections.excursions);
    await removeDroppedHistory(mongo, accountId, { firstRows: NO_ROWS, seq: 1 } as never);
    expect(await documents.countDocuments()).to.equal(1);
    await removeDroppedHistory(mongo, accountId, { firstRows: { ...NO_ROWS, roundTrips: 256 }, seq: 1 } as never);
    expect(await documents.countDocuments()).to.equal(0);
  });
});
