// An account's records about the same few trades: fills, orders, counts of requests, volumes and the portfolio,
// through the public API.
import { expect } from 'chai';
import { wireOrder } from '../support/orderWire.ts';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

describe('records through the API', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
  });
  beforeEach(async () => {
    trader = await exchange.trader();
    await exchange.book('SOL', { bids: [['99', '50']], asks: [['100', '50']], mark: '100' });
  });
  afterEach(() => trader.expectConsistent());

  const sol = (fields: { buy?: boolean; px: string; sz: string; tif?: 'Ioc' | 'Gtc' }) =>
    trader.place({ coin: 'SOL', ...fields });

  it('one order from rest to full, in every list at every step', async () => {
    const oid = await trader.rest({ coin: 'SOL', px: '99.5', sz: '2' });
    const [resting] = await trader.info('openOrders');
    expect(resting).to.deep.include({
      oid,
      coin: 'SOL',
      side: 'B',
      limitPx: '99.5',
      sz: '2.0',
      origSz: '2.0',
      orderType: 'Limit',
    });
    expect(resting).to.not.have.property('cloid');
    await exchange.trades('SOL', ['A', '99.5', '0.5']);
    const [partly] = await trader.info('frontendOpenOrders');
    expect(partly).to.deep.include({ oid, sz: '1.5', origSz: '2.0', timestamp: resting.timestamp, tif: 'Gtc', cloid: null });
    const half = await trader.info('orderStatus', { oid });
    expect(half.order).to.deep.include({
      status: 'open',
      oid: String(oid),
      sz: '1.5',
      filledSz: '0.5',
      limitPx: '99.5',
      coin: 'SOL',
    });
    // As at the venue: the status has not changed, so the size has not.
    expect(half.order.order).to.deep.include({ oid, sz: '2.0', origSz: '2.0' });
    await exchange.trades('SOL', ['A', '99', '9']);
    const full = await trader.info('orderStatus', { oid });
    expect(full.order).to.deep.include({ status: 'filled', sz: '0.0', filledSz: '2.0' });
    expect(full.order.order).to.deep.include({ oid, sz: '0.0', origSz: '2.0', timestamp: resting.timestamp });
    const history = await trader.info('historicalOrders');
    expect(history[0]).to.deep.include({ status: 'filled', statusTimestamp: full.order.statusTimestamp });
    const fills = await trader.info('userFills');
    expect(fills.map(({ oid: of, startPosition }: Record<string, unknown>) => [of, startPosition])).to.deep.equal([
      [oid, '0.5'],
      [oid, '0.0'],
    ]);
    expect(await trader.info('userFillsByTime', { startTime: 0 })).to.deep.equal([...fills].reverse());
    const since = { startTime: fills[0].time + 1 };
    expect(await trader.info('userFillsByTime', since)).to.deep.equal([]);
  });

  it('the status of an open order keeps the size that it rested with; what it took when it came is not in it', async () => {
    await exchange.book('SOL', {
      bids: [['99', '50']],
      asks: [
        ['100', '2'],
        ['103', '50'],
      ],
      mark: '100',
    });
    const oid = await trader.rest({ coin: 'SOL', px: '101', sz: '5' });
    const sizes = async () => {
      const { order } = await trader.info('orderStatus', { oid });
      return [order.order.sz, order.order.origSz, order.sz, order.filledSz];
    };
    expect(await sizes()).to.deep.equal(['3.0', '5.0', '3.0', '2.0']);
    await exchange.trades('SOL', ['A', '101', '1']);
    expect(await sizes()).to.deep.equal(['3.0', '5.0', '2.0', '3.0']);
    await trader.cancel(['SOL', oid]);
    expect(await sizes()).to.deep.equal(['2.0', '5.0', '2.0', '3.0']);
  });

  it('of an order that was cut, too: the cut leaves the size that was asked for', async () => {
    await sol({ px: '100', sz: '5', tif: 'Ioc' });
    const oid = await trader.rest({ coin: 'SOL', buy: false, px: '99.5', sz: '5', reduceOnly: true });
    const sizes = async () => {
      const { order } = await trader.info('orderStatus', { oid });
      return [order.order.sz, order.order.origSz, order.sz, order.filledSz];
    };
    await exchange.trades('SOL', ['B', '99.5', '1']);
    expect(await sizes()).to.deep.equal(['5.0', '5.0', '4.0', '1.0']);
    await sol({ buy: false, px: '99', sz: '2', tif: 'Ioc' });
    expect(await sizes()).to.deep.equal(['3.0', '3.0', '2.0', '1.0']);
    await exchange.trades('SOL', ['B', '99.5', '1']);
    expect(await sizes()).to.deep.equal(['3.0', '3.0', '1.0', '2.0']);
    await exchange.trades('SOL', ['B', '99.5', '1']);
    expect(await sizes()).to.deep.equal(['0.0', '3.0', '0.0', '3.0']);
  });

  it('ORDER_STATUS_SZ=live: the status has the size that is left now', async () => {
    const { stack } = exchange;
    await stack.add('api', { ORDER_STATUS_SZ: 'live' });
    await stack.waitHealthy();
    const oid = await trader.rest({ coin: 'SOL', px: '99.5', sz: '2' });
    await exchange.trades('SOL', ['A', '99.5', '0.5']);
    const sizesAt = async (baseUrl?: string) => {
      const { order } = (await stack.info(trader.account.apiKey, { type: 'orderStatus', oid }, baseUrl)).body;
      return [order.order.sz, order.order.origSz, order.sz, order.filledSz];
    };
    expect(await sizesAt()).to.deep.equal(['2.0', '2.0', '1.5', '0.5']);
    expect(await sizesAt(stack.baseUrls.at(-1))).to.deep.equal(['1.5', '2.0', '1.5', '0.5']);
  });

  it('volumes by role, fees, requests and the portfolio', async () => {
    await sol({ px: '100', sz: '2', tif: 'Ioc' });
    await trader.rest({ coin: 'SOL', buy: false, px: '100.5', sz: '1' });
    await exchange.trades('SOL', ['B', '101', '1']);
    const fees = await trader.info('userFees');
    expect(fees).to.deep.include({ userCrossRate: '0.00045', userAddRate: '0.00015' });
    expect(fees.dailyUserVlm.at(-1)).to.deep.include({ userCross: '200.0', userAdd: '100.5' });
    // Two orders so far; a batch of three counts three, each element, refused ones too.
    const used = async () => (await trader.info('userRateLimit')).nRequestsUsed;
    expect(await used()).to.equal(2);
    await trader.place(
      { coin: 'SOL', px: '90', sz: '1' },
      { coin: 'SOL', px: '90', sz: '0' },
      { coin: 'SOL', px: '91', sz: '1' },
    );
    expect(await used()).to.equal(5);
    expect(await trader.info('userRateLimit')).to.deep.include({ cumVlm: '300.5', nRequestsCap: 10_300 });

    await exchange.mark('SOL', '104');
    // Fees 0.09 and 0.015075; 0.5 gained on one coin, 4 on the other.
    const { marginSummary } = await trader.info('clearinghouseState');
    expect(marginSummary.accountValue).to.equal('10004.394925');
    const periods: [string, Record<'accountValueHistory' | 'pnlHistory', [number, string][]> & { vlm: string }][] =
      await trader.info('portfolio');
    expect(periods.map(([name]) => name)).to.deep.equal([
      ...['day', 'week', 'month', 'allTime'],
      ...['perpDay', 'perpWeek', 'perpMonth', 'perpAllTime'],
    ]);
    for (const [name, { accountValueHistory, pnlHistory, vlm }] of periods) {
      expect(vlm, name).to.equal('300.5');
      expect(accountValueHistory.at(-1)?.[1], name).to.equal('10004.394925');
      expect(pnlHistory.at(-1)?.[1], name).to.equal('4.394925');
      expect(pnlHistory[0]?.[1], name).to.equal('0.0');
      expect(pnlHistory.map(([time]) => time)).to.deep.equal(accountValueHistory.map(([time]) => time));
    }
  });

  it('an action whose time is over does nothing and counts as five', async () => {
    const { stack } = exchange;
    const send = async (expiresAfter: number | null) => {
      const action = { type: 'order', orders: [wireOrder(exchange.asset('SOL'), { px: '90', sz: '1' })], grouping: 'na' };
      const response = await fetch(`${stack.baseUrl}/v1/exchanges/perpx/exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': trader.account.apiKey },
        body: JSON.stringify({ action, nonce: Date.now(), expiresAfter }),
      });
      return response.json();
    };
    expect(await send(Date.now() - 1)).to.deep.equal({ status: 'err', response: 'Action already expired' });
    expect(await trader.open()).to.deep.equal([]);
    expect((await trader.info('userRateLimit')).nRequestsUsed).to.equal(5);
    expect(((await send(Date.now() + 60_000)) as { status: string }).status).to.equal('ok');
    expect(((await send(null)) as { status: string }).status).to.equal('ok');
    expect(await trader.open()).to.have.length(2);
  });

  it('modify answers without an oid, or with the sentence', async () => {
    const oid = await trader.rest({ coin: 'SOL', px: '90', sz: '1' });
    const modify = async (target: number, px: string) => {
      const order = wireOrder(exchange.asset('SOL'), { px, sz: '1' });
      return (await trader.act({ type: 'modify', oid: target, order })).body;
    };
    expect(await modify(oid, '91')).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    expect(await modify(oid, '92')).to.deep.equal({ status: 'err', response: 'Cannot modify canceled or filled order' });
    const [{ oid: newer }] = await trader.info('openOrders');
    expect(await modify(newer, '90.0001')).to.deep.equal({
      status: 'err',
      response: 'Price must be divisible by tick size. asset=5',
    });
    expect(await trader.open()).to.deep.equal(['B 1.0/1.0 @ 91.0']);
    // A Gtc modify comes as an Alo: a modify that would match leaves neither order.
    const [crossing] = await trader.modify({ oid: newer, order: { coin: 'SOL', px: '100', sz: '1' } });
    expect(crossing).to.match(/^Error placing new order during modify: Post only order would have immediately matched/);
    expect(await trader.open()).to.deep.equal([]);
    // With `a` it is taken as an ordinary Gtc.
    const other = await trader.rest({ coin: 'SOL', px: '90', sz: '1' });
    const order = wireOrder(exchange.asset('SOL'), { px: '100', sz: '1' });
    const { body } = await trader.act({ type: 'batchModify', modifies: [{ oid: other, order }], a: true });
    expect(body.response.data.statuses[0].filled).to.include({ totalSz: '1.0', avgPx: '100.0' });
  });

  it('one batch sees itself: an order, its opposite, and a reduce-only that the first made possible', async () => {
    const answers = await trader.place(
      { coin: 'SOL', px: '100', sz: '2', tif: 'Ioc' },
      { coin: 'SOL', px: '105', sz: '5', buy: false, reduceOnly: true },
      { coin: 'SOL', px: '99', sz: '1', buy: false, tif: 'Ioc' },
      { coin: 'SOL', px: '99', sz: '9', buy: false, tif: 'Ioc', reduceOnly: true },
      { coin: 'SOL', px: '99', sz: '1', buy: false, tif: 'Ioc', reduceOnly: true },
    );
    expect(answers).to.deep.equal([
      'filled 2.0 @ 100.0',
      'resting',
      'filled 1.0 @ 99.0',
      'filled 1.0 @ 99.0',
      'Reduce only order would increase position. asset=5',
    ]);
    expect(await trader.statuses()).to.deep.equal(['filled', 'reduceOnlyCanceled', 'filled', 'filled', 'reduceOnlyRejected']);
  });
});
