import { expect } from 'chai';
import type { FeedLevel, MarketChange, MarketTrade, VenueCandle } from '../../../src/market/domain/feed.ts';
import { RetryableError } from '../../../src/shared/errors.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const MINUTE_MS = 60_000;

describe('channels: what each says at first and when the market moves', () => {
  const stores = useStores();
  let node: ApiNode;
  let apiKey: string;
  let client: StreamClient;

  before(async () => {
    node = await ApiNode.start(stores, { env: { PLAN_BASIC_REQUESTS_PER_MINUTE: '100000' } });
    ({ apiKey } = await node.createKey(await node.register()));
  });
  beforeEach(async () => {
    client = await StreamClient.connect(node.baseUrl, { apiKey });
  });
  afterEach(() => client.stop());
  after(() => node.stop());

  /** One message of the leader. */
  const happen = (...changes: MarketChange[]): void => {
    for (const change of changes) node.exchange.market.apply(change);
    node.stream.onChanges(changes);
  };
  let bookMs = 1_795_000_000_000;
  const book = (coin: string, bids: FeedLevel[], asks: FeedLevel[]): MarketChange => ({
    ...{ type: 'book', coin, timeMs: ++bookMs },
    ...{ bids, asks },
  });
  const info = async (body: object) => (await node.post('/v1/exchanges/perpx/info', body, { 'x-api-key': apiKey })).body;
  /** Subscribes and waits for the echo. */
  const subscribed = async (subscription: object) => {
    client.subscribe(subscription);
    const { channel, data } = await client.next();
    expect(channel).to.equal('subscriptionResponse');
    expect(data.subscription).to.deep.include(subscription);
    return data.subscription;
  };

  it('allMids: all mids, again when one has changed', async () => {
    await subscribed({ type: 'allMids' });
    expect((await client.next()).data).to.deep.equal({ mids: await info({ type: 'allMids' }) });
    happen({ type: 'mids', timeMs: 1, mids: { BTC: '43.5' } });
    expect((await client.next()).data.mids).to.include({ BTC: '43.5' });
  });

  it('l2Book: whole books as info tells them, in each of the views asked for', async () => {
    const bids: FeedLevel[] = Array.from({ length: 20 }, (_, i) => [`${99_999 - i}`, '1', 1]);
    const asks: FeedLevel[] = Array.from({ length: 20 }, (_, i) => [`${100_001 + i}`, '2', 1]);
    happen(book('BTC', bids, asks));
    for (const view of [{}, { nSigFigs: 4 }, { nSigFigs: 5, mantissa: 5 }, { nSigFigs: null, mantissa: null }]) {
      const echo = await subscribed({ type: 'l2Book', coin: 'BTC', ...view });
      expect(echo).to.deep.equal({ type: 'l2Book', coin: 'BTC', nSigFigs: null, mantissa: null, fast: false, ...view });
      expect((await client.next()).data).to.deep.equal(await info({ type: 'l2Book', coin: 'BTC', ...view }));
      client.unsubscribe({ type: 'l2Book', coin: 'BTC', ...view });
      expect((await client.next()).channel).to.equal('subscriptionResponse');
    }
    await subscribed({ type: 'l2Book', coin: 'BTC', fast: true });
    const { data } = await client.next();
    expect([data.fast, data.levels[0].length, data.levels[1].length]).to.deep.equal([true, 5, 5]);
    await subscribed({ type: 'l2Book', coin: 'BTC', nLevels: 2 });
    expect((await client.next()).data.levels[1]).to.have.length(2);
    happen(book('BTC', [['5', '1', 1]], [['6', '1', 1]]), book('ETH', [['1', '1', 1]], [['2', '1', 1]]));
    const both = [await client.next(), await client.next()];
    expect(both.map((message) => message.data.levels)).to.deep.equal([
      [[{ px: '5.0', sz: '1.0', n: 1 }], [{ px: '6.0', sz: '1.0', n: 1 }]],
      [[{ px: '5.0', sz: '1.0', n: 1 }], [{ px: '6.0', sz: '1.0', n: 1 }]],
    ]);
  });

  it('bbo: the best levels, and nothing when they stay', async () => {
    happen(book('ETH', [['100', '1', 1]], [['101', '1', 1]]));
    await subscribed({ type: 'bbo', coin: 'ETH' });
    const level = (px: string) => ({ px, sz: '1.0', n: 1 });
    expect((await client.next()).data).to.deep.include({ coin: 'ETH', bbo: [level('100.0'), level('101.0')] });
    happen(
      book(
        'ETH',
        [
          ['100', '1', 1],
          ['99', '5', 1],
        ],
        [['101', '1', 1]],
      ),
    );
    happen(book('ETH', [['100', '1', 1]], []));
    expect((await client.next()).data.bbo).to.deep.equal([level('100.0'), null]);
    happen({ type: 'bbo', coin: 'ETH', timeMs: ++bookMs, bid: ['100.5', '1', 1], ask: ['102', '1', 1] });
    expect((await client.next()).data).to.deep.equal({ coin: 'ETH', time: bookMs, bbo: [level('100.5'), level('102.0')] });
  });

  it('trades: the latest, then each as it happens, oldest first', async () => {
    let tid = 0;
    const trade = (price: string): MarketTrade => ({ side: 'buy', price, size: '1', timeMs: ++bookMs, tid: ++tid });
    const tick = (...trades: MarketTrade[]): MarketChange => ({ type: 'trades', coin: 'SOL', tick: `${++tid}-0`, trades });
    client.subscribe({ type: 'trades', coin: 'SOL' });
    await client.next('subscriptionResponse');
    // Nothing was traded yet, so nothing is said.
    happen(tick(trade('1'), trade('2')));
    expect((await client.next()).data.map(({ px }: { px: string }) => px)).to.deep.equal(['1.0', '2.0']);
    happen(tick(trade('3')));
    const { data } = await client.next();
    expect(data).to.have.length(1);
    expect(data[0]).to.deep.equal((await info({ type: 'recentTrades', coin: 'SOL' }))[0]);
    client.unsubscribe({ type: 'trades', coin: 'SOL' });
    client.subscribe({ type: 'trades', coin: 'SOL' });
    expect((await client.next('trades')).data.map(({ px }: { px: string }) => px)).to.deep.equal(['1.0', '2.0', '3.0']);
  });

  it('trades: those that this node has missed come when it has loaded the market anew', async () => {
    await subscribed({ type: 'trades', coin: 'AVAX' });
    const missed: MarketTrade = { side: 'sell', price: '7', size: '1', timeMs: ++bookMs, tid: 77 };
    node.stream.onLoad([{ type: 'trades', coin: 'AVAX', tick: '99-0', trades: [missed] }]);
    expect((await client.next()).data[0]).to.include({ px: '7.0', side: 'A', tid: 77 });
  });

  it('candle: the one in progress, and how each one ended', async () => {
    const startMs = Math.floor(node.exchange.nowMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
    node.exchange.nowMs = startMs + 2 * MINUTE_MS + 5000;
    const minute = (n: number, fields: Partial<VenueCandle>): VenueCandle => {
      const t = startMs + n * MINUTE_MS;
      return { t, T: t + MINUTE_MS - 1, s: 'BTC', i: '1m', o: '10.0', c: '11.0', h: '12.0', l: '9.0', v: '1.5', n: 3, ...fields };
    };
    const five = (n: number, fields: Partial<VenueCandle>): VenueCandle => {
      const { t } = minute(n, {});
      return { ...minute(n, fields), T: t + 5 * MINUTE_MS - 1, i: '5m' };
    };
    node.exchange.upstreamAnswers.set('candleSnapshot', [five(0, { h: '15.0', c: '10.5', v: '5.0', n: 7 })]);
    const push = (candle: VenueCandle): void => happen({ type: 'candle', coin: 'BTC', timeMs: node.exchange.nowMs, candle });
    push(minute(2, { n: 1, c: '10.5' }));
    await subscribed({ type: 'candle', coin: 'BTC', interval: '5m' });
    const first = { t: startMs, T: startMs + 5 * MINUTE_MS - 1, s: 'BTC', i: '5m', o: '10.0', h: '15.0', l: '9.0' };
    expect((await client.next()).data).to.deep.equal({ ...first, c: '10.5', v: '5.0', n: 7 });
    push(minute(2, { n: 2, c: '8.0', l: '8.0' }));
    expect((await client.next()).data).to.deep.equal({ ...first, l: '8.0', c: '8.0', v: '5.0', n: 8 });
    push(minute(5, { n: 1 }));
    expect((await client.next()).data).to.include({ t: startMs + 5 * MINUTE_MS, n: 1, o: '10.0' });

    // After a gap of the feed the past is read again.
    node.exchange.upstreamAnswers.set('candleSnapshot', [five(5, { n: 5, v: '5.0' })]);
    node.exchange.nowMs = startMs + 6 * MINUTE_MS + 5000;
    push(minute(6, { n: 1, v: '1.0' }));
    await client.next('candle');
    node.stream.onLoad([]);
    expect((await client.next('candle')).data).to.include({ t: startMs + 5 * MINUTE_MS, n: 5, v: '5.0' });

    // While the venue does not answer it is not asked with each minute of the feed.
    node.exchange.upstreamAnswers.set('candleSnapshot', new RetryableError('away'));
    const asked = node.exchange.upstreamRequests.length;
    node.exchange.market.apply({ type: 'status', source: 'replay', connectedSinceMs: node.exchange.nowMs });
    for (let n = 2; n < 50; n++) {
      push(minute(6, { n, v: '1.0' }));
      await new Promise(setImmediate);
    }
    expect(node.exchange.upstreamRequests.length - asked).to.be.within(1, 2);
    node.exchange.upstreamAnswers.set('candleSnapshot', []);
  });

  it('candle: subscribed, left and subscribed again in one breath is subscribed once', async () => {
    const subscription = { type: 'candle', coin: 'BTC', interval: '15m' };
    client.subscribe(subscription);
    client.unsubscribe(subscription);
    client.subscribe(subscription);
    client.subscribe(subscription);
    client.unsubscribe({ type: 'allMids' });
    // Another subscription does not wait for the candle's past.
    expect((await client.next()).data).to.equal('Already unsubscribed: {"type":"allMids"}');
    const methods = [];
    while (methods.length < 4) {
      const { channel, data } = await client.next('subscriptionResponse', 'error');
      methods.push(channel === 'error' ? data.slice(0, 18) : data.method);
    }
    expect(methods).to.deep.equal(['subscribe', 'unsubscribe', 'subscribe', 'Already subscribed']);
    node.exchange.nowMs += MINUTE_MS;
    const t = Math.floor(node.exchange.nowMs / MINUTE_MS) * MINUTE_MS;
    const candle = { t, T: t + MINUTE_MS - 1, s: 'BTC', i: '1m', o: '1.0', c: '2.5', h: '2.5', l: '1.0', v: '1.0', n: 1 };
    happen({ type: 'candle', coin: 'BTC', timeMs: node.exchange.nowMs, candle });
    await until(() => client.all('candle').some(({ data }) => data.c === '2.5'));
    expect(client.all('candle').filter(({ data }) => data.c === '2.5')).to.have.length(1);
  });

  it('candle: lengths that nobody knows are refused', async () => {
    for (const interval of ['7m', '1y', '', 5, null]) {
      client.subscribe({ type: 'candle', coin: 'BTC', interval });
      expect((await client.next()).data).to.match(/^Invalid subscription /);
    }
  });

  it('activeAssetCtx: the context of one coin', async () => {
    await subscribed({ type: 'activeAssetCtx', coin: 'BTC' });
    const [meta, contexts] = await info({ type: 'metaAndAssetCtxs' });
    const index = meta.universe.findIndex(({ name }: { name: string }) => name === 'BTC');
    expect((await client.next()).data).to.deep.equal({ coin: 'BTC', ctx: contexts[index] });
    happen({ type: 'context', coin: 'BTC', timeMs: 1, context: { ...contexts[index], markPx: '77.0' } });
    expect((await client.next()).data.ctx).to.deep.equal({ ...contexts[index], markPx: '77.0' });
  });

  it('assetCtxs and allDexsAssetCtxs: the contexts of all', async () => {
    await subscribed({ type: 'assetCtxs' });
    const [, ctxs] = await info({ type: 'metaAndAssetCtxs' });
    expect((await client.next()).data).to.deep.equal({ dex: '', ctxs });
    await subscribed({ type: 'allDexsAssetCtxs' });
    expect((await client.next()).data).to.deep.equal({ ctxs: [['', ctxs]] });
    const { context } = node.exchange.market.contextOf(1) ?? {};
    if (context === undefined) throw new Error('no context');
    happen({ type: 'context', coin: node.exchange.coinOf(1), timeMs: 1, context: { ...context, markPx: '1.5' } });
    expect((await client.next('assetCtxs')).data.ctxs[1].markPx).to.equal('1.5');
    await until(() => client.all('allDexsAssetCtxs').some(({ data }) => data.ctxs[0][1][1].markPx === '1.5'));
  });

  it('spot pairs: what the venue says', async () => {
    const { upstreamAnswers } = node.exchange;
    const contexts = [{ coin: '@1', markPx: '3.0', midPx: null, prevDayPx: '2.0' }];
    const print = (tid: number, px: string) => ({
      ...{ coin: '@1', side: 'B', px, sz: '1.0', time: 5, hash: `0x${'0'.repeat(64)}`, tid },
      users: [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`],
    });
    const t = node.exchange.nowMs - (node.exchange.nowMs % 3_600_000);
    const candle = { t, T: t + 3_599_999, s: '@1', i: '1h', o: '1.0', c: '1.0', h: '1.0', l: '1.0', v: '1.0', n: 1 };
    const bids = ['1.0', '0.9', '0.8'].map((px) => ({ px, sz: '1.0', n: 1 }));
    upstreamAnswers.set('spotMeta', { universe: [{ name: '@1' }], tokens: [] });
    upstreamAnswers.set('spotMetaAndAssetCtxs', [{ universe: [], tokens: [] }, contexts]);
    upstreamAnswers.set('l2Book', { coin: '@1', time: 5, levels: [bids, []] });
    upstreamAnswers.set('recentTrades', [print(2, '3.0'), print(1, '2.0')]);
    upstreamAnswers.set('candleSnapshot', [candle]);
    const cases = [
      { subscription: { type: 'spotAssetCtxs' }, channel: 'spotAssetCtxs', data: contexts },
      {
        subscription: { type: 'activeAssetCtx', coin: '@1' },
        channel: 'activeSpotAssetCtx',
        data: { coin: '@1', ctx: contexts[0] },
      },
      { subscription: { type: 'l2Book', coin: '@1' }, channel: 'l2Book', data: upstreamAnswers.get('l2Book') },
      {
        subscription: { type: 'l2Book', coin: '@1', nLevels: 2 },
        channel: 'l2Book',
        data: { coin: '@1', time: 5, levels: [bids.slice(0, 2), []] },
      },
      {
        subscription: { type: 'bbo', coin: '@1' },
        channel: 'bbo',
        data: { coin: '@1', time: 5, bbo: [{ px: '1.0', sz: '1.0', n: 1 }, null] },
      },
      {
        subscription: { type: 'trades', coin: '@1' },
        channel: 'trades',
        data: [print(1, '2.0'), print(2, '3.0')],
      },
      { subscription: { type: 'candle', coin: '@1', interval: '1h' }, channel: 'candle', data: candle },
    ];
    for (const { subscription, channel, data } of cases) {
      await subscribed(subscription);
      expect(await client.next()).to.deep.equal({ channel, data });
    }
    upstreamAnswers.set('recentTrades', [print(3, '4.0'), print(2, '3.0')]);
    expect((await client.next('trades')).data).to.deep.equal([print(3, '4.0')]);

    const unlisted = [
      ...['activeAssetCtx', 'bbo', 'l2Book', 'trades'].map((type) => ({ type, coin: '@2' })),
      { type: 'candle', coin: '@2', interval: '1h' },
    ];
    for (const subscription of unlisted) {
      client.subscribe(subscription);
      expect((await client.next('error')).data).to.equal(`Invalid subscription ${JSON.stringify(subscription)}`);
    }
  });

  it('channels that are not offered are refused by name', async () => {
    for (const type of ['fastAssetCtxs', 'outcomeMetaUpdates']) {
      client.subscribe({ type });
      expect((await client.next()).data).to.equal(`Invalid subscription {"type":"${type}"}`);
    }
  });
});
