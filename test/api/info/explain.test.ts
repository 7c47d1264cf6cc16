import { expect } from 'chai';
import type { FillRow } from '../../../src/actors/core/messages/historyRows.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { type OrderFields, orderAction } from '../../support/orderWire.ts';

const CLOID = '0xabcdef90abcdef1234567890abcdef12';

/** HYPE with 5 at 30.01 and 7 at 30.02. */
function open(): ExchangeInMemory {
  const exchange = new ExchangeInMemory();
  const asks = [
    ['30.01', '5'],
    ['30.02', '7'],
  ] as const;
  exchange.setMarket('HYPE', { mark: '30', bids: [['29.99', '9']], asks });
  return exchange;
}

async function place(exchange: ExchangeInMemory, fields: OrderFields): Promise<number> {
  const answer = await exchange.exchange(orderAction(exchange.assetId('HYPE'), fields));
  const [status] = answer.response.data.statuses;
  return (status.filled ?? status.resting).oid;
}

/** A maker's fill, as a public trade or a crossing book would have made it. */
function fillRow(evidence: FillRow['evidence']): FillRow {
  return {
    tid: 77,
    oid: 7,
    coin: 'HYPE',
    side: 'buy',
    price: '29',
    size: '2',
    timeMs: 1,
    startPosition: '0',
    direction: 'Open Long',
    closedPnl: '0',
    fee: '0.0087',
    liquidity: 'maker',
    ...(evidence && { evidence }),
  };
}

describe('explainFill: why a fill could happen', () => {
  it('a taker: the level, and what had been taken of it before', async () => {
    const exchange = open();
    await place(exchange, { px: '30.01', sz: '2', tif: 'Ioc' });
    await place(exchange, { px: '30.02', sz: '4', tif: 'Ioc' });
    const [second, first] = await exchange.info({ type: 'userFills' });
    const answer = await exchange.info({ type: 'explainFill', tid: first.tid });
    expect(answer).to.deep.include({ status: 'fill', fill: first });
    expect(answer.evidence).to.deep.include({
      source: 'book',
      trade: null,
      queueAhead: null,
      book: {
        time: exchange.nowMs,
        version: exchange.market.book(exchange.assetId('HYPE'))?.version,
        levels: [{ px: '30.01', displayedSz: '5.0', consumedBefore: '2.0', takenSz: '3.0' }],
        beyond: null,
      },
    });
    const { evidence } = await exchange.info({ type: 'explainFill', tid: second.tid });
    expect(evidence.book.levels).to.deep.equal([{ px: '30.02', displayedSz: '7.0', consumedBefore: '0.0', takenSz: '1.0' }]);
  });

  it('a maker: the public trade, and the queue before it', async () => {
    const exchange = open();
    const trade = { tradeTid: 5, tradePrice: '29', tradeSize: '10', tradeTimeMs: 900, tradeLeft: '2.0', tick: '900-1' };
    exchange.rows.push({ kind: 'fills', number: 0, row: fillRow({ ...trade, queueAhead: '8' }) });
    const { evidence } = await exchange.info({ type: 'explainFill', tid: 77 });
    expect(evidence).to.deep.include({
      source: 'trade',
      book: null,
      queueAhead: '8.0',
      trade: { tid: 5, px: '29.0', sz: '10.0', time: 900, leftForOrder: '2.0', tick: '900-1' },
    });
  });

  it('a maker that a book has crossed: every level that it gave', async () => {
    const exchange = open();
    const book = { bookTimeMs: 900, bookVersion: 3, displayed: '7', consumed: '1', queueAhead: 'unknown' };
    const levels = [['28.5', '7', '1', '2']] as const;
    exchange.rows.push({ kind: 'fills', number: 0, row: fillRow({ ...book, levels }) });
    const { evidence } = await exchange.info({ type: 'explainFill', tid: 77 });
    const shown = [{ px: '28.5', displayedSz: '7.0', consumedBefore: '1.0', takenSz: '2.0' }];
    expect(evidence).to.deep.include({ source: 'bookGap', trade: null, queueAhead: 'unknown' });
    expect(evidence.book).to.deep.equal({ time: 900, version: 3, levels: shown, beyond: null });
  });

  it('fills from before a part of the evidence was kept have less of it', async () => {
    const exchange = open();
    exchange.rows.push({ kind: 'fills', number: 0, row: fillRow({ tradeTid: 5 }) });
    const { trade } = (await exchange.info({ type: 'explainFill', tid: 77 })).evidence;
    expect(trade).to.deep.equal({ tid: 5, px: null, sz: null, time: null, leftForOrder: null, tick: null });
    exchange.rows[exchange.rows.length - 1] = { kind: 'fills', number: 0, row: fillRow(undefined) };
    expect((await exchange.info({ type: 'explainFill', tid: 77 })).evidence).to.include({ source: 'unknown', book: null });
  });

  it('the fill of a slice names its TWAP', async () => {
    const exchange = open();
    const row = { ...fillRow({ tradeTid: 5 }), twapId: 9 };
    exchange.rows.push({ kind: 'twapFills', number: 0, row });
    expect((await exchange.info({ type: 'explainFill', tid: 77 })).evidence.twapId).to.equal(9);
  });

  it('an order that its trigger has fired: the trigger, and the mark that fired it', async () => {
    const exchange = open();
    const evidence = { bookTimeMs: 900, bookVersion: 3, displayed: '7', consumed: '1', triggerPrice: '29', markPrice: '28.9' };
    exchange.rows.push({ kind: 'fills', number: 0, row: { ...fillRow(evidence), liquidity: 'taker' } });
    const { trigger } = (await exchange.info({ type: 'explainFill', tid: 77 })).evidence;
    expect(trigger).to.deep.equal({ triggerPx: '29.0', markPx: '28.9' });
  });

  it('an unknown tid', async () => {
    expect(await open().info({ type: 'explainFill', tid: 1 })).to.deep.equal({ status: 'unknownTid' });
  });
});

