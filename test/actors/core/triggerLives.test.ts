// Random lives that are mostly about waiting orders. In any order of groups, marks, books, cancels and modifies,
// triggers fire only at their marks, groups keep together, and no order is left over.

import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { isReached } from '../../../src/actors/core/account/ownOrders.ts';
import { freshMarket } from '../../../src/actors/core/checks/checkForm.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import {
  ACCOUNT_ID,
  book,
  cancel,
  givenUsd,
  mark,
  modify,
  modifyAlways,
  type OrderFields,
  place,
  placeGroup,
  type Scenario,
  type Step,
  trade,
  wait,
} from '../../support/scenario.ts';

const SOL = 2;
const RUNS = 150;

type MakeStep = (scenario: Scenario) => Step;

const side = fc.constantFrom('buy' as const, 'sell' as const);
const size = fc.constantFrom('0.5', '1', '2', '5');
const price = fc.integer({ min: 90, max: 110 }).map(String);
const limit: fc.Arbitrary<OrderFields> = fc.record({
  side,
  size,
  limitPrice: price,
  reduceOnly: fc.constantFrom(false, false, true),
  tif: fc.constantFrom('gtc' as const, 'gtc' as const, 'ioc' as const),
});
const trigger: fc.Arbitrary<OrderFields> = fc
  .record({
    side,
    size,
    at: price,
    tpsl: fc.constantFrom('tp' as const, 'sl' as const),
    isMarket: fc.boolean(),
    beyond: fc.nat(8),
  })
  .map(({ side: of, size: amount, at, tpsl, isMarket, beyond }) => ({
    side: of,
    size: amount,
    reduceOnly: true,
    limitPrice: String(Number(at) + (of === 'buy' ? beyond : -beyond)),
    trigger: { price: at, tpsl, isMarket },
  }));
const alone = fc
  .record({ order: trigger, reduceOnly: fc.boolean() })
  .map(({ order, reduceOnly }) => place({ ...order, reduceOnly }));
const family = fc.tuple(limit, trigger, trigger, fc.boolean()).map(([parent, one, other, both]) => {
  const of = parent.side === 'buy' ? ('sell' as const) : ('buy' as const);
  const child = (fields: OrderFields, tpsl: 'tp' | 'sl'): OrderFields => {
    const { price: at = '100', isMarket = true } = fields.trigger ?? {};
    return { ...fields, side: of, limitPrice: of === 'buy' ? '115' : '85', trigger: { price: at, tpsl, isMarket } };
  };
  const children = both ? [child(one, 'tp'), child(other, 'sl')] : [child(one, 'sl')];
  return placeGroup('normalTpsl', { ...parent, reduceOnly: false }, ...children);
});
const ofPosition = fc
  .record({ order: trigger, whole: fc.boolean() })
  .map(({ order, whole }) => placeGroup('positionTpsl', whole ? { ...order, size: '0' } : order));

/** An open order, on the book or waiting, oldest first. */
const openOid = ({ account }: Scenario, n: number): number =>
  [...account.orders.keys(), ...account.triggers.keys()].sort((a, b) => a - b)[n] ?? 1;

const fixed =
  (step: Step): MakeStep =>
  () =>
    step;
const market = fc
  .tuple(fc.integer({ min: 90, max: 110 }), fc.boolean())
  .map(([mid, thin]) => book('SOL', [[`${mid - 0.1}`, thin ? '0.7' : '9']], [[`${mid + 0.1}`, thin ? '0.7' : '9']]));
