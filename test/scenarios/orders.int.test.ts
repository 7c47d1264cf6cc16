// Which orders are accepted and how they end, through the public API: prices, sizes and values at the limits,
// reduce-only, client ids, batches, modifies, and repeated requests.
import { expect } from 'chai';
import type { OrderFields } from '../support/orderWire.ts';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

const GONE = 'Order was never placed, already canceled, or filled. asset=5';
const WOULD_INCREASE = 'Reduce only order would increase position. asset=5';
const TOO_SMALL = 'Order must have minimum value of $10. asset=5';
const TOO_FAR = 'Order price cannot be more than 95% away from the reference price';
const CLOID = `0x${'ab'.repeat(16)}`;

describe('orders through the API', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
  });
  beforeEach(async () => {
    trader = await exchange.trader();
    await exchange.book('SOL', { bids: [['99.9', '500']], asks: [['100', '500']], mark: '100' });
  });
  afterEach(() => trader.expectConsistent());

  const sol = (fields: OrderFields) => trader.place({ coin: 'SOL', ...fields });

  describe('prices', () => {
    const off = (coin: string) => `Price must be divisible by tick size. asset=${exchange.asset(coin)}`;
    const INVALID = 'Order has invalid price.';
    /** `true`: rests. The book lies far above, so that a buy rests. */
    const rows: readonly (readonly [coin: string, px: string, wanted: true | 'tick' | 'invalid', mark: string])[] = [
      ['DYDX', '1234.5', true, '1240'],
      ['DYDX', '1234.56', 'tick', '1240'],
      ['DOGE', '0.001234', true, '0.0013'],
      ['DOGE', '0.0012345', 'invalid', '0.0013'],
      ['DYDX', '0.01234', true, '0.013'],
      ['DYDX', '0.012345', 'invalid', '0.013'],
      ['BTC', '123456', true, '123460'],
      ['BTC', '12345.6', 'tick', '12346'],
      ['BTC', '97123', true, '97130'],
      ['BTC', '97123.5', 'tick', '97130'],
      ['ETH', '2458.5', true, '2459'],
      ['ETH', '2458.50', true, '2459'],
      ['ETH', '2458.53', 'tick', '2459'],
      ['DYDX', '9.9999', true, '10.1'],
      ['DYDX', '10.0', true, '10.1'],
      ['DYDX', '10.0001', 'tick', '10.1'],
      ['BTC', '100001', true, '100100'],
      ['BTC', '100000.5', 'tick', '100100'],
      ['BTC', '1.5000', true, '1.6'],
      ['BTC', '1.5', true, '1.6'],
      ['DOGE', '0.000001', true, '0.000002'],
      ['DOGE', '0.0000001', 'invalid', '0.0000002'],
      ['BTC', '13000.12345', 'tick', '14000'],
      ['SOL', '0', 'invalid', '100'],
    ];

    it('EX-1.1, edge 1, edge 2, edge 3', async () => {
      const seen: unknown[] = [];
      const wanted: unknown[] = [];
      for (const [coin, px, legal, mark] of rows) {
        const far = (Number(mark) * 1.2).toPrecision(2);
        await exchange.book(coin, {
          bids: [],
          asks: [[String(Number(far)).includes('e') ? Number(far).toFixed(7) : String(Number(far)), '1']],
          mark,
        });
        const sizeDecimals: number = (await trader.info('meta')).universe[exchange.asset(coin)].szDecimals;
        const sz = (
          Math.ceil((12 / Math.max(Number(px), 1e-7)) * 10 ** Math.min(sizeDecimals, 3)) /
          10 ** Math.min(sizeDecimals, 3)
        ).toString();
        const [answer] = await trader.place({ coin, px, sz: px === '0' ? '1' : sz });
        seen.push([coin, px, answer]);
        wanted.push([coin, px, legal === true ? 'resting' : legal === 'tick' ? off(coin) : INVALID]);
        await cancelAll();
      }
      expect(seen).to.deep.equal(wanted);
    });

    const cancelAll = async () => {
      const open = await trader.info('openOrders');
      for (const { coin, oid } of open) await trader.cancel([coin, oid]);
    };

    it('EX-1.4, edge 7: the band, and one answer for the whole batch', async () => {
      await exchange.book('BTC', { bids: [], asks: [], mark: '65000' });
      const buy = (px: string, sz: string) => trader.place({ coin: 'BTC', px, sz });
      expect(await buy('3250', '0.01')).to.deep.equal([TOO_FAR]);
      expect(await buy('3251', '0.01')).to.deep.equal(['resting']);
      expect(await buy('1300000', '0.00002')).to.deep.equal(['resting']);
      expect(await buy('1300001', '0.00002')).to.deep.equal([TOO_FAR]);
      const good = { coin: 'SOL', px: '90', sz: '1' };
      expect(await trader.place(good, { coin: 'SOL', px: '2000.1', sz: '1' }, good)).to.deep.equal([TOO_FAR]);
      expect(await trader.open()).to.have.length(2);
    });

    it('edge 8: price 0 is a market order for an Ioc only', async () => {
      expect(await sol({ px: '0', sz: '1', tif: 'Ioc' })).to.deep.equal(['filled 1.0 @ 100.0']);
      expect(await sol({ px: '0', sz: '1', tif: 'FrontendMarket', buy: false })).to.deep.equal(['filled 1.0 @ 99.9']);
      expect(await sol({ px: '0', sz: '1' })).to.deep.equal([INVALID]);
      expect(await sol({ px: '0', sz: '1', tif: 'Alo' })).to.deep.equal([INVALID]);
      // Nothing within 8 % of the mid.
      await exchange.book('SOL', {
        bids: [['99.9', '5']],
        asks: [
          ['100', '3'],
          ['107.9', '1'],
          ['108', '1'],
        ],
        mark: '100',
      });
      // The level of 100 was taken above; the limit is 99.95 * 1.08 = 107.946, bought at the price below.
      expect(await sol({ px: '0', sz: '5', tif: 'Ioc' })).to.deep.equal(['filled 3.0 @ 102.6333']);
    });

    it('edge 9: what is not a plain decimal number cannot be read', async () => {
      for (const wrong of ['1e3', '+1', ' 1', '.5', '1.', 'NaN', '-100', '1.123456789', '']) {
        for (const fields of [
          { px: wrong, sz: '1' },
          { px: '100', sz: wrong },
        ]) {
          const good = { coin: 'SOL', px: '90', sz: '1' };
          const { status } = await trader.act(trader.orderAction(good, { coin: 'SOL', ...fields }));
          expect(status, `${JSON.stringify(fields)}`).to.be.within(400, 499);
        }
      }
      expect(await trader.open()).to.deep.equal([]);
    });
  });

  describe('sizes and values', () => {
    it('lots: 0 and parts of a lot', async () => {
      expect(await sol({ px: '90', sz: '1.001' })).to.deep.equal(['Order has invalid size.']);
      expect(await sol({ px: '90', sz: '1.010' })).to.deep.equal(['resting']);
      expect(await sol({ px: '90', sz: '0' })).to.deep.equal(['Order has zero size.']);
      expect(await sol({ px: '90', sz: '0.00' })).to.deep.equal(['Order has zero size.']);
    });

    it('EX-1.3, edge 5: the price that counts is the first it would execute at', async () => {
      const at = async (ask: string, fields: OrderFields) => {
        await exchange.book('BNB', { bids: [['9.5', '90']], asks: [[ask, '90']], mark: ask });
        return trader.place({ coin: 'BNB', ...fields });
      };
      const tooSmall = ['Order must have minimum value of $10. asset=7'];
      expect(await at('9.76', { px: '10.5', sz: '1.024', tif: 'Ioc' })).to.deep.equal(tooSmall);
      expect(await at('9.77', { px: '10.5', sz: '1.024', tif: 'Ioc' })).to.deep.equal(['filled 1.024 @ 9.77']);
      expect(await at('11', { px: '10', sz: '1' })).to.deep.equal(['resting']);
      expect(await at('11', { px: '10', sz: '0.999' })).to.deep.equal(tooSmall);
      // A Gtc that crosses: its limit price.
      expect(await at('9.6', { px: '10', sz: '1', buy: true })).to.deep.equal(['filled 1.0 @ 9.6']);
      // An Ioc without a match: its limit price.
      expect(await at('11', { px: '9.99', sz: '1', tif: 'Ioc' })).to.deep.equal(tooSmall);
    });

    it('edge 4, edge 6: only a close of the whole position may be small', async () => {
      await sol({ px: '100', sz: '0.13', tif: 'Ioc' });
      expect(await sol({ px: '99', sz: '0.05', buy: false, tif: 'Ioc', reduceOnly: true })).to.deep.equal([TOO_SMALL]);
      expect(await sol({ px: '99', sz: '0.05', buy: false, tif: 'Ioc' })).to.deep.equal([TOO_SMALL]);
      expect(await sol({ px: '101', sz: '0.05', buy: false })).to.deep.equal([TOO_SMALL]);
      await exchange.book('SOL', { bids: [['110', '500']], asks: [['110.1', '500']], mark: '110' });
      expect(await sol({ px: '99', sz: '0.10', buy: false, tif: 'Ioc' })).to.deep.equal(['filled 0.1 @ 110.0']);
      // 0.03 are left. A flip below 10 USD is refused, the exact close is not, as reduce-only a larger one is cut.
      expect(await sol({ px: '99', sz: '0.05', buy: false, tif: 'Ioc' })).to.deep.equal([TOO_SMALL]);
      expect(await sol({ px: '99', sz: '0.03', buy: false, tif: 'Ioc' })).to.deep.equal(['filled 0.03 @ 110.0']);
      await sol({ px: '111', sz: '0.13', tif: 'Ioc' });
      await sol({ px: '99', sz: '0.11', buy: false, tif: 'Ioc' });
      expect(await sol({ px: '99', sz: '0.05', buy: false, tif: 'Ioc', reduceOnly: true })).to.deep.equal([
        'filled 0.02 @ 110.0',
      ]);
    });

    it('the largest values of market and limit orders', async () => {
      await exchange.book('INJ', { bids: [['9.9', '1']], asks: [['10', '1']], mark: '10' });
      const inj = (fields: OrderFields) => trader.place({ coin: 'INJ', ...fields });
      expect(await inj({ px: '10', sz: '200000.1', tif: 'Ioc' })).to.deep.equal(['Order value too large. Max is $2000000.']);
      expect(await inj({ px: '9', sz: '2222222.3' })).to.deep.equal(['Order value too large. Max is $20000000.']);
      const tier = 'Order would cause position to exceed margin tier limit at current leverage';
      expect(await inj({ px: '9', sz: '2222222.2' })).to.deep.equal([tier]);
      expect(await inj({ px: '9', sz: '300000' })).to.deep.equal(['Insufficient margin to place order. asset=13']);
    });
  });

  describe('post-only', () => {
    it('edge 14: at the best ask refused with the bbo, one tick below it rests', async () => {
      expect(await sol({ px: '100', sz: '1', tif: 'Alo' })).to.deep.equal([
        'Post only order would have immediately matched, bbo was 99.9@100. asset=5',
      ]);
      expect(await sol({ px: '99.99', sz: '1', tif: 'Alo' })).to.deep.equal(['resting']);
      expect(await trader.statuses()).to.deep.equal(['badAloPxRejected', 'open']);
      await exchange.trades('SOL', ['A', '99.98', '5']);
      expect(await trader.fills()).to.deep.equal(['B 1.0 @ 99.99 maker']);
    });
  });

  describe('reduce-only', () => {
    const reduce = (sz: string, px = '99', tif: 'Ioc' | 'Gtc' = 'Ioc') => sol({ px, sz, buy: false, tif, reduceOnly: true });

    it('EX-2.3, edge 25: never more than the position', async () => {
      expect(await reduce('1')).to.deep.equal([WOULD_INCREASE]);
      expect(await reduce('1', '105', 'Gtc')).to.deep.equal([WOULD_INCREASE]);
      await sol({ px: '100', sz: '2', tif: 'Ioc' });
      expect(await sol({ px: '100', sz: '1', tif: 'Ioc', reduceOnly: true })).to.deep.equal([WOULD_INCREASE]);
      expect(await reduce('5', '105', 'Gtc')).to.deep.equal(['resting']);
      expect(await trader.open()).to.deep.equal(['A 2.0/2.0 @ 105.0 reduce']);
      expect(await reduce('5')).to.deep.equal(['filled 2.0 @ 99.9']);
      expect(await trader.open()).to.deep.equal([]);
      expect(await trader.statuses()).to.include('reduceOnlyCanceled');
      await sol({ px: '99', sz: '1', buy: false, tif: 'Ioc' });
      expect(await reduce('1')).to.deep.equal([WOULD_INCREASE]);
    });

    it('EX-2.3, edge 27: it shrinks with the position, does not grow back, and ends with it', async () => {
      await sol({ px: '100', sz: '2', tif: 'Ioc' });
      await reduce('2', '105', 'Gtc');
      await sol({ px: '99', sz: '1', buy: false, tif: 'Ioc' });
      expect(await trader.open()).to.deep.equal(['A 1.0/1.0 @ 105.0 reduce']);
      await sol({ px: '100', sz: '4', tif: 'Ioc' });
      expect(await trader.open()).to.deep.equal(['A 1.0/1.0 @ 105.0 reduce']);
      const [{ oid }] = await trader.info('openOrders');
      expect((await trader.info('explainOrder', { oid })).requestedSz).to.equal('2.0');
      await sol({ px: '99', sz: '5', buy: false, tif: 'Ioc' });
      expect(await trader.status(oid)).to.equal('reduceOnlyCanceled 1.0/1.0');
    });

    it('edge 26, edge 28: two of them, and a flip', async () => {
      await sol({ px: '100', sz: '1', tif: 'Ioc' });
      const [first, second] = [
        await trader.rest({ coin: 'SOL', buy: false, px: '110', sz: '1', reduceOnly: true }),
        await trader.rest({ coin: 'SOL', buy: false, px: '120', sz: '1', reduceOnly: true }),
      ];
      expect(await trader.status(first)).to.equal('reduceOnlyCanceled 1.0/1.0');
      await exchange.trades('SOL', ['B', '121', '50']);
      expect(await trader.status(second)).to.equal('filled 0.0/1.0');
      expect(await trader.position('SOL')).to.equal(undefined);

      await exchange.book('SOL', { bids: [['99.9', '500']], asks: [['100', '500']], mark: '100' });
      await sol({ px: '100', sz: '1', tif: 'Ioc' });
      const held = await trader.rest({ coin: 'SOL', buy: false, px: '110', sz: '1', reduceOnly: true });
      await sol({ px: '99', sz: '3', buy: false, tif: 'Ioc' });
      expect(await trader.status(held)).to.equal('reduceOnlyCanceled 1.0/1.0');
    });

    it('EX-2.3b: those on the book hold no more than the position; explainOrder names the newer one', async () => {
      await sol({ px: '100', sz: '10', tif: 'Ioc' });
      const exits = { coin: 'SOL', buy: false, sz: '5', reduceOnly: true };
      const [first, second] = [await trader.rest({ ...exits, px: '110' }), await trader.rest({ ...exits, px: '111' })];
      expect((await trader.info('explainOrder', { oid: first })).ended).to.equal(null);
      const third = await trader.rest({ ...exits, px: '112', sz: '6' });
      expect(await trader.open()).to.deep.equal(['A 4.0/4.0 @ 111.0 reduce', 'A 6.0/6.0 @ 112.0 reduce']);
      const { order, ended } = await trader.info('explainOrder', { oid: first });
      expect([order.status, ended.gaveWayTo]).to.deep.equal(['reduceOnlyCanceled', third]);
      expect(ended.text).to.contain(`gave way to the newer order ${third}`);
      await sol({ px: '99', sz: '4', buy: false, tif: 'Ioc' });
      expect(await trader.open()).to.deep.equal(['A 6.0/6.0 @ 112.0 reduce']);
      const sold = (await trader.info('explainOrder', { oid: second })).ended;
      expect([sold.gaveWayTo, /left for it to reduce/.test(sold.text)]).to.deep.equal([null, true]);
    });

    it('a resting one holds no margin and is cut when a plain order closes first', async () => {
      await sol({ px: '100', sz: '3', tif: 'Ioc' });
      const free = (await trader.info('clearinghouseState')).withdrawable;
      await reduce('3', '105', 'Gtc');
      await sol({ px: '106', sz: '3', buy: false });
      expect((await trader.info('clearinghouseState')).withdrawable).to.equal(free);
      await exchange.trades('SOL', ['B', '107', '4']);
      expect((await trader.fills()).slice(1)).to.deep.equal(['A 3.0 @ 105.0 maker', 'A 1.0 @ 106.0 maker']);
      expect((await trader.position('SOL')).szi).to.equal('-1.0');
    });
  });

  describe('ids, batches and repetition', () => {
    it('edge 18: the life of a client id', async () => {
      const named = { coin: 'SOL', px: '90', sz: '1', cloid: CLOID };
      expect(await trader.place(named)).to.deep.equal(['resting']);
      expect(await trader.place({ ...named, px: '91', sz: '4' })).to.deep.equal(['resting']);
      expect(await trader.status(CLOID)).to.equal('open 4.0/4.0');
      expect(await trader.cancelByCloid(['SOL', CLOID])).to.deep.equal(['success']);
      expect(await trader.status(CLOID)).to.equal('open 1.0/1.0');
      expect(await trader.cancelByCloid(['AVAX', CLOID])).to.deep.equal([GONE.replace('=5', '=6')]);
      expect(await trader.cancelByCloid(['SOL', CLOID.toUpperCase().replace('0X', '0x')])).to.deep.equal(['success']);
      expect(await trader.cancelByCloid(['SOL', CLOID])).to.deep.equal([GONE]);
      expect(await trader.status(CLOID)).to.match(/^canceled/);
      expect(await trader.place({ ...named, px: '91', sz: '2' })).to.deep.equal(['resting']);
      expect(await trader.status(CLOID)).to.equal('open 2.0/2.0');
      const replaced = await trader.modify({ oid: CLOID, order: { ...named, px: '92', sz: '3' } });
      expect(replaced).to.deep.equal(['resting']);
      expect(await trader.status(CLOID)).to.equal('open 3.0/3.0');
      await exchange.trades('SOL', ['A', '91.9', '3']);
      expect(await trader.status(CLOID)).to.equal('filled 0.0/3.0');
      expect((await trader.info('userFills'))[0].cloid).to.equal(CLOID);
    });

    it('cases 10, 19 and 20: elements stand alone and come in order', async () => {
      const placed = await trader.place(
        { coin: 'SOL', px: '90', sz: '1' },
        { coin: 'MATIC', px: '0.3', sz: '100' },
        { coin: 'SOL', px: '90.0001', sz: '1' },
        { coin: 'SOL', px: '91', sz: '1' },
      );
      expect(placed).to.deep.equal([
        'resting',
        'Trading is halted. asset=3',
        'Price must be divisible by tick size. asset=5',
        'resting',
      ]);
      const unknown = { a: 999, b: true, p: '1', s: '20', r: false, t: { limit: { tif: 'Gtc' } } };
      const { body } = await trader.act({ type: 'order', grouping: 'na', orders: [unknown] });
      expect(body.response.data.statuses).to.have.length(1);
      expect(body.response.data.statuses[0].error).to.match(/asset=999/);
      const [{ oid }] = await trader.info('openOrders');
      expect(await trader.cancel(['AVAX', oid], ['SOL', oid], ['SOL', oid], ['SOL', 12345])).to.deep.equal([
        GONE.replace('=5', '=6'),
        'success',
        GONE,
        GONE,
      ]);
    });

    it('edge 12, rule 1.5: none, 1000 and 1001 elements', async () => {
      expect((await trader.act({ type: 'order', orders: [], grouping: 'na' })).body).to.deep.equal({
        status: 'err',
        response: 'Orders are empty',
      });
      const many = (count: number) => Array.from({ length: count }, () => ({ coin: 'SOL', px: '50', sz: '0.2' }));
      expect(await trader.place(...many(1001))).to.deep.equal(['Signed action over weight limit of 1000.']);
      expect(await trader.open()).to.deep.equal([]);
      const placed = await trader.place(...many(1000));
      expect(placed).to.have.length(1000);
      expect(new Set(placed)).to.deep.equal(new Set(['resting']));
      // Case 11: the cap. A plain order beyond it is refused, and so is a reduce-only order.
      expect(await sol({ px: '50', sz: '0.2' })).to.deep.equal(['Too many open orders']);
      await sol({ px: '100', sz: '1', tif: 'Ioc' });
      expect(await sol({ px: '110', sz: '1', buy: false, reduceOnly: true })).to.deep.equal(['Too many open orders']);
      const open: { oid: number }[] = await trader.info('openOrders');
      const canceled = await trader.cancel(...open.map(({ oid }) => ['SOL', oid] as const));
      expect(canceled).to.have.length(1000);
      expect(new Set(canceled)).to.deep.equal(new Set(['success']));
      expect(await trader.open()).to.deep.equal([]);
    });

    it('edge 22: a modify that the margin does not carry leaves neither order', async () => {
      await trader.leverage('SOL', 10);
      const oid = await trader.rest({ coin: 'SOL', px: '50', sz: '1500' });
      const [answer] = await trader.modify({ oid, order: { coin: 'SOL', px: '90', sz: '1500' } });
      expect(answer).to.match(/^Error placing new order during modify: Insufficient margin to place order\. asset=5$/);
      expect(await trader.open()).to.deep.equal([]);
      expect(await trader.status(oid)).to.equal('canceled 1500.0/1500.0');
    });

    it('a modify may use the hold of the order it replaces', async () => {
      await trader.leverage('SOL', 10);
      const oid = await trader.rest({ coin: 'SOL', px: '50', sz: '1900' });
      expect(await trader.modify({ oid, order: { coin: 'SOL', px: '52', sz: '1900' } })).to.deep.equal(['resting']);
    });

    it('edge 23: one bad target of a batchModify; side and coin stay', async () => {
      const oids = [await trader.rest({ coin: 'SOL', px: '90', sz: '1' }), await trader.rest({ coin: 'SOL', px: '91', sz: '1' })];
      const [first = 0, second = 0] = oids;
      const answer = await trader.modify(
        { oid: first, order: { coin: 'SOL', px: '80', sz: '1' } },
        { oid: 4711, order: { coin: 'SOL', px: '80', sz: '1' } },
        { oid: second, order: { coin: 'SOL', px: '81', sz: '1' } },
      );
      expect(answer).to.deep.equal(['resting', 'Cannot modify canceled or filled order', 'resting']);
      expect((await trader.open()).sort()).to.deep.equal(['B 1.0/1.0 @ 80.0', 'B 1.0/1.0 @ 81.0']);
      const [{ oid }] = await trader.info('openOrders');
      expect(await trader.modify({ oid, order: { coin: 'SOL', buy: false, px: '110', sz: '1' } })).to.deep.equal([
        'Cannot modify side or asset of an order. asset=5',
      ]);
      expect(await trader.open()).to.have.length(2);
    });

    it('edge 29: the same request twice with one idempotency key is one order', async () => {
      const action = trader.orderAction({ coin: 'SOL', px: '100', sz: '1', tif: 'Ioc' });
      const [one, two] = await Promise.all([
        trader.act(action, { idempotencyKey: 'once' }),
        trader.act(action, { idempotencyKey: 'once' }),
      ]);
      const three = await trader.act(action, { idempotencyKey: 'once' });
      expect(two.body).to.deep.equal(one.body);
      expect(three.body).to.deep.equal(one.body);
      expect(await trader.fills()).to.deep.equal(['B 1.0 @ 100.0 taker']);
    });

    it('64 orders at once for a margin that carries ten fill ten', async () => {
      await trader.leverage('SOL', 10);
      const answers = await Promise.all(Array.from({ length: 64 }, () => trader.place({ coin: 'SOL', px: '90', sz: '111' })));
      expect(answers.filter(([answer]) => answer === 'resting')).to.have.length(10);
    });
  });
});
