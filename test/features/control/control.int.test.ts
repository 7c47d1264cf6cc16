// The way of a control call on real parts: API, emulated venue, leader, Redis, and the view of the API node.
import { expect } from 'chai';
import { pino } from 'pino';
import { controlEndpoint } from '../../../src/features/control/endpoints.ts';
import { type MarketChange, readMessage, readTrades, type TradesChange } from '../../../src/market/domain/feed.ts';
import { type MarketRole, startMarket } from '../../../src/market/role.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { FeedFollower } from '../../../src/shared/redis/feedFollower.ts';
import type { Redis } from '../../../src/shared/redis/redis.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { newestFormats } from '../../support/formats.ts';
import { startEmulator, type TestMarket } from '../../support/market.ts';
import { openRedis, type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const log = pino({ level: 'silent' });
const INFO = '/v1/exchanges/perpx/info';

describe('POST /control: a test moves the emulated market', () => {
  let stores: { redis: Store; mongo: Store };
  let connections: Redis[];
  let venue: TestMarket;
  let leader: MarketRole;
  let follower: FeedFollower<MarketChange, TradesChange>;
  let node: ApiNode;
  let key: Record<string, string>;

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
    venue = await startEmulator();
    connections = [0, 1, 2].map(() => openRedis(stores.redis.url, { maxRetriesPerRequest: null }));
    const [ofLeader, redis, subscriber] = connections as [Redis, Redis, Redis];
    const source = { MARKET_SOURCE: 'emulated', MARKET_URL: venue.url };
    leader = await startMarket({ config: readConfig(source), log, redis: ofLeader, formats: newestFormats, now: Date.now });
    node = await ApiNode.start(stores, { env: { ...source, CONTROL: 'on', PLAN_BASIC_REQUESTS_PER_MINUTE: '1000000' } });
    const { market } = node.exchange;
    follower = new FeedFollower({
      ...{ log, redis, subscriber, forms: { readMessage, readTrades } },
      handlers: {
        onLoad: ({ fields, tick }) => market.load(fields, tick),
        onMessage: ({ changes }) => {
          for (const change of changes) market.apply(change);
        },
      },
    });
    await follower.start();
    await follower.loaded();
    await until(() => market.bookText('BTC') !== undefined && market.bookText('ETH') !== undefined);
    key = { 'x-api-key': (await node.createKey(await node.register())).apiKey };
  });
  after(async () => {
    await node.stop();
    await follower.stop();
    await leader.stop();
    for (const connection of connections) connection.disconnect();
    await Promise.all([venue.stop(), stores.redis.stop(), stores.mongo.stop()]);
  });

  const control = (body: unknown): Promise<Answer> => node.post('/control', body, key);
  const done = async (body: object): Promise<boolean> => {
    const { status, body: answer, text } = await control(body);
    expect(status, text).to.equal(200);
    return answer.shown;
  };
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  const info = async (body: object): Promise<any> => (await node.post(INFO, body, key)).body;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const contextOf = async (coin: string): Promise<any> => {
    const [{ universe }, contexts] = await info({ type: 'metaAndAssetCtxs' });
    return contexts[universe.findIndex(({ name }: { name: string }) => name === coin)];
  };
  const levels = async (coin: string): Promise<[px: string, sz: string][][]> => {
    const { levels: sides } = await info({ type: 'l2Book', coin });
    return sides.map((side: { px: string; sz: string }[]) => side.map(({ px, sz }) => [px, sz]));
  };
  const book = (bid: string, ask: string, coin = 'BTC'): object => ({
    ...{ action: 'setBook', coin },
    ...{ bids: [{ px: bid, sz: '1' }], asks: [{ px: ask, sz: '2' }] },
  });

  it('whoever asks right after sees the book, each time', async () => {
    for (let at = 0; at < 20; at++) {
      expect(await done(book(`${60_000 + at}`, `${60_001 + at}`))).to.equal(true);
      expect(await levels('BTC')).to.deep.equal([[[`${60_000 + at}.0`, '1.0']], [[`${60_001 + at}.0`, '2.0']]]);
    }
  });

  it('a book may have an empty side', async () => {
    expect(await done({ action: 'setBook', coin: 'BTC', bids: [], asks: [{ px: '61000', sz: '1' }] })).to.equal(true);
    expect(await levels('BTC')).to.deep.equal([[], [['61000.0', '1.0']]]);
  });

  it('a trade is shown and takes from the book, unless the book is kept', async () => {
    await done(book('60000', '60001'));
    expect(await done({ action: 'trade', coin: 'BTC', px: '60001', sz: '0.5', side: 'B' })).to.equal(true);
    expect((await levels('BTC'))[1]).to.deep.equal([['60001.0', '1.5']]);
    const [newest] = await info({ type: 'recentTrades', coin: 'BTC' });
    expect(newest).to.include({ px: '60001.0', sz: '0.5', side: 'B' });
    expect(await done({ action: 'trade', coin: 'BTC', px: '60000', sz: '0.25', side: 'A', keepBook: true })).to.equal(true);
    expect((await info({ type: 'recentTrades', coin: 'BTC' }))[0]).to.include({ px: '60000.0', sz: '0.25', side: 'A' });
  });

  it('a price is mark, oracle and mid; a rate is the funding', async () => {
    expect(await done({ action: 'setPrice', coin: 'ETH', px: '2345.6' })).to.equal(true);
    expect(await contextOf('ETH')).to.include({ markPx: '2345.6', oraclePx: '2345.6' });
    const [bids, asks] = await levels('ETH');
    expect([bids?.[0]?.[0], asks?.[0]?.[0]]).to.deep.equal(['2345.5', '2345.7']);
    for (const [rate, shown] of [
      ['-0.0125', '-0.0125'],
      ['0.04', '0.04'],
      ['-0', '0.0'],
    ]) {
      expect(await done({ action: 'setFunding', coin: 'ETH', rate }), rate).to.equal(true);
      expect((await contextOf('ETH')).funding).to.equal(shown);
    }
  });

  it('a paused coin shows what was set when it is resumed', async () => {
    const before = await levels('BTC');
    expect(await done({ action: 'pause', coin: 'BTC' })).to.equal(true);
    expect(await done(book('50000', '50001'))).to.equal(false);
    expect(await levels('BTC')).to.deep.equal(before);
    expect(await done({ action: 'resume', coin: 'BTC' })).to.equal(true);
    expect(await levels('BTC')).to.deep.equal([[['50000.0', '1.0']], [['50001.0', '2.0']]]);
  });

  it('all coins are paused and resumed without a name', async () => {
    expect(await done({ action: 'pause' })).to.equal(true);
    expect(await done(book('2000', '2001', 'ETH'))).to.equal(false);
    expect(await done({ action: 'resume' })).to.equal(true);
    expect((await levels('ETH'))[0]).to.deep.equal([['2000.0', '1.0']]);
  });

  it('many at once are done one after another, each seen', async () => {
    const answers = await Promise.all(
      [...Array(20).keys()].map((at) => control({ action: 'setPrice', coin: 'ETH', px: `${2000 + at}` })),
    );
    expect(answers.map(({ body }) => body.shown)).to.deep.equal(Array(20).fill(true));
  });

  it('every example of the contract is taken', async () => {
    for (const [name, example] of Object.entries(controlEndpoint.body.examples)) {
      if (name !== 'delist') expect((await control(example)).status, name).to.equal(200);
    }
  });

  it('a disconnected feed is told, and comes back', async () => {
    await until(() => typeof node.exchange.market.status?.connectedSinceMs === 'number');
    expect(await done({ action: 'disconnect' })).to.equal(true);
    await until(() => typeof node.exchange.market.status?.connectedSinceMs === 'number');
  });

  it('a delisted coin is off the list, has a settlement price, and is moved no more', async () => {
    expect(await done({ action: 'delist', coin: 'DOGE' })).to.equal(true);
    const { universe } = await info({ type: 'meta' });
    expect(universe.find(({ name }: { name: string }) => name === 'DOGE').isDelisted).to.equal(true);
    const { market } = node.exchange;
    await until(() => market.settlementPrice(node.exchange.assetId('DOGE')) !== undefined);
    const { status, body } = await control(book('1', '2', 'DOGE'));
    expect([status, body.code]).to.deep.equal([409, 'coin_delisted']);
  });

  describe('what makes no sense is refused by name, and changes nothing', () => {
    const level = { px: '100', sz: '1' };
    const setBook = (fields: object): object => ({ action: 'setBook', coin: 'BTC', bids: [], asks: [], ...fields });
    const trade = (fields: object): object => ({ action: 'trade', coin: 'BTC', px: '100', sz: '1', side: 'B', ...fields });
    const cases: [name: string, body: unknown, says: RegExp][] = [
      ['no action', {}, /action is missing/],
      ['an unknown action', { action: 'setBok', coin: 'BTC' }, /action must be one of setBook, trade/],
      ['an action that is a name of every object', { action: 'constructor' }, /action must be one of/],
      ['an action that is no text', { action: ['setBook'] }, /action must be one of/],
      ['a list', [], /must be an object/],
      ['another field', setBook({ bid: [] }), /fields of this action alone/],
      ['no side', { action: 'setBook', coin: 'BTC', bids: [] }, /asks is missing/],
      ['an unknown coin', setBook({ coin: 'btc' }), /There is no coin "btc"/],
      ['a coin that is no text', setBook({ coin: 1 }), /coin must be a coin name/],
      ['a coin of odd letters', setBook({ coin: '💩\u0000' }), /There is no coin/],
      ['a coin with a very long name', setBook({ coin: 'ﷺ'.repeat(3000) }), /coin must be a coin name/],
      ['a crossed book', setBook({ bids: [{ px: '101', sz: '1' }], asks: [level] }), /bids\[0\]\.px must be below asks\[0\]\.px/],
      ['a locked book', setBook({ bids: [level], asks: [level] }), /must be below/],
      ['bids that rise', setBook({ bids: [level, { px: '101', sz: '1' }] }), /bids\[1\]\.px must be below the level before it/],
      ['asks that fall', setBook({ asks: [level, { px: '99', sz: '1' }] }), /asks\[1\]\.px must be above the level before it/],
      ['a level twice', setBook({ asks: [level, level] }), /asks\[1\]\.px/],
      [
        'too many levels',
        setBook({ asks: Array.from({ length: 21 }, (_, at) => ({ px: `${100 + at}`, sz: '1' })) }),
        /at most 20 levels/,
      ],
      ['a level of another form', setBook({ asks: [['100', '1']] }), /asks\[0\] must be an object/],
      ['a price that is a number', setBook({ asks: [{ px: 100, sz: '1' }] }), /asks\[0\]\.px must be a decimal string/],
      ['NaN', setBook({ asks: [{ px: 'NaN', sz: '1' }] }), /asks\[0\]\.px must be a decimal string/],
      ['digits of another script', trade({ px: '١٠٠' }), /px must be a decimal string/],
      ['a negative size', trade({ sz: '-1' }), /sz must be a decimal string/],
      ['a size of 0', trade({ sz: '0' }), /sz must be above 0/],
      ['a price of 0', trade({ px: '0.0' }), /px must be above 0/],
      ['a huge price', trade({ px: '9'.repeat(20) }), /px must be above 0 and at most 1000000000000/],
      ['six figures', trade({ px: '10000.1' }), /5 significant figures/],
      ['too many decimals of a price', trade({ px: '1.55' }), /1 decimals/],
      ['parts of a lot', trade({ sz: '0.000001' }), /sz must have at most 5 decimals/],
      ['a side of another kind', trade({ side: 'buy' }), /side must be B \(a buyer\) or A/],
      ['a rate beyond the venue’s', { action: 'setFunding', coin: 'BTC', rate: '0.0401' }, /rate must be from -0.04 to 0.04/],
      ['a rate with an exponent', { action: 'setFunding', coin: 'BTC', rate: '1e-4' }, /rate must be a decimal string/],
      ['a pause of an unknown coin', { action: 'pause', coin: 'NOPE' }, /There is no coin "NOPE"/],
      ['a negative time', { action: 'disconnect', ms: -1 }, /ms must be a whole number of milliseconds/],
      ['a long time', { action: 'disconnect', ms: 600_001 }, /up to 600000/],
      ['parts of a millisecond', { action: 'disconnect', ms: 0.5 }, /ms must be a whole number/],
      ['a delisting of an unknown coin', { action: 'delist', coin: '__proto__' }, /There is no coin/],
    ];
    /** The venue's own frames, without the times of repeated frames. */
    const venueSays = async (): Promise<unknown> => {
      const ask = async (body: object): Promise<unknown> =>
        (await fetch(`${venue.url}/info`, { method: 'POST', body: JSON.stringify(body) })).json();
      const { levels: sides } = (await ask({ type: 'l2Book', coin: 'BTC' })) as { levels: unknown };
      return [sides, await ask({ type: 'metaAndAssetCtxs' }), await ask({ type: 'recentTrades', coin: 'BTC' })];
    };
    let before: unknown;
    beforeEach(async () => {
      before = await venueSays();
    });
    for (const [name, body, says] of cases) {
      it(name, async () => {
        const { status, body: answer } = await control(body);
        expect(status, answer.detail).to.equal(400);
        expect(answer.detail).to.match(says);
        expect(await venueSays()).to.deep.equal(before);
      });
    }
    it('a body that is too large', async () => {
      const { status, body } = await control({ ...setBook({}), coin: 'x'.repeat(1_100_000) });
      expect([status, body.code]).to.deep.equal([413, 'body_too_large']);
      expect(await venueSays()).to.deep.equal(before);
    });
    it('a caller without a key', async () => {
      const { status, body } = await node.post('/control', book('1', '2'));
      expect([status, body.code]).to.deep.equal([401, 'invalid_credential']);
      expect(await venueSays()).to.deep.equal(before);
    });
  });

  it('is no part of a deployment that has not switched it on, nor of its contract', async () => {
    const other = await ApiNode.start(stores);
    try {
      const headers = { ...key, 'content-type': 'application/json' };
      const answer = await fetch(`${other.baseUrl}/control`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ action: 'pause' }),
      });
      expect(answer.status).to.equal(404);
      const published = async (one: ApiNode): Promise<boolean> =>
        '/control' in (await one.request('GET', '/v1/openapi.json')).body.paths;
      expect([await published(other), await published(node)]).to.deep.equal([false, true]);
    } finally {
      await other.stop();
    }
  });

  it('says so while the venue is away', async () => {
    await venue.stop();
    const { status, body } = await control({ action: 'pause' });
    expect([status, body.code]).to.deep.equal([503, 'upstream_unavailable']);
    venue = await startEmulator();
  });
});
