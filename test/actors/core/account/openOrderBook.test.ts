import { expect } from 'chai';
import fc from 'fast-check';
import { type HoldingOrder, OpenOrderBook, RestingSide, toRow } from '../../../../src/actors/core/account/openOrderBook.ts';
import type { Side } from '../../../../src/actors/core/messages/order.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

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

interface Resting {
  readonly oid: number;
  readonly asset: number;
  readonly side: Side;
  readonly limitPrice: string;
  readonly size: string;
  readonly reduceOnly: boolean;
}

const sideStep = fc.record({
  oid: fc.integer({ min: 1, max: 60 }),
  price: fc.integer({ min: 950, max: 1050 }),
  lots: fc.integer({ min: 1, max: 500 }),
  reduceOnly: fc.boolean(),
});

const inMatchOrder = (side: Side, orders: readonly Resting[]): Resting[] =>
  [...orders].sort((a, b) => {
    const difference = Number(a.limitPrice) - Number(b.limitPrice);
    return (side === 'sell' ? difference : -difference) || a.oid - b.oid;
  });

/** Notional of orders that can open, less the first coins, order by order. */
function beyond(orders: readonly Resting[], coins: Decimal): string {
  let left = coins;
  let usd = new Decimal(0);
  for (const { limitPrice, size, reduceOnly } of orders) {
    if (reduceOnly) continue;
    const exempt = Decimal.min(left, size);
    usd = usd.plus(new Decimal(size).minus(exempt).times(limitPrice));
    left = left.minus(exempt);
  }
  return usd.toFixed();
}

const oids = (rows: Iterable<{ readonly oid: number }>): number[] => [...rows].map(({ oid }) => oid);

describe('restingSide: the tree says what a sorted list says', () => {
  for (const side of ['buy', 'sell'] as const) {
    it(`${side}: rows, places, sums and what closes a position, after any orders that came and went`, () => {
      fc.assert(
        fc.property(
          fc.array(sideStep, { maxLength: 120 }),
          fc.integer({ min: 0, max: 9000 }),
          fc.nat(60),
          (steps, closed, best) => {
            const listed = new Map<number, Resting>();
            let tree = RestingSide.empty(side);
            for (const { oid, price, lots, reduceOnly } of steps) {
              const open = listed.get(oid);
              if (open) {
                tree = tree.without(toRow(oid, open));
                listed.delete(oid);
                continue;
              }
              const order = { oid, asset: 0, side, limitPrice: String(price / 10), size: String(lots / 100), reduceOnly };
              tree = tree.with(toRow(oid, order));
              listed.set(oid, order);
            }
            const sorted = inMatchOrder(side, [...listed.values()]);
            const coins = new Decimal(closed).div(100);
            const count = Math.min(best, sorted.length);
            expect(oids(tree.rows())).to.deep.equal(oids(sorted));
            expect(oids(tree.reduceOnlyRows())).to.deep.equal(oids(sorted.filter(({ reduceOnly }) => reduceOnly)));
            const reducing = sorted.filter(({ reduceOnly }) => reduceOnly);
            expect(tree.reducing.toFixed()).to.equal(
              reducing.reduce((total, { size }) => total.plus(size), new Decimal(0)).toFixed(),
            );
            expect(tree.oldestReduceOnly).to.equal(
              reducing.length === 0 ? undefined : Math.min(...reducing.map(({ oid }) => oid)),
            );
            expect(tree.opening.toFixed()).to.equal(beyond(sorted, new Decimal(0)));
            expect(tree.openingBeyond(coins).toFixed()).to.equal(beyond(sorted, coins));
            const rest = tree.withoutBest(count);
            expect(oids(rest.rows())).to.deep.equal(oids(sorted.slice(count)));
            expect(rest.opening.toFixed()).to.equal(beyond(sorted.slice(count), new Decimal(0)));
            expect(rest.openingBeyond(coins).toFixed()).to.equal(beyond(sorted.slice(count), coins));
            for (const price of ['94', '97.5', '100', '106']) {
              const reached = sorted.filter(({ limitPrice }) =>
                side === 'sell' ? Number(limitPrice) <= Number(price) : Number(limitPrice) >= Number(price),
              );
              expect(tree.countTo(new Decimal(price))).to.equal(reached.length);
            }
            expect(tree.size).to.equal(sorted.length);
          },
        ),
      );
    });
  }

  it('an order that is not there changes nothing', () => {
    const order = { asset: 0, side: 'buy', limitPrice: '1', size: '1', reduceOnly: false } as const;
    const one = RestingSide.empty('buy').with(toRow(1, order));
    expect(one.without(toRow(2, order))).to.equal(one);
    expect(one.withoutBest(0)).to.equal(one);
  });
});
