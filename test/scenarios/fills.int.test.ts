// Fills of takers from the displayed book and of resting orders from public trades, through the public API: the
// rules' worked examples, and the life of an order that waits.
import { expect } from 'chai';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

const NOTHING_TO_MATCH = 'Order could not immediately match against any resting orders. asset=5';

describe('fills through the API', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
  });
  beforeEach(async () => {
    trader = await exchange.trader();
  });
  afterEach(() => trader.expectConsistent());

  const buy = (sz: string, px = '101') => trader.place({ coin: 'SOL', px, sz, tif: 'Ioc' });

  it('EX-3.2, edge 42, edge 43: what was taken is not sold twice', async () => {
    const bids = [['99.9', '50']] as const;
    const asks = [
      ['100', '5'],
      ['100.1', '10'],
      ['100.2', '20'],
    ] as const;
    await exchange.book('SOL', { bids, asks, mark: '100' });
    // 1200.7 / 12 and 1202.1 / 12, cut to four decimals.
    expect(await buy('12')).to.deep.equal(['filled 12.0 @ 100.0583']);
    expect(await buy('12')).to.deep.equal(['filled 12.0 @ 100.175']);
    expect(await trader.fills()).to.deep.equal([
      'B 5.0 @ 100.0 taker',
      'B 7.0 @ 100.1 taker',
      'B 3.0 @ 100.1 taker',
      'B 9.0 @ 100.2 taker',
    ]);
    // The same again: 0, 0 and 11 are left.
    await exchange.book('SOL', { bids, asks });
    expect(await buy('2', '100.1')).to.deep.equal([NOTHING_TO_MATCH]);
    expect(await buy('12', '100.2')).to.deep.equal(['filled 11.0 @ 100.2']);
    await exchange.book('SOL', { bids, asks: [['100', '8'], ...asks.slice(1)] });
    expect(await buy('9', '100')).to.deep.equal(['filled 3.0 @ 100.0']);
    await exchange.book('SOL', { bids, asks: asks.slice(1) });
    await exchange.book('SOL', { bids, asks });
    expect(await buy('9', '100')).to.deep.equal([NOTHING_TO_MATCH]);
    // A level that shrinks below what was taken has nothing, and gives its growth back.
    await exchange.book('SOL', { bids, asks: [['100', '2'], ...asks.slice(1)] });
    expect(await buy('9', '100')).to.deep.equal([NOTHING_TO_MATCH]);
    await exchange.book('SOL', { bids, asks: [['100', '6'], ...asks.slice(1)] });
    expect(await buy('9', '100')).to.deep.equal(['filled 4.0 @ 100.0']);
  });

  it('each account faces the book alone', async () => {
    const other = await exchange.trader();
    await exchange.book('SOL', { bids: [['99.9', '50']], asks: [['100', '5']], mark: '100' });
    expect(await buy('5')).to.deep.equal(['filled 5.0 @ 100.0']);
    expect(await other.place({ coin: 'SOL', px: '101', sz: '5', tif: 'Ioc' })).to.deep.equal(['filled 5.0 @ 100.0']);
    await other.expectConsistent();
  });

  it('EX-1.6b, edge 16, edge 17: an Ioc takes what there is inside its limit', async () => {
    await exchange.book('WIF', {
      bids: [['0.2875', '500']],
      asks: [
        ['0.2876', '136'],
        ['0.29', '5'],
      ],
      mark: '0.2876',
    });
    expect(await trader.place({ coin: 'WIF', px: '0.2876', sz: '200', tif: 'Ioc' })).to.deep.equal(['filled 136.0 @ 0.2876']);
    expect(await trader.statuses()).to.deep.equal(['canceled']);
    const [{ order }] = await trader.info('historicalOrders');
    expect(order).to.deep.include({ sz: '64.0', origSz: '200.0' });
    const missed = await trader.place({ coin: 'WIF', px: '0.2875', sz: '200', tif: 'Ioc' });
    expect(missed).to.deep.equal(['Order could not immediately match against any resting orders. asset=98']);
    expect(await trader.statuses()).to.deep.equal(['canceled', 'iocCancelRejected']);
    expect(await trader.open()).to.deep.equal([]);
    expect(await trader.place({ coin: 'WIF', px: '0.3', sz: '200', tif: 'Ioc' })).to.deep.equal(['filled 5.0 @ 0.29']);
  });

  it('EX-3.3: one fill per level, each with its start', async () => {
    await exchange.book('SUI', { bids: [['1.31', '5000']], asks: [['1.3199', '5000']], mark: '1.3199' });
    await trader.place({ coin: 'SUI', px: '1.32', sz: '4623.5', tif: 'Ioc' });
    await exchange.book('SUI', {
      bids: [
        ['1.3189', '142.7'],
        ['1.3167', '3749.1'],
        ['1.3093', '9000'],
      ],
      asks: [['1.3199', '5000']],
    });
    const sold = await trader.place({ coin: 'SUI', buy: false, px: '1.2', sz: '4623.5', tif: 'Ioc' });
    expect(sold).to.deep.equal(['filled 4623.5 @ 1.31559']);
    const rows = (await trader.info('userFills')).slice(0, 3).reverse();
    expect(rows.map(({ px, sz, startPosition, dir }: Record<string, string>) => [px, sz, startPosition, dir])).to.deep.equal([
      ['1.3189', '142.7', '4623.5', 'Close Long'],
      ['1.3167', '3749.1', '4480.8', 'Close Long'],
      ['1.3093', '731.7', '731.7', 'Close Long'],
    ]);
    expect(new Set(rows.map(({ time, oid, hash }: Record<string, string>) => `${time} ${oid} ${hash}`)).size).to.equal(1);
    // 188.20703 + 4936.43997 + 958.01481 = 6082.66181; entry 1.3199.
    expect(rows.map(({ closedPnl, fee }: Record<string, string>) => [closedPnl, fee])).to.deep.equal([
      ['-0.1427', '0.084693'],
      ['-11.99712', '2.221397'],
      ['-7.75602', '0.431106'],
    ]);
    const [merged] = await trader.info('userFills', { aggregateByTime: true });
    expect(merged).to.deep.include({ sz: '4623.5', startPosition: '4623.5' });
  });

  it('EX-2.9, edge 49: an own order in the way is canceled, never filled', async () => {
    const bids = [['99.9', '50']] as const;
    const asks = [
      ['100.1', '2'],
      ['100.2', '5'],
    ] as const;
    await exchange.book('SOL', { bids, asks, mark: '100' });
    const own = await trader.rest({ coin: 'SOL', buy: false, px: '100.2', sz: '1' });
    // A walk that ends before 100.2 leaves it alone.
    expect(await buy('1')).to.deep.equal(['filled 1.0 @ 100.1']);
    expect(await trader.status(own)).to.equal('open 1.0/1.0');
    await exchange.book('SOL', { bids, asks: [['100.2', '5']] });
    await exchange.book('SOL', { bids, asks });
    // So does an order that finds enough ahead of it at its price.
    expect(await buy('4', '100.5')).to.deep.equal(['filled 4.0 @ 100.175']);
    expect(await trader.status(own)).to.equal('open 1.0/1.0');
    // 3 of the 5 are left ahead, and 4 joined behind.
    await exchange.book('SOL', { bids, asks: [['100.2', '9']] });
    expect(await buy('4', '100.5')).to.deep.equal(['filled 4.0 @ 100.2']);
    expect(await trader.status(own)).to.equal('selfTradeCanceled 1.0/1.0');
    // With nothing else there, the rest of a Gtc rests.
    await exchange.book('SOL', { bids, asks: [['105', '5']] });
    const other = await trader.rest({ coin: 'SOL', buy: false, px: '104', sz: '9' });
    expect(await trader.place({ coin: 'SOL', px: '104.5', sz: '1', tif: 'Alo' })).to.deep.equal([
      'Post only order would have immediately matched, bbo was 99.9@104. asset=5',
    ]);
    expect(await trader.place({ coin: 'SOL', px: '104.5', sz: '1' })).to.deep.equal(['resting']);
    expect(await trader.status(other)).to.equal('selfTradeCanceled 9.0/9.0');
    expect(await trader.open()).to.deep.equal(['B 1.0/1.0 @ 104.5']);
  });

  it('EX-3.2b: a queue of 100 ahead', async () => {
    await exchange.book('SOL', { bids: [['99.5', '100']], asks: [['100', '50']], mark: '99.5' });
    await trader.rest({ coin: 'SOL', px: '99.5', sz: '50' });
    await exchange.trades('SOL', ['A', '99.5', '80']);
    expect(await trader.fills()).to.deep.equal([]);
    await exchange.trades('SOL', ['A', '99.5', '30']);
    expect(await trader.open()).to.deep.equal(['B 40.0/50.0 @ 99.5']);
    await exchange.trades('SOL', ['A', '99.5', '50']);
    expect(await trader.fills()).to.deep.equal(['B 10.0 @ 99.5 maker', 'B 40.0 @ 99.5 maker']);
    expect(await trader.statuses()).to.deep.equal(['filled']);
  });

  it('EX-3.2c, edge 44, edge 45, edge 46: at the price, shown smaller, through it; repeated and late trades; one budget for all', async () => {
    const asks = [['100', '50']] as const;
    await exchange.book('SOL', { bids: [['99.5', '40']], asks, mark: '99.5' });
    const placedAt = Date.now();
    await trader.rest({ coin: 'SOL', px: '99.5', sz: '10' });
    await exchange.trades('SOL', ['A', '99.5', '25']);
    await exchange.book('SOL', { bids: [['99.5', '8']], asks });
    // Trades of buyers, short of the limit, of before the order: nothing.
    await exchange.trades('SOL', ['B', '100', '5'], ['A', '99.6', '5']);
    const late = { op: 'trade', coin: 'SOL', side: 'A', px: '99', sz: '50', keepBook: true } as const;
    await exchange.stack.market.control({ ...late, time: placedAt - 5000 });
    await exchange.settled();
    expect(await trader.fills()).to.deep.equal([]);
    const tid = 2 ** 49 + 77;
    const through = { ...late, px: '99.4', sz: '6', tid };
    await exchange.stack.market.control(through);
    await exchange.settled();
    expect(await trader.fills()).to.deep.equal(['B 6.0 @ 99.5 maker']);
    await exchange.stack.market.control(through);
    await exchange.settled();
    expect(await trader.open()).to.deep.equal(['B 4.0/10.0 @ 99.5']);
    await exchange.trades('SOL', ['A', '99.5', '100']);
    expect(await trader.fills()).to.deep.equal(['B 6.0 @ 99.5 maker', 'B 4.0 @ 99.5 maker']);

    await exchange.book('SOL', { bids: [['99', '40']], asks });
    await trader.place({ coin: 'SOL', px: '99.5', sz: '1' }, { coin: 'SOL', px: '99.5', sz: '1' });
    await exchange.trades('SOL', ['A', '99.5', '1.5']);
    expect(await trader.open()).to.deep.equal(['B 0.5/1.0 @ 99.5']);
  });

  it('a fill is explained by the trade and the queue, an open order by what it waits for', async () => {
    const levels = { bids: [['99.5', '40']], asks: [['100', '5']], mark: '100' } as const;
    await exchange.book('SOL', levels);
    const oid = await trader.rest({ coin: 'SOL', px: '99.5', sz: '3' });
    const waiting = await trader.info('explainOrder', { oid });
    expect(waiting.open).to.include({ reason: 'inQueue', queueAhead: '40.0', markPx: '100.0' });
    expect(waiting.open.bbo).to.deep.equal(['99.5', '100.0']);
    expect(waiting.fills).to.deep.equal([]);

    await exchange.trades('SOL', ['A', '99.5', '41']);
    const { open, fills } = await trader.info('explainOrder', { oid });
    expect(open).to.include({ reason: 'frontOfQueue', queueAhead: '0.0' });
    const [{ fill, evidence }, ...others] = fills;
    expect(others).to.deep.equal([]);
    expect(fill).to.include({ oid, px: '99.5', sz: '1.0', crossed: false });
    expect(evidence).to.include({ source: 'trade', queueAhead: '40.0', book: null });
    expect(evidence.trade).to.include({ px: '99.5', sz: '41.0', leftForOrder: '1.0' });
    expect(await trader.info('explainFill', { tid: fill.tid })).to.deep.equal({ status: 'fill', fill, evidence });

    await exchange.book('SOL', { ...levels, bids: [['98', '1']], asks: [['99', '9']] });
    const ended = await trader.info('explainOrder', { oid });
    expect([ended.order.status, ended.open]).to.deep.equal(['filled', null]);
    const gap = ended.fills[1].evidence;
    expect(gap.source).to.equal('bookGap');
    expect(gap.book.levels).to.deep.equal([{ px: '99.0', displayedSz: '9.0', consumedBefore: '0.0', takenSz: '2.0' }]);
    expect(await trader.info('explainFill', { tid: 1 })).to.deep.equal({ status: 'unknownTid' });
  });

  it('an own order improves on another: the better price is served first, each at its own limit', async () => {
    await exchange.book('SOL', { bids: [['99', '40']], asks: [['100', '50']], mark: '99' });
    await trader.place(
      { coin: 'SOL', px: '99.2', sz: '1' },
      { coin: 'SOL', px: '99.5', sz: '1' },
      { coin: 'SOL', px: '98', sz: '1' },
    );
    await exchange.trades('SOL', ['A', '99.1', '1.4']);
    expect(await trader.fills()).to.deep.equal(['B 1.0 @ 99.5 maker', 'B 0.4 @ 99.2 maker']);
    expect(await trader.open()).to.deep.equal(['B 0.6/1.0 @ 99.2', 'B 1.0/1.0 @ 98.0']);
  });

  it('a modify, even to a smaller size, goes to the end of the queue; edge 21, edge 24', async () => {
    const bids = [['99.5', '20']] as const;
    await exchange.book('SOL', { bids, asks: [['100', '50']], mark: '99.5' });
    const oid = await trader.rest({ coin: 'SOL', px: '99.5', sz: '10' });
    await exchange.trades('SOL', ['A', '99.5', '22']);
    expect(await trader.status(oid)).to.equal('open 8.0/10.0');
    await exchange.book('SOL', { bids, asks: [['100', '50']] });
    expect(await trader.modify({ oid, order: { coin: 'SOL', px: '99.5', sz: '5' } })).to.deep.equal(['resting']);
    expect(await trader.status(oid)).to.equal('canceled 8.0/10.0');
    const [{ oid: newer }] = await trader.info('openOrders');
    expect(newer).to.be.greaterThan(oid);
    await exchange.trades('SOL', ['A', '99.5', '19']);
    expect(await trader.open()).to.deep.equal(['B 5.0/5.0 @ 99.5']);
    await exchange.trades('SOL', ['A', '99.5', '3']);
    expect(await trader.open()).to.deep.equal(['B 3.0/5.0 @ 99.5']);
    await exchange.trades('SOL', ['A', '99.5', '3']);
    const late = await trader.modify({ oid: newer, order: { coin: 'SOL', px: '99', sz: '5' } });
    expect(late).to.deep.equal(['Cannot modify canceled or filled order']);
    expect(await trader.open()).to.deep.equal([]);
  });

  it('edge 15: a Gtc that crosses half rests with the rest; it pays two rates (edge 79)', async () => {
    await exchange.book('SOL', {
      bids: [['99', '5']],
      asks: [
        ['100', '4'],
        ['101', '5'],
      ],
      mark: '100',
    });
    expect(await trader.place({ coin: 'SOL', px: '100', sz: '10' })).to.deep.equal(['filled 4.0 @ 100.0']);
    expect(await trader.open()).to.deep.equal(['B 6.0/10.0 @ 100.0']);
    await exchange.book('SOL', { bids: [['99', '5']], asks: [['101', '5']] });
    await exchange.trades('SOL', ['A', '100', '6']);
    const rows = (await trader.info('userFills')).map(({ px, sz, fee, crossed }: Record<string, unknown>) => [
      px,
      sz,
      fee,
      crossed,
    ]);
    expect(rows).to.deep.equal([
      ['100.0', '6.0', '0.09', false],
      ['100.0', '4.0', '0.18', true],
    ]);
  });

  it('edge 50: a book that crosses a resting order without a trade fills what it shows, at the limit, once', async () => {
    const bids = [['98', '5']] as const;
    await exchange.book('SOL', { bids, asks: [['101', '5']], mark: '100' });
    await trader.rest({ coin: 'SOL', px: '100', sz: '10' });
    await exchange.book('SOL', {
      bids,
      asks: [
        ['99', '3'],
        ['99.5', '1'],
        ['101', '5'],
      ],
    });
    expect(await trader.fills()).to.deep.equal(['B 4.0 @ 100.0 maker']);
    await exchange.book('SOL', {
      bids,
      asks: [
        ['99', '3'],
        ['99.5', '1'],
        ['101', '5'],
      ],
    });
    expect(await trader.open()).to.deep.equal(['B 6.0/10.0 @ 100.0']);
    // The liquidity that the resting order took is gone for a taker, too.
    expect(await buy('2', '99.5')).to.deep.equal([NOTHING_TO_MATCH]);
    await exchange.book('SOL', {
      bids,
      asks: [
        ['99', '5'],
        ['99.5', '1'],
        ['101', '5'],
      ],
    });
    expect(await trader.open()).to.deep.equal(['B 4.0/10.0 @ 100.0']);
  });

  it('edge 51: a price out of sight has no queue until it is shown', async () => {
    const level = (px: number, sz: string): [string, string] => [px.toFixed(1), sz];
    const shown = Array.from({ length: 20 }, (_, index) => level(99.9 - index / 10, '1'));
    await exchange.book('SOL', { bids: shown, asks: [['100.1', '5']], mark: '100' });
    await trader.rest({ coin: 'SOL', px: '97', sz: '2' });
    const lower = Array.from({ length: 20 }, (_, index) => level(98.4 - index / 10, '7'));
    await exchange.book('SOL', { bids: lower, asks: [['98.6', '5']] });
    await exchange.trades('SOL', ['A', '97', '7']);
    expect(await trader.open()).to.deep.equal(['B 2.0/2.0 @ 97.0']);
    await exchange.trades('SOL', ['A', '97', '1']);
    expect(await trader.open()).to.deep.equal(['B 1.0/2.0 @ 97.0']);
  });

  it('edge 52: three levels through zero, one of the fills flips', async () => {
    await exchange.book('SOL', {
      bids: [
        ['99.9', '1'],
        ['99.8', '2'],
        ['99.7', '2'],
      ],
      asks: [['100', '9']],
      mark: '100',
    });
    await buy('2');
    expect(await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '5', tif: 'Ioc' })).to.deep.equal(['filled 5.0 @ 99.78']);
    const dirs = (await trader.info('userFills')).reverse().map(({ dir, sz }: Record<string, string>) => `${dir} ${sz}`);
    expect(dirs).to.deep.equal(['Open Long 2.0', 'Close Long 1.0', 'Long > Short 2.0', 'Open Short 2.0']);
  });

  it('edge 47, edge 48: no fill on old data or an empty side; resting orders stay', async () => {
    await exchange.book('SOL', { bids: [['99.9', '5']], asks: [], mark: '100' });
    const resting = await trader.rest({ coin: 'SOL', px: '99', sz: '1' });
    expect(await buy('1')).to.deep.equal([NOTHING_TO_MATCH]);
    expect(await trader.place({ coin: 'SOL', buy: false, px: '99.9', sz: '1', tif: 'Ioc' })).to.deep.equal(['filled 1.0 @ 99.9']);
    expect((await trader.position('SOL')).positionValue).to.equal('100.0');
    expect(await trader.status(resting)).to.equal('open 1.0/1.0');
  });

  it('a feed that was cut: what traded meanwhile fills nothing afterwards, a book that still crosses does', async () => {
    const bids = [['99.5', '1']] as const;
    await exchange.book('SOL', { bids, asks: [['100', '5']], mark: '100' });
    await trader.rest({ coin: 'SOL', px: '99', sz: '1' });
    await exchange.stack.market.control({ op: 'disconnect', refuseMs: 300 });
    await exchange.stack.market.control({ op: 'trade', coin: 'SOL', side: 'A', px: '90', sz: '50', keepBook: true });
    await exchange.book('SOL', { bids, asks: [['100', '5']] });
    expect(await trader.fills()).to.deep.equal([]);
    await exchange.trades('SOL', ['A', '98', '0.4']);
    expect(await trader.fills()).to.deep.equal(['B 0.4 @ 99.0 maker']);
    await exchange.stack.waitHealthy();
  });

  it("EX-3.2e: half of what was taken of a level is back at the first newer book after 30 s of the feed's time, and nothing sooner", async () => {
    const asks = [['10', '5']] as const;
    await exchange.book('APT', { bids: [['9.9', '5']], asks, mark: '10' });
    const take = () => trader.place({ coin: 'APT', px: '10', sz: '5', tif: 'Ioc' });
    const atMs = Date.now();
    const later = async (ms: number, ask = '10') => {
      const level = (px: string) => [{ px, sz: '5', n: 1 }];
      const data = { coin: 'APT', time: atMs + ms, levels: [level('9.9'), level(ask)] };
      await exchange.stack.market.control({ op: 'send', text: JSON.stringify({ channel: 'l2Book', data }) });
      await exchange.settled();
    };
    // By the feed's time alone, however long the machine takes; frames more than 60 s ahead of the clock are not believed.
    await later(0);
    expect(await take()).to.deep.equal(['filled 5.0 @ 10.0']);
    await later(28_000, '10.1');
    await later(28_100);
    expect(await take()).to.deep.equal(['Order could not immediately match against any resting orders. asset=27']);
    await later(34_000);
    expect(await take()).to.deep.equal(['filled 2.5 @ 10.0']);
  });

  it('a book that a test sets is new, and a reset forgets what was taken (rule 3.2)', async () => {
    await exchange.book('DYDX', { bids: [['9.0', '50']], asks: [['9.01', '50']], mark: '9' });
    const set = async () => {
      const sides = { bids: [['9.0', '50']], asks: [['9.01', '50']] } as const;
      await exchange.stack.market.control({ op: 'setBook', coin: 'DYDX', ...sides, isNew: true });
      await exchange.settled();
    };
    const take = () => trader.place({ coin: 'DYDX', px: '9.01', sz: '50', tif: 'Ioc' });
    const nothing = [`Order could not immediately match against any resting orders. asset=${exchange.asset('DYDX')}`];
    const filled = ['filled 50.0 @ 9.01'];
    for (const renew of [set, set, () => trader.reset()]) {
      await renew();
      expect(await take()).to.deep.equal(filled);
      expect(await take()).to.deep.equal(nothing);
    }
  });
});