describe('explainOrder: what became of an order, and what it waits for', () => {
  it('an open order that has filled in part: its fills, and why the rest is open', async () => {
    const exchange = open();
    const oid = await place(exchange, { px: '30.02', sz: '20', cloid: CLOID });
    const answer = await exchange.info({ type: 'explainOrder', oid });
    const { version } = exchange.market.book(exchange.assetId('HYPE')) ?? {};
    expect(answer.order).to.deep.include({ status: 'open', statusTimestamp: exchange.nowMs });
    expect(answer.order.order).to.include({ oid, sz: '8.0', origSz: '20.0' });
    expect(answer.fills.map(({ fill }: { fill: { px: string; sz: string } }) => [fill.px, fill.sz])).to.deep.equal([
      ['30.01', '5.0'],
      ['30.02', '7.0'],
    ]);
    expect(answer.fills[1].evidence.book.levels[0]).to.include({ displayedSz: '7.0', takenSz: '7.0' });
    const { text, ...numbers } = answer.open;
    expect(text).to.match(/taken it already/);
    expect(numbers).to.deep.equal({
      reason: 'alreadyTaken',
      queueAhead: '0.0',
      fillModel: 'queue',
      trigger: null,
      acceptedTime: exchange.nowMs,
      acceptedTick: '0-0',
      bookTime: exchange.nowMs,
      bookVersion: version,
      bbo: ['29.99', '30.01'],
      markPx: '30.0',
      oppositeAtLimit: { displayedSz: '12.0', consumedBefore: '12.0' },
    });
    expect(await exchange.info({ type: 'explainOrder', oid: CLOID })).to.deep.equal(answer);
    expect(await exchange.info({ type: 'explainOrder', oid: String(oid) })).to.deep.equal(answer);
  });

  it('stale data is said with its age', async () => {
    const exchange = open();
    const oid = await place(exchange, { px: '29', sz: '1' });
    exchange.nowMs += 16_000;
    const { open: waiting } = await exchange.info({ type: 'explainOrder', oid });
    expect(waiting.reason).to.equal('staleMarket');
    expect(waiting.text).to.match(/too old.*\(16 s\)$/);
  });

  it('an order that has ended, and one that was refused, wait for nothing', async () => {
    const exchange = open();
    const oid = await place(exchange, { px: '30.01', sz: '2', tif: 'Ioc' });
    const filled = await exchange.info({ type: 'explainOrder', oid });
    expect([filled.order.status, filled.fills.length, filled.open]).to.deep.equal(['filled', 1, null]);
    await exchange.exchange(orderAction(exchange.assetId('HYPE'), { px: '29', sz: '0.01', cloid: CLOID }));
    const refused = await exchange.info({ type: 'explainOrder', oid: CLOID });
    expect([refused.order.status, refused.fills, refused.open]).to.deep.equal(['minTradeNtlRejected', [], null]);
    expect(refused.ended).to.deep.equal({ text: 'Order must have minimum value of $10.', gaveWayTo: null });
  });

  it('an order that the exchange has ended: why, and for which newer one', async () => {
    const exchange = open();
    await place(exchange, { px: '30.02', sz: '10', tif: 'Ioc' });
    const exit = (px: string, sz: string) => place(exchange, { buy: false, px, sz, reduceOnly: true });
    const [first, second] = [await exit('31', '10'), await exit('32', '10')];
    const { ended, order } = await exchange.info({ type: 'explainOrder', oid: first });
    expect([order.status, ended.gaveWayTo]).to.deep.equal(['reduceOnlyCanceled', second]);
    expect(ended.text).to.match(new RegExp(`gave way to the newer order ${second}`));
  });

  it('an order that has nothing left to reduce says so, without a newer one', async () => {
    const exchange = open();
    await place(exchange, { px: '30.02', sz: '9', tif: 'Ioc' });
    const oid = await place(exchange, { buy: false, px: '31', sz: '9', reduceOnly: true });
    expect((await exchange.info({ type: 'explainOrder', oid })).ended).to.equal(null);
    await place(exchange, { buy: false, px: '29', sz: '9', tif: 'Ioc' });
    const { ended } = await exchange.info({ type: 'explainOrder', oid });
    expect(ended.gaveWayTo).to.equal(null);
    expect(ended.text).to.match(/Nothing was left for it to reduce/);
  });

  it('a stop that has fired into size that the account had taken: triggered, and why it did not end', async () => {
    const exchange = open();
    const hype = exchange.assetId('HYPE');
    await place(exchange, { px: '30.02', sz: '10', tif: 'Ioc' });
    await place(exchange, { buy: false, px: '29.99', sz: '6', tif: 'Ioc' });
    const [parent] = orderAction(hype, { px: '30.02', sz: '2', tif: 'Ioc' }).orders;
    const stop = {
      ...parent,
      b: false,
      p: '29',
      s: '6',
      r: true,
      t: { trigger: { isMarket: true, triggerPx: '30', tpsl: 'sl' } },
    };
    const placed = await exchange.exchange({ type: 'order', orders: [parent, stop], grouping: 'normalTpsl' });
    const { oid: parentOid } = placed.response.data.statuses[0].filled;
    const [row] = await exchange.info({ type: 'frontendOpenOrders' });
    expect(row).to.include({
      orderType: 'Stop Market',
      sz: '3.0',
      origSz: '6.0',
      isTrigger: false,
      triggerPx: '0.0',
      tif: 'Ioc',
    });
    expect((await exchange.info({ type: 'orderStatus', oid: row.oid })).order).to.deep.include({ status: 'triggered' });
    const answer = await exchange.info({ type: 'explainOrder', oid: row.oid });
    expect(answer.order).to.include({ status: 'triggered', statusTimestamp: exchange.nowMs });
    expect(answer.open).to.deep.include({
      reason: 'firedIntoTaken',
      oppositeAtLimit: { displayedSz: '9.0', consumedBefore: '9.0' },
      trigger: { triggerPx: '30.0', firesWhenMark: 'below', parentOid },
    });
    expect(answer.open.text).to.match(/It has fired/);
    await exchange.exchange({ type: 'cancel', cancels: [{ a: hype, o: row.oid }] });
    expect((await exchange.info({ type: 'orderStatus', oid: row.oid })).order.status).to.equal('canceled');
  });

  it('an unknown order', async () => {
    expect(await open().info({ type: 'explainOrder', oid: 1 })).to.deep.equal({ status: 'unknownOid' });
  });
});

