import { expect } from 'chai';
import fc from 'fast-check';
import { RestingSide, toRow } from '../../../../src/actors/core/account/openOrderBook.ts';
import type { Side } from '../../../../src/actors/core/messages/command.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

interface Resting {
  readonly oid: number;
  readonly asset: number;
  readonly side: Side;
  readonly limitPrice: string;
  readonly size: string;
  readonly reduceOnly: boolean;
}

const step = fc.record({
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
        fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 0, max: 9000 }), fc.nat(60), (steps, closed, best) => {
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
          expect(tree.oldestReduceOnly).to.equal(reducing.length === 0 ? undefined : Math.min(...reducing.map(({ oid }) => oid)));
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
        }),
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
