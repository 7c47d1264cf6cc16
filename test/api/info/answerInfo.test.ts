import { expect } from 'chai';
import { orderValueMax } from '../../../src/actors/core/checks/checkForm.ts';
import { answerInfo, infoTypes } from '../../../src/api/info/answerInfo.ts';
import type { VenueCandle } from '../../../src/market/domain/feed.ts';
import { LiveMarket } from '../../../src/market/domain/liveMarket.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { RequestError, RetryableError, TerminalError } from '../../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { orderAction, type wireOrder } from '../../support/orderWire.ts';
import { readRecording } from '../../support/recordings.ts';

const CLOID = '0xABCDEF90abcdef1234567890ABCDEF12';

/** HYPE near 30 with 20 and more levels a side, BTC near 65000. */
function open(): ExchangeInMemory {
  const exchange = new ExchangeInMemory();
  const ladder = (from: number, step: number) =>
    Array.from({ length: 22 }, (_, i) => [(from + i * step).toFixed(2), '10'] as const);
  exchange.setMarket('HYPE', { mark: '30', bids: ladder(29.99, -0.01), asks: ladder(30.01, 0.01) });
  exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] });
  return exchange;
}

async function place(exchange: ExchangeInMemory, ...orders: Parameters<typeof wireOrder>[1][]): Promise<number[]> {
  const answer = await exchange.exchange(orderAction(exchange.assetId('HYPE'), ...orders));
  return answer.response.data.statuses.map(
    (status: { resting?: { oid: number }; filled?: { oid: number } }) => (status.resting ?? status.filled)?.oid,
  );
}