const step: fc.Arbitrary<MakeStep> = fc.oneof(
  { weight: 3, arbitrary: limit.map((order) => fixed(place(order))) },
  { weight: 3, arbitrary: alone.map(fixed) },
  { weight: 4, arbitrary: family.map(fixed) },
  { weight: 2, arbitrary: ofPosition.map(fixed) },
  { weight: 6, arbitrary: price.map((to) => fixed(mark('SOL', to))) },
  { weight: 4, arbitrary: market.map((move) => fixed(move)) },
  { weight: 4, arbitrary: fc.tuple(side, price, size).map(([of, at, amount]) => fixed(trade('SOL', [of, at, amount]))) },
  { weight: 1, arbitrary: fc.constantFrom(1, 16_000).map((ms) => fixed(wait(ms))) },
  {
    weight: 2,
    arbitrary: fc.nat(6).map(
      (n): MakeStep =>
        (scenario) =>
          cancel({ target: { oid: openOid(scenario, n) } }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(6), fc.oneof(limit, trigger)).map(
      ([n, order]): MakeStep =>
        (scenario) => {
          const oid = openOid(scenario, n);
          const old = scenario.account.orders.get(oid) ?? scenario.account.triggers.get(oid);
          const change = n % 3 === 0 ? modify : modifyAlways;
          return change({ target: { oid }, order: { ...order, side: old?.side ?? 'buy' } });
        },
    ),
  },
);
const life = fc.array(step, { minLength: 5, maxLength: 30 });

function live(steps: readonly MakeStep[], check: (scenario: Scenario) => void): Scenario {
  const scenario = givenUsd('5000');
  for (const make of steps) {
    scenario.when(make(scenario));
    check(scenario);
  }
  return scenario;
}

describe('random lives of waiting orders', function () {
  this.timeout(600_000);

  it('invariant 16: no fill before a `triggered` record at a mark beyond the trigger, under the same oid', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const waiting = new Set<number>();
        live(steps, ({ events }) => {
          for (const event of events) {
            if (event.type === 'triggerPlaced') waiting.add(event.order.oid);
            if (event.type === 'orderFilled') expect(waiting.has(event.oid)).to.equal(false);
            if (event.type !== 'orderTriggered') continue;
            expect(waiting.delete(event.order.oid)).to.equal(true);
            const { side: of, trigger: view } = event.order;
            const terms = { side: of, tpsl: view?.tpsl ?? 'tp', triggerPrice: new Decimal(view?.price ?? 0) };
            expect(isReached(terms, new Decimal(event.markPrice))).to.equal(true);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 17: children live only when their parent will fill no further, and at most one of two fills', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const filled = new Map<number, number>();
        live(steps, ({ account, events }) => {
          for (const {
            waitsFor,
            trigger: { grouping, parentOid },
          } of account.triggers.values()) {
            if (grouping !== 'normalTpsl') continue;
            const parent =
              parentOid === undefined ? undefined : (account.orders.get(parentOid) ?? account.triggers.get(parentOid));
            expect(parent !== undefined, `parent ${parentOid}`).to.equal(waitsFor === 'fill');
          }
          for (const event of events) {
            if (event.type !== 'orderEnded' || event.status !== 'filled') continue;
            const { parentOid } = event.order.trigger ?? {};
            if (parentOid !== undefined) filled.set(parentOid, (filled.get(parentOid) ?? 0) + 1);
          }
          for (const count of filled.values()) expect(count).to.equal(1);
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('rule 2.5: no child that was placed waits for a mark that is there already', () => {
    fc.assert(
      fc.property(life, (steps) => {
        live(steps, ({ account, market, events }) => {
          const fresh = freshMarket(market, { asset: SOL, nowMs: market.nowMs });
          const armed = events.flatMap((event) => (event.type === 'triggersArmed' ? event.oids : []));
          for (const oid of fresh.type === 'fresh' ? armed : []) {
            const order = account.triggers.get(oid);
            // A trigger that has fired may wait for a newer book.
            if (order?.waitsFor !== 'mark' || fresh.type === 'stale') continue;
            const { side: of, trigger: view } = order;
            const terms = { side: of, tpsl: view.tpsl, triggerPrice: new Decimal(view.price) };
            expect(isReached(terms, fresh.prices.markPrice), `child ${oid}`).to.equal(false);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 9: reduce-only orders that wait for the mark fit the position that they were placed with; nothing outlives it', () => {
    fc.assert(
      fc.property(life, (steps) => {
        live(steps, ({ account }) => {
          const held = account.positions.get(SOL)?.signedSize ?? ZERO;
          for (const order of [...account.triggers.values()]) {
            if (!order.reduceOnly || order.waitsFor === 'fill' || order.trigger.placedFlat) continue;
            expect(held.isZero() || held.isNeg() !== (order.side === 'buy')).to.equal(false);
            expect(held.abs().gte(order.size)).to.equal(true);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 15, 27: each order ends once, and replay, snapshot and fold agree', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const ended = new Set<number>();
        const { account, entries } = live(steps, ({ events, account: now }) => {
          for (const event of events) {
            const oid = 'order' in event ? event.order.oid : undefined;
            if (oid !== undefined) expect(ended.has(oid), `order ${oid} after its end`).to.equal(false);
            if (event.type === 'orderEnded') ended.add(event.order.oid);
          }
          for (const oid of [...now.orders.keys(), ...now.triggers.keys()]) expect(ended.has(oid)).to.equal(false);
        });
        const text = toSnapshot(account, NEWEST_FORMAT);
        expect(toSnapshot(fromSnapshot(text), NEWEST_FORMAT)).to.equal(text);
        expect(
          toSnapshot(
            entries.map((entry) => JSON.parse(JSON.stringify(entry))).reduce(applyEntry, emptyAccount(ACCOUNT_ID)),
            NEWEST_FORMAT,
          ),
        ).to.equal(text);
      }),
      { numRuns: RUNS },
    );
  });
});
