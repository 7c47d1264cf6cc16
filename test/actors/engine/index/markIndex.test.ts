import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { isReached } from '../../../../src/actors/core/account/ownOrders.ts';
import type { WakePrice } from '../../../../src/actors/core/margin/wakePrices.ts';
import { RiskIndex, TriggerIndex } from '../../../../src/actors/engine/index/markIndex.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import {
  book,
  cancel,
  given,
  mark,
  modifyAlways,
  place,
  placeGroup,
  type Scenario,
  type Step,
  stop,
  takeProfit,
  trade,
} from '../../../support/scenario.ts';

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

const SOL = 2;

/** The scenario's steps, followed by an index as the actor does. */
function followed(scenario: Scenario, ...steps: readonly Step[]): TriggerIndex {
  const index = new TriggerIndex();
  index.add(scenario.account);
  for (const step of steps) {
    scenario.when(step);
    index.update(scenario.account, scenario.events);
  }
  return index;
}

const concerns = (index: TriggerIndex, markPrice: number): boolean => index.affectedBy(SOL, markPrice).size > 0;

describe('triggerIndex: a mark misses nobody whom it concerns', () => {
  const long = place({ size: '2', limitPrice: '100.2' });

  it('finds orders at or beyond their trigger, on their side, of their coin', () => {
    const index = followed(given(long), place(stop('95'), takeProfit('105')));
    expect([94, 95, 95.01, 104.99, 105, 106].map((price) => concerns(index, price))).to.deep.equal([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(index.affectedBy(0, 1)).to.deep.equal(new Set());
    expect(index.size).to.equal(2);
  });

  it('a TWAP is in it by its trigger, then by its stop, then no longer', () => {
    const scenario = given();
    const twap = {
      type: 'startTwap',
      asset: SOL,
      side: 'buy',
      size: '11',
      minutes: 5,
      reduceOnly: false,
      randomize: false,
    } as const;
    const index = followed(scenario, { ...twap, trigger: { price: '95', above: false }, stopPrice: '97' });
    expect([97, 95.01, 95].map((price) => concerns(index, price))).to.deep.equal([false, false, true]);
    const again = new TriggerIndex();
    again.add(scenario.account);
    expect([again.size, concerns(again, 95)]).to.deep.equal([1, true]);
    scenario.when(mark('SOL', '95'));
    index.update(scenario.account, scenario.events);
    expect([95, 96.99, 97].map((price) => concerns(index, price))).to.deep.equal([false, false, true]);
    index.remove(scenario.account);
    expect(index.size).to.equal(0);
    index.add(scenario.account);
    scenario.when(mark('SOL', '97'));
    index.update(scenario.account, scenario.events);
    expect(index.size).to.equal(0);
    expect(followed(given(), twap).size).to.equal(0);
  });

  it('children are in it from the fill of their parent on', () => {
    const scenario = given();
    const family = placeGroup('normalTpsl', { limitPrice: '99.95', size: '2' }, stop('95', { size: '2' }));
    const index = followed(scenario, family);
    expect(concerns(index, 90)).to.equal(false);
    scenario.when(trade('SOL', ['sell', '99.95', '2']));
    index.update(scenario.account, scenario.events);
    expect(concerns(index, 90)).to.equal(true);
  });

  it('what was canceled, modified, fired or has left memory is in it no longer', () => {
    const scenario = given(long, place(stop('95', { size: '2' }), stop('94', { size: '1' }), stop('93', { size: '1' })));
    const first = { target: { oid: scenario.waitingOid(0) } };
    const second = { target: { oid: scenario.waitingOid(1) } };
    const index = followed(scenario, cancel(first), modifyAlways({ ...second, order: stop('92', { size: '1' }) }));
    expect([94, 93, 92].map((price) => concerns(index, price))).to.deep.equal([false, true, true]);
    scenario.when(mark('SOL', '93'));
    index.update(scenario.account, scenario.events);
    expect([93, 92].map((price) => concerns(index, price))).to.deep.equal([false, true]);
    index.remove(scenario.account);
    expect([index.size, concerns(index, 1)]).to.deep.equal([0, false]);
  });

  it('one that has fired and waits for a newer book is found by each book of its coin, and by no mark, until it ends', () => {
    const taken = [
      book('SOL', [['90', '3']], [['130', '50']]),
      place({ side: 'sell', size: '1', limitPrice: '90', tif: 'ioc' }),
    ] as const;
    const scenario = given(place({ size: '12', limitPrice: '100.2' }), place(stop('95', { size: '4' })), ...taken);
    const index = followed(scenario, mark('SOL', '95'));
    const found = (of: TriggerIndex): (string | number)[] => [...of.waitingForBook(SOL), of.size];
    expect(found(index)).to.deep.equal([scenario.account.id, 1]);
    expect([95, 90, 1].map((price) => concerns(index, price))).to.deep.equal([false, false, false]);
    expect([...index.waitingForBook(0)]).to.deep.equal([]);
    const again = new TriggerIndex();
    again.add(scenario.account);
    expect(found(again)).to.deep.equal([scenario.account.id, 1]);
    again.remove(scenario.account);
    expect(found(again)).to.deep.equal([0]);
    for (const [size, left] of [
      ['4', 1],
      ['9', 0],
    ] as const) {
      scenario.when(book('SOL', [['90', size]], [['130', '50']]));
      index.update(scenario.account, scenario.events);
      expect(index.size).to.equal(left);
    }
    expect(found(index)).to.deep.equal([0]);
  });

  it('an account and its fork have the same ids: each has its places in it, and what becomes of the one leaves the other’s', () => {
    const twap = {
      type: 'startTwap',
      asset: SOL,
      side: 'buy',
      size: '11',
      minutes: 5,
      reduceOnly: false,
      randomize: false,
    } as const;
    const scenario = given(long, place(stop('95')), { ...twap, trigger: { price: '106', above: true } });
    const [oid] = scenario.account.triggers.keys();
    const [twapId] = scenario.account.twaps.keys();
    const fork = { ...scenario.account, id: `0x${'cd'.repeat(20)}` };
    const index = new TriggerIndex();
    index.add(scenario.account);
    index.add(fork);
    const [own, both] = [new Set([scenario.account.id]), new Set([scenario.account.id, fork.id])];
    expect([95, 106].map((price) => index.affectedBy(SOL, price))).to.deep.equal([both, both]);
    index.remove(fork);
    expect([95, 106].map((price) => index.affectedBy(SOL, price))).to.deep.equal([own, own]);
    index.add(fork);
    scenario.when(cancel({ target: { oid: oid ?? 0 } }));
    index.update(scenario.account, scenario.events);
    scenario.when({ type: 'cancelTwap', asset: SOL, twapId: twapId ?? 0 });
    index.update(scenario.account, scenario.events);
    expect([95, 106].map((price) => index.affectedBy(SOL, price))).to.deep.equal([new Set([fork.id]), new Set([fork.id])]);
    expect(index.size).to.equal(2);
  });

  it('agrees with a look at every order, for any triggers and mark', () => {
    const order = fc.record({ price: fc.integer({ min: 80, max: 120 }), tpsl: fc.constantFrom('tp' as const, 'sl' as const) });
    fc.assert(
      fc.property(fc.array(order, { maxLength: 8 }), fc.integer({ min: 79, max: 121 }), (orders, markPrice) => {
        const triggers = orders.map(({ price, tpsl }) =>
          (tpsl === 'sl' ? stop : takeProfit)(String(price), { limitPrice: '79' }),
        );
        const scenario = given(long);
        const index = followed(scenario, place(...triggers, stop('79', { limitPrice: '79' })));
        const reached = [...scenario.account.triggers.values()].some(({ side, trigger: { price, tpsl } }) =>
          isReached({ side, tpsl, triggerPrice: new Decimal(price) }, new Decimal(markPrice)),
        );
        expect(concerns(index, markPrice)).to.equal(reached);
      }),
      { numRuns: 100 },
    );
  });
});