/** Asks what must be refused. */
async function failing(exchange: ExchangeInMemory, body: unknown): Promise<RequestError> {
  try {
    await exchange.info(body);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(body)} was expected to be refused`);
}

describe('info: market', () => {
  it('meta tells of every asset whether it is only isolated', async () => {
    const { universe, marginTables, collateralToken } = await open().info({ type: 'meta', dex: '' });
    const known = Object.fromEntries(
      universe.map((asset: { name: string; onlyIsolated: boolean }) => [asset.name, asset.onlyIsolated]),
    );
    expect(known).to.include({ BTC: false, HPOS: true });
    expect(universe.length).to.be.above(200);
    expect(marginTables.length).to.be.above(1);
    expect(collateralToken).to.equal(0);
  });

  it('metaAndAssetCtxs has one context for each asset, also where nothing has been heard of it', async () => {
    const exchange = open();
    const meta = exchange.market.rawMeta;
    if (!meta) throw new Error('no meta');
    const added = { name: 'NEW', szDecimals: 2, maxLeverage: 5 };
    exchange.market.apply({ type: 'meta', meta: { ...meta, universe: [...meta.universe, added] } });
    const [{ universe }, contexts] = await exchange.info({ type: 'metaAndAssetCtxs' });
    expect(contexts).to.have.length(universe.length);
    expect(contexts.at(-1)).to.include({ markPx: '0.0', midPx: null });
    expect(contexts[0]).to.include({ markPx: '65000' });
  });

  it('marginTable answers listed tables and those that their id describes', async () => {
    const exchange = open();
    expect((await exchange.info({ type: 'marginTable', id: 50 })).marginTiers).to.have.length(1);
    const tiers = [{ lowerBound: '0.0', maxLeverage: 7 }];
    expect(await exchange.info({ type: 'marginTable', id: 7 })).to.deep.equal({ description: '', marginTiers: tiers });
    expect((await failing(exchange, { type: 'marginTable', id: 0 })).status).to.equal(400);
    expect((await failing(exchange, { type: 'marginTable', id: 9999 })).status).to.equal(400);
  });

  it('maxMarketOrderNtls are the limits that the rules apply', async () => {
    const exchange = open();
    const asset = exchange.market.asset(0);
    if (!asset) throw new Error('no asset');
    for (const [maxLeverage, notional] of await exchange.info({ type: 'maxMarketOrderNtls' })) {
      expect(Number(notional)).to.equal(orderValueMax({ ...asset, maxLeverage }, { immediate: true }));
    }
  });

  it('l2Book has at most 20 levels a side and no spread', async () => {
    const exchange = open();
    const book = await exchange.info({ type: 'l2Book', coin: 'HYPE' });
    expect(Object.keys(book)).to.have.members(['coin', 'time', 'levels']);
    expect(book.levels.map((side: unknown[]) => side.length)).to.deep.equal([20, 20]);
    expect(book.levels[0][0]).to.deep.equal({ px: '29.99', sz: '10.0', n: 1 });
    expect(book.levels[1][1]).to.deep.equal({ px: '30.02', sz: '10.0', n: 1 });
    expect(book.time).to.equal(exchange.nowMs);
  });

  it('l2Book merges levels on request and then tells the spread', async () => {
    const { levels, spread } = await open().info({ type: 'l2Book', coin: 'HYPE', nSigFigs: 3, mantissa: null });
    expect(levels).to.deep.equal([
      [
        { px: '29.9', sz: '100.0', n: 10 },
        { px: '29.8', sz: '100.0', n: 10 },
      ],
      [
        { px: '30.1', sz: '100.0', n: 10 },
        { px: '30.2', sz: '100.0', n: 10 },
      ],
    ]);
    expect(spread).to.equal('0.02');
  });

  it('l2Book of an unknown coin is null, of a coin without a book empty', async () => {
    const exchange = open();
    expect(await exchange.info({ type: 'l2Book', coin: 'NOPE' })).to.equal(null);
    expect(await exchange.info({ type: 'l2Book', coin: 'btc' })).to.equal(null);
    expect((await exchange.info({ type: 'l2Book', coin: 'SOL' })).levels).to.deep.equal([[], []]);
  });

  it('recentTrades come newest first', async () => {
    const exchange = open();
    const trade = (tid: number) => ({ side: 'sell', price: '30', size: '1.50', timeMs: 1000 + tid, tid }) as const;
    exchange.market.apply({ type: 'pastTrades', coin: 'HYPE', trades: [trade(1), trade(2)] });
    const trades = await exchange.info({ type: 'recentTrades', coin: 'HYPE' });
    expect(trades.map(({ tid }: { tid: number }) => tid)).to.deep.equal([2, 1]);
    expect(trades[0]).to.include({ coin: 'HYPE', side: 'A', px: '30.0', sz: '1.5', time: 1002 });
    const known = { hash: `0x${'ab'.repeat(32)}`, users: [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] } as const;
    exchange.market.apply({ type: 'pastTrades', coin: 'HYPE', trades: [{ ...trade(3), ...known }] });
    expect((await exchange.info({ type: 'recentTrades', coin: 'HYPE' }))[0]).to.deep.include(known);
  });

  it('candles and candleSnapshot ask the venue for the same whole candles', async () => {
    const exchange = open();
    const rows = readRecording('info.candleSnapshot').response;
    exchange.upstreamAnswers.set('candleSnapshot', rows);
    const req = { coin: 'HYPE', interval: '1h', startTime: 1_684_702_007_000, endTime: 1_684_784_807_000 };
    expect(await exchange.info({ type: 'candleSnapshot', req })).to.deep.equal(rows);
    expect(await exchange.info({ type: 'candles', ...req })).to.deep.equal(rows);
    const asked = { type: 'candleSnapshot', req: { ...req, startTime: 1_684_699_200_000, endTime: 1_684_782_000_000 } };
    expect(exchange.upstreamRequests).to.deep.equal([asked, asked]);
  });

  describe('minutes that end now, with the one in progress from the feed', () => {
    const row = (t: number, n: number) => ({
      t,
      T: t + 59_999,
      s: 'HYPE',
      i: '1m',
      o: '1.0',
      c: '1.0',
      h: '1.0',
      l: '1.0',
      v: '1.0',
      n,
    });
    /** Start of the minute in progress. */
    const M = 1_795_000_000_000 - (1_795_000_000_000 % 60_000);
    const minutes = async (venue: object[], live: object, isOfThisConnection = true): Promise<{ t: number; n: number }[]> => {
      const exchange = open();
      exchange.upstreamAnswers.set('candleSnapshot', venue);
      if (isOfThisConnection) exchange.minutes.onCandle({ coin: 'HYPE', candle: live as VenueCandle, timeMs: exchange.nowMs });
      return await exchange.info({ type: 'candles', coin: 'HYPE', interval: '1m', startTime: M - 60_000, endTime: null });
    };
    const cases: { name: string; venue: object[]; live: object; isOfThisConnection?: false; want: object[] }[] = [
      {
        name: 'replaces the venue’s older version',
        venue: [row(M - 60_000, 9), row(M, 2)],
        live: row(M, 3),
        want: [row(M - 60_000, 9), row(M, 3)],
      },
      {
        name: 'is added when the venue’s answer was made before it',
        venue: [row(M - 60_000, 9)],
        live: row(M, 1),
        want: [row(M - 60_000, 9), row(M, 1)],
      },
      { name: 'keeps the venue’s newer version', venue: [row(M, 4)], live: row(M, 3), want: [row(M, 4)] },
      {
        name: 'stands at the last price while it has no trade, and the venue is not asked',
        venue: [row(M, 0)],
        live: row(M - 60_000, 50),
        want: [row(M - 60_000, 50), { ...row(M, 0), v: '0.0' }],
      },
      {
        name: 'is not what came on a connection that is gone',
        venue: [row(M, 1)],
        live: row(M, 2),
        isOfThisConnection: false,
        want: [row(M, 1)],
      },
    ];
    for (const { name, venue, live, isOfThisConnection, want } of cases) {
      it(name, async () => expect(await minutes(venue, live, isOfThisConnection)).to.deep.equal(want));
    }
  });

  it('candles end now at the latest, and a range that begins later is empty', async () => {
    const exchange = open();
    exchange.upstreamAnswers.set('candleSnapshot', []);
    await exchange.info({ type: 'candles', coin: 'HYPE', interval: '1m', startTime: 0, endTime: null });
    await exchange.info({ type: 'candles', coin: 'HYPE', interval: '1m', startTime: 0, endTime: exchange.nowMs + 1e9 });
    const endTime = exchange.nowMs - (exchange.nowMs % 60_000);
    expect(exchange.upstreamRequests.map((body) => (body as { req: { endTime: number } }).req.endTime)).to.deep.equal([
      endTime,
      endTime,
    ]);
    const later = { coin: 'HYPE', interval: '1m', startTime: exchange.nowMs + 1 };
    expect(await exchange.info({ type: 'candles', ...later })).to.deep.equal([]);
    expect(exchange.upstreamRequests).to.have.length(2);
  });

  const optional: [type: string, nothing: unknown][] = [
    ['spotMeta', { universe: [], tokens: [] }],
    ['spotMetaAndAssetCtxs', [{ universe: [], tokens: [] }, []]],
    ['predictedFundings', []],
    ['perpsAtOpenInterestCap', []],
  ];
  for (const [type, nothing] of optional) {
    it(`${type} is empty where the venue has nothing of the kind`, async () => {
      const exchange = open();
      exchange.upstreamAnswers.set(type, new TerminalError('422'));
      expect(await exchange.info({ type })).to.deep.equal(nothing);
      exchange.upstreamAnswers.set(type, null);
      expect(await exchange.info({ type })).to.deep.equal(nothing);
      exchange.upstreamAnswers.set(type, new RetryableError('away'));
      const answer = await exchange.info({ type }).catch((error: unknown) => error);
      expect(answer).to.be.instanceOf(RequestError).with.property('code', 'upstream_unavailable');
    });
  }

  it('a venue that is away is not called a store that is away', async () => {
    const exchange = open();
    exchange.upstreamAnswers.set('fundingHistory', new RetryableError('away'));
    const question = { type: 'fundingHistory', coin: 'BTC', startTime: 0 };
    const answer = await exchange.info(question).catch((error: unknown) => error);
    expect(answer).to.be.instanceOf(RequestError).and.include({ status: 503, code: 'upstream_unavailable' });
  });

  it('before the market is loaded market types are a 503', async () => {
    const exchange = open();
    const services = { ...exchange.services, market: new LiveMarket({ maxAgeMs: 1 }) };
    for (const type of ['meta', 'allMids', 'l2Book', 'metaAndAssetCtxs', 'activeAssetData']) {
      const error = await answerInfo({ type, coin: 'BTC' }, exchange.call, services).catch((caught: unknown) => caught);
      expect(error, type).to.be.instanceOf(RequestError).with.property('status', 503);
    }
  });
});

describe('info: orders', () => {
  it('open orders come newest first, with cloid and reduceOnly only where there is one', async () => {
    const exchange = open();
    const [first, second] = await place(exchange, { px: '21', sz: '1' }, { px: '22', sz: '1.5', cloid: CLOID });
    const orders = await exchange.info({ type: 'openOrders', user: ADDRESS });
    const common = { coin: 'HYPE', side: 'B', timestamp: exchange.nowMs, orderType: 'Limit' };
    expect(orders).to.deep.equal([
      { ...common, limitPx: '22.0', sz: '1.5', origSz: '1.5', oid: second, cloid: CLOID.toLowerCase() },
      { ...common, limitPx: '21.0', sz: '1.0', origSz: '1.0', oid: first },
    ]);
    const [, plain] = await exchange.info({ type: 'frontendOpenOrders' });
    expect(plain).to.include({
      cloid: null,
      reduceOnly: false,
      tif: 'Gtc',
      orderType: 'Limit',
      triggerPx: '0.0',
      isTrigger: false,
    });
  });

  it('orderStatus finds an order by number, by text and by cloid in any case', async () => {
    const exchange = open();
    const [oid] = await place(exchange, { px: '21', sz: '1', cloid: CLOID });
    const byNumber = await exchange.info({ type: 'orderStatus', oid });
    expect(byNumber.status).to.equal('order');
    expect(byNumber.order).to.include({ status: 'open', statusTimestamp: exchange.nowMs });
    expect(byNumber.order).to.include({ coin: 'HYPE', oid: String(oid), side: 'B', limitPx: '21.0', sz: '1.0', filledSz: '0.0' });
    expect(byNumber.order.order).to.include({ oid, sz: '1.0', tif: 'Gtc' });
    expect(await exchange.info({ type: 'orderStatus', oid: String(oid) })).to.deep.equal(byNumber);
    expect(await exchange.info({ type: 'orderStatus', oid: CLOID.toUpperCase().replace('0X', '0x') })).to.deep.equal(byNumber);
    expect(await exchange.info({ type: 'orderStatus', oid: 5 })).to.deep.equal({ status: 'unknownOid' });
    expect(await exchange.info({ type: 'orderStatus', oid: `0x${'0'.repeat(32)}` })).to.deep.equal({ status: 'unknownOid' });
  });

  it('orderStatus of a part that filled and a rest that was canceled', async () => {
    const exchange = open();
    const [oid] = await place(exchange, { px: '30.01', sz: '15', tif: 'Ioc' });
    const { order } = await exchange.info({ type: 'orderStatus', oid });
    expect(order).to.include({ status: 'canceled', sz: '5.0', filledSz: '10.0' });
    expect(order.order).to.include({ sz: '5.0', origSz: '15.0', tif: 'Ioc', orderType: 'Limit' });
  });

  it('historicalOrders is the log of all changes, newest first, refused orders included', async () => {
    const exchange = open();
    const [oid] = await place(exchange, { px: '21', sz: '1' });
    await place(exchange, { px: '31', sz: '1', tif: 'FrontendMarket' });
    await place(exchange, { px: '25', sz: '1', tif: 'Ioc' });
    await exchange.exchange({ type: 'cancel', cancels: [{ a: exchange.assetId('HYPE'), o: oid }] });
    const rows = await exchange.info({ type: 'historicalOrders' });
    expect(rows.map(({ status }: { status: string }) => status)).to.deep.equal([
      'canceled',
      'iocCancelRejected',
      'filled',
      'open',
    ]);
    expect(rows[2].order).to.include({ tif: 'FrontendMarket', orderType: 'Market', sz: '0.0', origSz: '1.0' });
  });
});

describe('info: fills', () => {
  /** One buy over three levels, one second later a sell over two. */
  async function traded(): Promise<ExchangeInMemory> {
    const exchange = open();
    exchange.nowMs += 1000;
    await place(exchange, { px: '31', sz: '25', tif: 'Ioc', cloid: CLOID });
    exchange.nowMs += 1000;
    await place(exchange, { buy: false, px: '29', sz: '15', tif: 'Ioc' });
    return exchange;
  }
  const sizes = (fills: { side: string; sz: string }[]) => fills.map(({ side, sz }) => `${side} ${sz}`);

  it('come newest first with every field', async () => {
    const fills = await (await traded()).info({ type: 'userFills' });
    expect(sizes(fills)).to.deep.equal(['A 5.0', 'A 10.0', 'B 5.0', 'B 10.0', 'B 10.0']);
    expect(fills[4]).to.include({ coin: 'HYPE', px: '30.01', dir: 'Open Long', startPosition: '0.0', closedPnl: '0.0' });
    expect(fills[4]).to.include({ crossed: true, fee: '0.135045', feeToken: 'USDC', twapId: null, cloid: CLOID.toLowerCase() });
    expect(fills[4].hash).to.equal(`0x${'0'.repeat(64)}`);
    expect(fills[0]).not.to.have.property('cloid');
  });

  it('aggregateByTime makes one of the parts of a taking order, with the position before them', async () => {
    const fills = await (await traded()).info({ type: 'userFills', aggregateByTime: true });
    expect(sizes(fills)).to.deep.equal(['A 15.0', 'B 25.0']);
    expect(fills[1]).to.include({ px: '30.018', startPosition: '0.0', fee: '0.337702' });
    expect(fills[0]).to.include({ startPosition: '25.0' });
  });

  it('parts that turn the position round are one fill that does', async () => {
    const exchange = new ExchangeInMemory();
    exchange.setMarket('HYPE', {
      ...{
        mark: '30',
        bids: [
          ['29.99', '5'],
          ['29.98', '20'],
        ],
        asks: [
          ['30.01', '7'],
          ['30.02', '20'],
        ],
      },
    });
    const asset = exchange.assetId('HYPE');
    await exchange.exchange(orderAction(asset, { px: '31', sz: '5', tif: 'Ioc' }));
    await exchange.exchange(orderAction(asset, { buy: false, px: '29', sz: '10', tif: 'Ioc' }));
    await exchange.exchange(orderAction(asset, { px: '31', sz: '2', tif: 'Ioc' }));
    await exchange.exchange(orderAction(asset, { px: '31', sz: '10', tif: 'Ioc' }));
    const merged: { dir: string; sz: string; startPosition: string }[] = await exchange.info({
      ...{ type: 'userFills', aggregateByTime: true },
    });
    expect(merged.map(({ dir, sz, startPosition }) => `${dir} ${sz} from ${startPosition}`)).to.deep.equal([
      'Short > Long 10.0 from -3.0',
      'Close Short 2.0 from -5.0',
      'Long > Short 10.0 from 5.0',
      'Open Long 5.0 from 0.0',
    ]);
  });

  it('by time are oldest first, both ends included, and reversed on request', async () => {
    const exchange = await traded();
    const startTime = exchange.nowMs - 1000;
    const all = await exchange.info({ type: 'userFillsByTime', startTime, endTime: exchange.nowMs });
    expect(sizes(all)).to.deep.equal(['B 10.0', 'B 10.0', 'B 5.0', 'A 10.0', 'A 5.0']);
    const reversed = await exchange.info({ type: 'userFillsByTime', startTime, reversed: true, aggregateByTime: true });
    expect(sizes(reversed)).to.deep.equal(['A 15.0', 'B 25.0']);
    const second = await exchange.info({ type: 'userFillsByTime', startTime: startTime + 1, endTime: null });
    expect(sizes(second)).to.deep.equal(['A 10.0', 'A 5.0']);
    expect(await exchange.info({ type: 'userFillsByTime', startTime: 5, endTime: 4 })).to.deep.equal([]);
  });

  it('give the account its volume, requests and equity', async () => {
    const exchange = await traded();
    const limit = await exchange.info({ type: 'userRateLimit' });
    expect(limit).to.include({ cumVlm: '1200.25', nRequestsUsed: 2, nRequestsCap: 11_200, nRequestsSurplus: 0 });
    expect(limit.rateLimitResetTime).to.equal(exchange.nowMs + 30_000);
    const { dailyUserVlm, userCrossRate, userAddRate } = await exchange.info({ type: 'userFees' });
    expect(dailyUserVlm).to.have.length(15);
    expect(dailyUserVlm.at(-1)).to.include({ userCross: '1200.25', userAdd: '0.0' });
    expect([userCrossRate, userAddRate]).to.deep.equal(['0.00045', '0.00015']);

    const { marginSummary } = await exchange.info({ type: 'clearinghouseState' });
    const portfolio = await exchange.info({ type: 'portfolio' });
    const names = ['day', 'week', 'month', 'allTime', 'perpDay', 'perpWeek', 'perpMonth', 'perpAllTime'];
    expect(portfolio.map(([name]: [string]) => name)).to.deep.equal(names);
    for (const [name, { accountValueHistory, pnlHistory, vlm }] of portfolio) {
      expect(accountValueHistory[0][1], name).to.equal('10000.0');
      expect(accountValueHistory.at(-1), name).to.deep.equal([exchange.nowMs, marginSummary.accountValue]);
      expect(Number(pnlHistory.at(-1)[1]), name).to.be.closeTo(Number(marginSummary.accountValue) - 10_000, 1e-9);
      expect(vlm, name).to.equal('1200.25');
    }
  });
});

describe('info: money', () => {
  it('the ledger begins with the first deposit', async () => {
    const exchange = open();
    const updates = await exchange.info({ type: 'userNonFundingLedgerUpdates', user: ADDRESS, startTime: 0 });
    const hash = `0x${'0'.repeat(64)}`;
    expect(updates).to.deep.equal([{ time: exchange.nowMs, hash, delta: { type: 'deposit', usdc: '10000.0' } }]);
    expect(await exchange.info({ type: 'userNonFundingLedgerUpdates', endTime: 5 })).to.deep.equal([]);
  });

  it('funding tells the hours settled, one too; null where every hour is settled by itself', async () => {
    const exchange = open();
    const row = { timeMs: 100, coin: 'BTC', usd: '-1.5', signedSize: '1', fundingRate: '0.0000125', hours: 8 };
    exchange.rows.push(
      { kind: 'funding', number: 0, row },
      { kind: 'funding', number: 1, row: { ...row, timeMs: 200, hours: 1 } },
    );
    const [first, second] = await exchange.info({ type: 'userFunding' });
    const delta = { type: 'funding', coin: 'BTC', usdc: '-1.5', szi: '1.0', fundingRate: '0.0000125', nSamples: 8 };
    expect(first).to.deep.equal({ time: 100, hash: `0x${'0'.repeat(64)}`, delta });
    expect(second.delta.nSamples).to.equal(1);
    exchange.config = readConfig({ FUNDING_SETTLE_HOURS: '1' });
    expect((await exchange.info({ type: 'userFunding' }))[1].delta.nSamples).to.equal(null);
  });
});

describe('info: pages', () => {
  const times = (rows: { time: number }[]) => [rows.length, rows[0]?.time, rows.at(-1)?.time];

  it('of funding are 500 rows, ascending: the oldest from a start on, the newest without one', async () => {
    const exchange = open();
    const payment = { coin: 'BTC', usd: '1', signedSize: '1', fundingRate: '0.1', hours: 1 };
    for (let number = 0; number < 600; number++) {
      exchange.rows.push({ kind: 'funding', number, row: { ...payment, timeMs: 1000 + number } });
    }
    expect(times(await exchange.info({ type: 'userFunding', startTime: 0 }))).to.deep.equal([500, 1000, 1499]);
    expect(times(await exchange.info({ type: 'userFunding' }))).to.deep.equal([500, 1100, 1599]);
    expect(times(await exchange.info({ type: 'userFunding', startTime: null, endTime: 1549 }))).to.deep.equal([500, 1050, 1549]);
    expect(times(await exchange.info({ type: 'userFunding', startTime: 1599 }))).to.deep.equal([1, 1599, 1599]);
  });

  it('of fills and orders are the newest 2000', async () => {
    const exchange = open();
    await place(exchange, { px: '31', sz: '1', tif: 'Ioc' });
    const fill = exchange.rows.find((row) => row.kind === 'fills');
    const order = exchange.rows.find((row) => row.kind === 'orders');
    if (fill?.kind !== 'fills' || order?.kind !== 'orders') throw new Error('no fill');
    exchange.rows.length = 0;
    for (let number = 1; number <= 2500; number++) {
      exchange.rows.push({ ...fill, number, row: { ...fill.row, timeMs: number } });
      exchange.rows.push({ ...order, number, row: { ...order.row, timeMs: number } });
    }
    expect(times(await exchange.info({ type: 'userFills' }))).to.deep.equal([2000, 2500, 501]);
    expect(times(await exchange.info({ type: 'userFillsByTime', startTime: 1 }))).to.deep.equal([2000, 1, 2000]);
    const orders = await exchange.info({ type: 'historicalOrders' });
    expect([orders.length, orders[0].statusTimestamp, orders[1999].statusTimestamp]).to.deep.equal([2000, 2500, 501]);
  });
});

describe('info: what is refused', () => {
  const cases: { body: unknown; code: string; says: string }[] = [
    { body: undefined, code: 'invalid_request', says: 'the body must be a JSON object' },
    { body: 'meta', code: 'invalid_request', says: 'the body must be a JSON object' },
    { body: {}, code: 'invalid_request', says: 'type is missing' },
    { body: { type: 5 }, code: 'invalid_request', says: 'type must be a string' },
    { body: { type: 'weather' }, code: 'invalid_request', says: 'unknown info type "weather"' },
    { body: { type: '__proto__' }, code: 'invalid_request', says: 'unknown info type' },
    { body: { type: 'vaultDetails' }, code: 'not_offered', says: 'Info type vaultDetails' },
    { body: { type: 'clearinghouseState', dex: 5 }, code: 'invalid_request', says: 'dex must be' },
    { body: { type: 'clearinghouseState', user: 'me' }, code: 'invalid_request', says: 'user must be 0x and 40 hex digits' },
    { body: { type: 'l2Book' }, code: 'invalid_request', says: 'coin is missing' },
    { body: { type: 'l2Book', coin: 'BTC', nSigFigs: 6 }, code: 'invalid_request', says: 'nSigFigs must be' },
    { body: { type: 'l2Book', coin: 'BTC', nSigFigs: 4, mantissa: 2 }, code: 'invalid_request', says: 'mantissa' },
    { body: { type: 'l2Book', coin: 'BTC', nSigFigs: 5, mantissa: 3 }, code: 'invalid_request', says: 'mantissa must be' },
    { body: { type: 'candleSnapshot', coin: 'BTC' }, code: 'invalid_request', says: 'req is missing' },
    {
      body: { type: 'candles', coin: 'BTC', interval: '2m', startTime: 0 },
      code: 'invalid_request',
      says: 'interval must be one of',
    },
    {
      body: { type: 'candles', coin: 'BTC', interval: '1m', startTime: 1.5 },
      code: 'invalid_request',
      says: 'startTime must be',
    },
    { body: { type: 'candles', coin: 'NOPE', interval: '1m', startTime: 0 }, code: 'unknown_coin', says: 'Unknown coin "NOPE"' },
    { body: { type: 'recentTrades', coin: 'NOPE' }, code: 'unknown_coin', says: 'NOPE' },
    { body: { type: 'fundingHistory', coin: 'NOPE', startTime: 0 }, code: 'unknown_coin', says: 'NOPE' },
    { body: { type: 'fundingHistory', coin: 'BTC' }, code: 'invalid_request', says: 'startTime is missing' },
    { body: { type: 'activeAssetData', coin: 'NOPE' }, code: 'unknown_coin', says: 'NOPE' },
    { body: { type: 'orderStatus' }, code: 'invalid_request', says: 'oid is missing' },
    { body: { type: 'orderStatus', oid: 'abc' }, code: 'invalid_request', says: 'oid must be an order id or a cloid' },
    { body: { type: 'orderStatus', oid: 1.5 }, code: 'invalid_request', says: 'oid must be an order id or a cloid' },
    {
      body: { type: 'orderStatus', oid: '9999999999999999' },
      code: 'invalid_request',
      says: 'oid must be an order id or a cloid',
    },
    { body: { type: 'userFillsByTime', startTime: '0' }, code: 'invalid_request', says: 'startTime must be' },
    { body: { type: 'userFunding', endTime: -1 }, code: 'invalid_request', says: 'endTime must be' },
  ];
  for (const { body, code, says } of cases) {
    it(`${JSON.stringify(body)}: ${code}`, async () => {
      const error = await failing(open(), body);
      expect(error).to.include({ status: 400, code });
      expect(error.message).to.include(says);
    });
  }
});

describe('info: the types', () => {
  it('are each known once', () => expect(new Set(infoTypes()).size).to.equal(infoTypes().length));

  it('that clients ask first answer what they expect', async () => {
    const exchange = open();
    expect(await exchange.info({ type: 'outcomeMeta' })).to.deep.equal({ outcomes: [], questions: [] });
    expect(await exchange.info({ type: 'userAbstraction', user: ADDRESS })).to.equal('default');
    expect(await exchange.info({ type: 'exchangeStatus' })).to.deep.equal({ time: exchange.nowMs, specialStatuses: null });
  });
});
