import { expect } from 'chai';
import fc from 'fast-check';
import type { WaitingOrder } from '../../../../src/actors/core/account/account.ts';
import { PositionCuts } from '../../../../src/actors/core/fold/draft.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

const waiting = (oid: number, size: number): WaitingOrder => ({
  oid,
  asset: 0,
  coin: 'SOL',
  side: 'sell',
  limitPrice: '1',
  size: String(size),
  originalSize: String(size),
  filledSize: '0',
  reduceOnly: true,
  timeInForce: 'gtc',
  placedAtMs: 0,
  trigger: { price: '1', tpsl: 'sl', isMarket: true },
  waitsFor: 'mark',
});

const step = fc.record({ change: fc.constantFrom('note' as const, 'begin' as const), value: fc.integer({ min: 1, max: 20 }) });

describe('positionCuts: rule 2.3, each order once', () => {
  it('every order has the size that it would have if each cut were made at once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cuts = new PositionCuts();
        const sizes = new Map<number, number>([[1, 15]]);
        for (const { change, value } of steps) {
          if (change === 'note') {
            cuts.note(0, new Decimal(value));
            for (const [oid, size] of sizes) sizes.set(oid, Math.min(size, value));
          } else {
            const oid = sizes.size + 1;
            cuts.begin(oid);
            sizes.set(oid, 20);
          }
        }
        for (const [oid, size] of sizes) {
          const order = waiting(oid, oid === 1 ? 15 : 20);
          expect(String(cuts.sizeOf(order) ?? order.size)).to.equal(String(size));
        }
      }),
    );
  });

  it('children that wait for their parent, other orders and other coins are not cut; 0 stays the whole position', () => {
    const cuts = new PositionCuts();
    cuts.note(0, new Decimal(1));
    const order = waiting(1, 5);
    expect(cuts.sizeOf(order)?.toString()).to.equal('1');
    for (const other of [
      { ...order, waitsFor: 'fill' as const },
      { ...order, reduceOnly: false },
      { ...order, asset: 1 },
    ])
      expect(cuts.sizeOf(other)).to.equal(undefined);
    expect(cuts.sizeOf(waiting(1, 0))).to.equal(undefined);
  });
});
