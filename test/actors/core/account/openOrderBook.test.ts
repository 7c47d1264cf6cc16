import { expect } from 'chai';
import fc from 'fast-check';
import { type HoldingOrder, OpenOrderBook } from '../../../../src/actors/core/account/openOrderBook.ts';

const step = fc.record({
  oid: fc.integer({ min: 1, max: 12 }),
  change: fc.constantFrom('rest' as const, 'resize' as const, 'end' as const, 'overlay' as const),
  asset: fc.integer({ min: 0, max: 2 }),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  price: fc.integer({ min: 95, max: 105 }),
  lots: fc.integer({ min: 1, max: 500 }),
  reduceOnly: fc.boolean(),
});

/** Everything the indexes say, in words: rows in match order, and the sums. */
function inWords(orders: OpenOrderBook<HoldingOrder>): unknown {
  return [...orders.sides]
    .sort(([a], [b]) => a - b)
    .map(([asset, { buy, sell }]) => [
      asset,
      ...[buy, sell].map((side) => [
        side.opening.toFixed(),
        ...[...side.rows()].map(({ oid, price, size }) => `${oid} ${size} @ ${price}`),
      ]),
    ]);
}

describe('restingOrders: the indexes say what the orders say', () => {
  it('after any changes, in the map and in the copies it was made from', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let orders = new OpenOrderBook<HoldingOrder>();
        const left: [orders: OpenOrderBook<HoldingOrder>, words: unknown][] = [];
        for (const { oid, change, asset, side, price, lots, reduceOnly } of steps) {
          const [limitPrice, size] = [String(price), String(lots / 100)];
          const open = orders.get(oid);
          if (change === 'end') orders.delete(oid);
          else if (change === 'resize' && open) orders.set(oid, { ...open, size });
          else if (change === 'rest' && !open) orders.set(oid, { asset, side, limitPrice, size, reduceOnly });
          else if (change === 'overlay') {
            left.push([orders, inWords(orders)]);
            orders = orders.overlay();
          }
          expect(inWords(orders)).to.deep.equal(inWords(new OpenOrderBook(orders)));
        }
        for (const [older, words] of left) expect(inWords(older)).to.deep.equal(words);
      }),
    );
  });

  it('orders that end together are out of every index together', () => {
    const order = (side: 'buy' | 'sell', limitPrice: string): HoldingOrder => ({
      asset: 1,
      side,
      limitPrice,
      size: '2',
      reduceOnly: false,
    });
    const orders = new OpenOrderBook([
      [1, order('buy', '10')],
      [2, order('buy', '11')],
      [3, order('sell', '12')],
      [4, { ...order('buy', '9'), asset: 2 }],
    ]);
    expect(inWords(orders)).to.have.length(2);
    for (const oid of [2, 3, 4]) orders.delete(oid);
    expect(inWords(orders)).to.deep.equal([[1, ['20', '1 2 @ 10'], ['0']]]);
  });

  it('a cloid is found while its order is open, in copies too', () => {
    const order: HoldingOrder & { cloid: string } = {
      asset: 0,
      side: 'buy',
      limitPrice: '1',
      size: '1',
      reduceOnly: false,
      cloid: '0xa',
    };
    const orders = new OpenOrderBook<HoldingOrder & { cloid?: string }>([[1, order]]);
    expect(orders.findByCloid('0xa')).to.equal(order);
    const copy = orders.overlay();
    copy.delete(1);
    copy.set(2, { ...order, cloid: '0xb' });
    expect([copy.findByCloid('0xa'), copy.findByCloid('0xb')?.cloid]).to.deep.equal([undefined, '0xb']);
    expect(orders.findByCloid('0xa')).to.equal(order);
    orders.delete(1);
    expect(orders.findByCloid('0xa')).to.equal(undefined);
  });
});
