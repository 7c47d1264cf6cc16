import { expect } from 'chai';
import type { FillRow } from '../../../src/actors/core/messages/historyRows.ts';
import { readEquityCurve } from '../../../src/api/accounts/equityCurve.ts';
import { ROWS_MAX, readCursor, writeCursor } from '../../../src/api/accounts/historyPages.ts';
import { readFills } from '../../../src/api/dashboard/fills.ts';
import { readOpenOrders, readOrders } from '../../../src/api/dashboard/orders.ts';
import { readOverview, readPositions } from '../../../src/api/dashboard/overview.ts';
import { readAnalytics } from '../../../src/features/analytics/analytics.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

const COIN = 'SOL';
const LIST = { limit: 100, cursor: undefined, coin: undefined, startMs: 0, endMs: undefined, status: undefined };

describe('dashboard: what an account looks like', () => {
  let exchange: ExchangeInMemory;
  const { call } = new ExchangeInMemory();

  beforeEach(() => {
    exchange = new ExchangeInMemory();
    show('100', '100');
  });

  const show = (mark: string, around: string): void => {
    const price = Number(around);
    exchange.setMarket(COIN, { mark, bids: [[String(price - 1), '50']], asks: [[String(price + 1), '50']] });
  };
  const place = (isBuy: boolean, size: string, price: string, tif = 'Gtc'): Promise<unknown> =>
    exchange.exchange({
      type: 'order',
      orders: [{ a: exchange.assetId(COIN), b: isBuy, p: price, s: size, r: false, t: { limit: { tif } } }],
      grouping: 'na',
    });
  const fills = (query: Partial<typeof LIST> & { cursor?: string } = {}) =>
    readFills(exchange.services.history, call, { ...LIST, ...query } as never);
  const orders = (query: object = {}) => readOrders(exchange.services, call, { ...LIST, ...query } as never);

  it('overview: account value is balance and unrealized PnL; the balance is deposits and gains less fees', async () => {
    await place(true, '10', '101', 'Ioc');
    exchange.nowMs += 1000;
    show('110', '110');
    await place(false, '4', '109', 'Ioc');
    const view = await readOverview(exchange.services, call);
    // Bought 10 at 101 (fee 0.4545), sold 4 at 109 (fee 0.1962): gain 32, 6 left at mark 110.
    expect(view).to.deep.include({ realized_pnl: '32.0', fees_paid: '0.6507', funding_paid: '0.0', unrealized_pnl: '54.0' });
    expect(view).to.deep.include({ balance: '10031.3493', account_value: '10085.3493', plan: 'basic', open_orders: 0 });
    const [position] = (await readPositions(exchange.services, call)).items;
    expect(position).to.deep.include({ coin: COIN, side: 'long', size: '6.0', entry_price: '101.0', mark_price: '110.0' });
    expect(position).to.deep.include({ notional: '660.0', unrealized_pnl: '54.0', margin_mode: 'cross', funding: '0.0' });
    expect(view.positions).to.deep.equal([position]);
  });

  it('fills come newest first in pages that later fills do not move', async () => {
    for (let i = 0; i < 7; i++) await place(i % 2 === 0, '1', i % 2 === 0 ? '101' : '99', 'Ioc');
    const all = (await fills()).items.map(({ tid }) => tid);
    expect(all).to.have.length(7);
    expect(all).to.deep.equal(all.toSorted((a, b) => b - a));
    const first = await fills({ limit: 3 });
    await place(true, '1', '101', 'Ioc');
    const second = await fills({ limit: 3, cursor: first.next_cursor as never });
    const third = await fills({ limit: 3, cursor: second.next_cursor as never });
    expect([...first.items, ...second.items, ...third.items].map(({ tid }) => tid)).to.deep.equal(all);
    expect(third.next_cursor).to.equal(null);
  });

  it('fills of TWAP slices are merged in by their ids, page by page', async () => {
    for (let i = 0; i < 6; i++) await place(true, '1', '101', 'Ioc');
    const rows = exchange.rows.flatMap((row) => (row.kind === 'fills' ? [row] : []));
    rows.forEach((row, i) => {
      if (i % 3 !== 1) return;
      const slice: FillRow = { ...row.row, tid: row.row.tid + 1, twapId: 7 };
      exchange.rows.push({ kind: 'twapFills', number: Math.floor(i / 3), row: slice });
    });
    const all = (await fills()).items.map(({ tid }) => tid);
    expect(all).to.have.length(8);
    const found: number[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await fills({ limit: 3, cursor: (cursor ?? undefined) as never });
      found.push(...page.items.map(({ tid }) => tid));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(found).to.deep.equal(all);
  });

  it('a filter that matches nothing ends, and a cursor of another list or a changed one is refused', async () => {
    for (let i = 0; i < 4; i++) await place(true, '1', '101', 'Ioc');
    expect(await fills({ coin: 'BTC' } as never)).to.deep.equal({ items: [], next_cursor: null });
    const { next_cursor: cursor } = await fills({ limit: 2 });
    for (const query of [{ cursor, coin: COIN }, { cursor: `${cursor}x` }, { cursor: 'W10' }, { cursor: '%' }]) {
      const error: unknown = await fills(query as never).catch((thrown: unknown) => thrown);
      expect(error instanceof RequestError && [error.status, error.code]).to.deep.equal([400, 'invalid_cursor']);
    }
    const text = writeCursor(['list'], [5, 7]);
    expect(readCursor(['list'], text)).to.deep.equal([5, 7]);
    const forged = Buffer.from(Buffer.from(text, 'base64url').toString().replace('5', '6')).toString('base64url');
    expect(() => readCursor(['list'], forged)).to.throw(RequestError);
  });

  it('each order is listed once, as it stands now, with its average price', async () => {
    exchange.setMarket(COIN, {
      mark: '100',
      bids: [['99', '50']],
      asks: [
        ['101', '1'],
        ['103', '3'],
      ],
    });
    await place(true, '4', '103', 'Ioc');
    await place(true, '1', '90');
    await place(true, '1', '100.00001');
    const { items } = await orders();
    expect(items.map(({ status, reason }) => [status, reason])).to.deep.equal([
      ['rejected', 'tickRejected'],
      ['open', null],
      ['filled', null],
    ]);
    expect(items[2]).to.deep.include({ average_price: '102.5', filled_size: '4.0', size: '4.0', coin: COIN, side: 'buy' });
    expect(items[1]).to.deep.include({ average_price: null, filled_size: '0.0', limit_price: '90.0', order_type: 'Limit' });
    for (const status of ['open', 'filled', 'rejected', 'canceled', 'triggered']) {
      const listed = (await orders({ status })).items.map((item) => item.status);
      expect(listed).to.deep.equal(items.map((item) => item.status).filter((one) => one === status));
    }
  });

  it('a stop that has fired and waits for a newer book is listed once, as triggered, and is open', async () => {
    await place(true, '10', '101', 'Ioc');
    await place(false, '1', '99', 'Ioc');
    exchange.setMarket(COIN, { mark: '100', bids: [['99', '1']], asks: [['101', '50']] });
    const asset = exchange.assetId(COIN);
    const limit = { a: asset, b: true, p: '101', s: '2', r: false, t: { limit: { tif: 'Ioc' } } };
    const trigger = { isMarket: true, triggerPx: '100', tpsl: 'sl' };
    const stop = { a: asset, b: false, p: '95', s: '4', r: true, t: { trigger } };
    await exchange.exchange({ type: 'order', orders: [limit, stop], grouping: 'normalTpsl' });
    const [open] = (await readOpenOrders(exchange.services, call, LIST)).items;
    expect(open).to.deep.include({
      status: 'triggered',
      reason: null,
      size: '4.0',
      filled_size: '0.0',
      order_type: 'Stop Market',
    });
    const oids = async (query: object) => (await orders(query)).items.filter(({ oid }) => oid === open?.oid);
    expect((await oids({})).map(({ status }) => status)).to.deep.equal(['triggered']);
    expect((await oids({ status: 'triggered' })).map(({ size }) => size)).to.deep.equal(['4.0']);
    expect(await oids({ status: 'open' })).to.deep.equal([open]);
    await exchange.exchange({ type: 'cancel', cancels: [{ a: asset, o: open?.oid }] });
    expect((await oids({})).map(({ status }) => status)).to.deep.equal(['canceled']);
  });

  it('an order that ends between two pages is on one of them', async () => {
    for (let i = 0; i < 5; i++) await place(true, '1', String(90 - i));
    const first = await orders({ limit: 2 });
    const oids = (await orders({ status: 'open' })).items.map(({ oid }) => oid);
    await exchange.exchange({ type: 'cancel', cancels: [{ a: exchange.assetId(COIN), o: oids[3] }] });
    const second = await orders({ limit: 10, cursor: first.next_cursor });
    expect([...first.items, ...second.items].map(({ oid }) => oid)).to.deep.equal(oids);
    expect(second.items.find(({ oid }) => oid === oids[3])).to.deep.include({ status: 'canceled' });
    expect(second.next_cursor).to.equal(null);
  });

  it('analytics are sums over what userFills, userTwapSliceFills and userFunding tell', async () => {
    for (let i = 0; i < 30; i++) {
      exchange.nowMs += 60_000;
      show(String(100 + (i % 7)), String(100 + (i % 5)));
      await place(i % 3 !== 0, '1.37', i % 3 !== 0 ? '110' : '90', 'Ioc');
    }
    const wire = (await exchange.info({ type: 'userFills' })) as { closedPnl: string; fee: string; px: string; sz: string }[];
    const micro = (text: string): bigint => BigInt(Math.round(Number(text) * 1e6));
    const sum = (of: (fill: (typeof wire)[number]) => string): bigint => wire.reduce((total, one) => total + micro(of(one)), 0n);
    const figures = await readAnalytics(exchange.services, call, 'all');
    expect(micro(figures.fees)).to.equal(sum(({ fee }) => fee));
    expect(figures.fills).to.equal(wire.length);
    expect(figures.complete_since).to.equal(null);
    const {
      realized_pnl: realized,
      fees_paid: fees,
      balance,
      net_deposits: paidIn,
    } = await readOverview(exchange.services, call);
    expect([figures.gross_pnl, figures.fees]).to.deep.equal([realized, fees]);
    // The shown closedPnl comes from cut entry prices: only the exact PnL ends at the balance.
    expect(micro(paidIn) + micro(figures.gross_pnl) - micro(figures.fees)).to.equal(micro(balance));
    expect(sum(({ closedPnl }) => closedPnl)).to.not.equal(micro(figures.gross_pnl));
    const parts = micro(figures.long.gross_pnl) + micro(figures.short.gross_pnl);
    expect(Number(parts - micro(figures.gross_pnl)), 'each half up').to.be.within(-1, 1);
    expect(figures.by_coin.map(({ coin, net_pnl: net }) => [coin, net])).to.deep.equal([[COIN, figures.net_pnl]]);
    expect((await readAnalytics(exchange.services, call, '1d')).fills).to.equal(wire.length);
  });

  it('the equity curve has a point for the deposit, for each fill, and for now, at the marks of their moments', async () => {
    exchange.nowMs += 1000;
    await place(true, '10', '101', 'Ioc');
    exchange.nowMs += 1000;
    show('120', '100');
    const { points, complete_since: since } = await readEquityCurve(exchange.services, call, {
      period: 'all',
      interval: undefined,
    });
    expect(since).to.equal(null);
    expect(points.map(({ equity, balance }) => [equity, balance])).to.deep.equal([
      ['10000.0', '10000.0'],
      ['9989.5455', '9999.5455'],
      ['10189.5455', '9999.5455'],
    ]);
  });

  it('a long curve is thinned to 1,000 points with its ends', async () => {
    for (let number = 1; number <= 3000; number++) {
      const row = { timeMs: exchange.nowMs + number, accountValue: String(10_000 + (number % 17)), balance: '10000.0' };
      exchange.rows.push({ kind: 'equity', number, row: { ...row, netDepositsUsd: '10000.0', openPositions: 0 } });
    }
    exchange.nowMs += 5000;
    const { points } = await readEquityCurve(exchange.services, call, { period: '1d', interval: undefined });
    expect(points).to.have.length(1000);
    expect(points.at(-1)?.time).to.equal(new Date(exchange.nowMs).toISOString());
    const hourly = await readEquityCurve(exchange.services, call, { period: '1d', interval: '1h' });
    expect(hourly.points.length).to.be.lessThan(5);
  });

  it('a curve longer than what one request reads says where it begins, as analytics do', async () => {
    const row = { accountValue: '10000.0', balance: '10000.0', netDepositsUsd: '10000.0', openPositions: 0 };
    for (let number = 1; number <= ROWS_MAX + 3000; number++) {
      exchange.rows.push({ kind: 'equity', number, row: { ...row, timeMs: exchange.nowMs + number } });
    }
    exchange.nowMs += 200_000;
    const curve = await readEquityCurve(exchange.services, call, { period: 'all', interval: undefined });
    expect(curve.points).to.have.length(1000);
    expect(curve.complete_since).to.equal(curve.points[0]?.time);
    expect((await readAnalytics(exchange.services, call, 'all')).complete_since).to.equal(curve.complete_since);
  });
});
