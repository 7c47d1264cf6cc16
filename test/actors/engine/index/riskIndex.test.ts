import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import type { WakePrice } from '../../../../src/actors/core/margin/wakePrices.ts';
import { RiskIndex } from '../../../../src/actors/engine/index/markIndex.ts';

const price = fc.record<WakePrice>({
  asset: fc.nat(2),
  when: fc.constantFrom('falls' as const, 'rises' as const),
  price: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)),
});
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), account: fc.nat(6), prices: fc.array(price, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('remove' as const), account: fc.nat(6) }),
);

const wakes = ({ when, price }: WakePrice, mark: number): boolean => (when === 'falls' ? mark <= price : mark >= price);

describe('riskIndex: who is woken by a mark', () => {
  it('exactly those with a wake price that it has reached, whatever was set and removed before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = new RiskIndex();
        const wanted = new Map<string, readonly WakePrice[]>();
        for (const each of steps) {
          const id = String(each.account);
          if (each.kind === 'remove') {
            index.remove(id);
            wanted.delete(id);
          } else {
            index.set(id, each.prices);
            wanted.set(id, each.prices);
          }
        }
        for (let asset = 0; asset < 3; asset++) {
          for (const mark of [0.5, 7, 20, 33, 41]) {
            const expected = [...wanted].filter(([, prices]) => prices.some((each) => each.asset === asset && wakes(each, mark)));
            expect([...index.wokenBy(asset, mark)].sort()).to.deep.equal(expected.map(([id]) => id).sort());
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('an account without positions that never had any is not kept', () => {
    const index = new RiskIndex();
    index.touch(emptyAccount('a'));
    expect([...index.stale]).to.deep.equal([]);
  });

  it('who has changed or is in danger is watched, until nothing of it is left', () => {
    const index = new RiskIndex();
    index.set('a', [{ asset: 1, when: 'falls', price: Number.POSITIVE_INFINITY }]);
    expect(index.isWatched('a')).to.equal(true);
    index.set('a', [{ asset: 1, when: 'falls', price: 10 }]);
    expect(index.isWatched('a')).to.equal(false);
    index.touch(emptyAccount('a'));
    expect(index.isWatched('a')).to.equal(true);
    index.remove('a');
    expect(index.isWatched('a')).to.equal(false);
  });
});