describe('explainBook: the book as the account finds it', () => {
  it('taken levels and own orders, in the venue’s form', async () => {
    const exchange = open();
    await place(exchange, { px: '30.01', sz: '2', tif: 'Ioc' });
    await place(exchange, { px: '29.99', sz: '3' });
    const answer = await exchange.info({ type: 'explainBook', coin: 'HYPE' });
    const [at, { maxAgeMs: maxAge }] = [exchange.nowMs, exchange.market];
    expect(answer).to.deep.include({ coin: 'HYPE', time: at, heardTime: at, markTime: at, stale: null, maxAge });
    expect(answer.levels).to.deep.equal([
      [{ px: '29.99', displayedSz: '9.0', consumedSz: '0.0', ownSz: '3.0', ownOrders: 1, queueAhead: '9.0' }],
      [{ px: '30.01', displayedSz: '5.0', consumedSz: '2.0', ownSz: '0.0', ownOrders: 0, queueAhead: null }],
    ]);
  });

  it('an unknown coin is refused', async () => {
    const refusal = await open()
      .info({ type: 'explainBook', coin: 'NOPE' })
      .catch((error: { code: string }) => error);
    expect(refusal).to.include({ code: 'unknown_coin' });
  });
});

describe('explainFunding: what is owed since the last settlement', () => {
  const HOUR_MS = 3_600_000;
  const heardFunding = ({ market }: ExchangeInMemory, hourMs: number, rate: string): void =>
    market.apply({ type: 'funding', coin: 'HYPE', sinceMs: hourMs - HOUR_MS, hours: [[hourMs, rate, '30']] });

  it('pending hours and those up to the settlement at the rates of now, by coin', async () => {
    const exchange = open();
    await place(exchange, { px: '30.02', sz: '6', tif: 'Ioc' });
    const opened = exchange.nowMs;
    const hourMs = opened - (opened % HOUR_MS) + HOUR_MS;
    exchange.nowMs = hourMs + 60_000;
    heardFunding(exchange, hourMs, '0.0001');
    exchange.setMarket('HYPE', { mark: '31', bids: [['30.99', '9']], asks: [['31.01', '5']] });
    const rate = exchange.market.contextOf(exchange.assetId('HYPE'))?.context.funding ?? '';
    const answer = await exchange.info({ type: 'explainFunding' });
    expect(answer.nextTime % (8 * HOUR_MS)).to.equal(0);
    const hoursLeft = (answer.nextTime - hourMs) / HOUR_MS;
    const estimate = -(6 * 30 * 0.0001) - hoursLeft * 6 * 31 * Number(rate);
    expect(answer).to.deep.include({ pending: '-0.018' });
    expect(Number(answer.estimate)).to.be.closeTo(estimate, 1e-5);
    expect(answer.coins).to.deep.equal([
      { coin: 'HYPE', szi: '6.0', pending: '-0.018', estimate: answer.estimate, fundingRate: rate },
    ]);
  });

  it('hours of a closed position are owed, and without any the list is empty', async () => {
    const exchange = open();
    expect((await exchange.info({ type: 'explainFunding' })).coins).to.deep.equal([]);
    await place(exchange, { px: '30.01', sz: '2', tif: 'Ioc' });
    const hourMs = exchange.nowMs - (exchange.nowMs % HOUR_MS) + HOUR_MS;
    exchange.nowMs = hourMs + 60_000;
    exchange.setMarket('HYPE', { mark: '30', bids: [['29.99', '9']], asks: [['30.01', '5']] });
    await place(exchange, { buy: false, px: '29.99', sz: '2', tif: 'Ioc' });
    heardFunding(exchange, hourMs, '-0.0001');
    expect(await exchange.info({ type: 'explainFunding' })).to.deep.include({ pending: '0.006', estimate: '0.006' });
  });
});
