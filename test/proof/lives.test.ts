// Random lives show more than the invariants of each step: lives contain every kind of event, nothing else touches an account,
// deciding leaves no trace, and a market that stands still gives nothing away.

import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { FIXTURE_COINS, FixtureMarket } from '../support/fixtureMarket.ts';
import { deposit, place, Scenario } from '../support/scenario.ts';
import { fillsOf, sum } from './facts.ts';
import { DEPOSIT_USD, live } from './life.ts';
import { type RandomStep, randomLife, randomStep, toSteps } from './randomSteps.ts';

/** Per property. */
const RUNS = 120;

const begun = (market?: FixtureMarket) => new Scenario(market).given(deposit(DEPOSIT_USD));
const afterLife = (steps: readonly RandomStep[]) => live(steps, []);
const eventsOf = ({ entries }: Scenario) => entries.flatMap(({ events }) => events);

describe('lives: random lives', function () {
  this.timeout(600_000);

  it('they meet every way in which an order fills, rests and ends', () => {
    const met = new Set<string>();
    for (const steps of fc.sample(randomLife, { numRuns: 1200, seed: 1 })) {
      for (const event of eventsOf(afterLife(steps))) {
        met.add(kindOf(event));
        if (event.type === 'orderFilled' && event.evidence.deepFrom !== undefined) met.add('a fill from a bucket');
        if (event.type === 'queueMoved' && event.ahead.some(([, , , takenOff]) => takenOff !== undefined))
          met.add('a book before its trade');
      }
    }
    expect([...met]).to.include.members([
      'a fill from a bucket',
      'a book before its trade',
      'taker Open Long cross',
      'taker Open Short isolated',
      'taker Close Long cross',
      'taker Close Short isolated',
      'taker Long > Short cross',
      'taker Short > Long cross',
      'maker Open Long cross trade',
      'maker Open Short isolated book',
      'maker Close Long cross book',
      'ended filled',
      'ended canceled',
      'ended selfTradeCanceled',
      'ended reduceOnlyCanceled',
      'ended reduceOnlyCanceled for a newer order',
      'ended reduceOnlyRejected',
      'ended badAloPxRejected',
      'ended iocCancelRejected',
      'ended minTradeNtlRejected',
      'ended perpMarginRejected',
      'ended positionIncreaseAtOpenInterestCapRejected',
      'ended positionFlipAtOpenInterestCapRejected',
      'leverageSet',
      'termsSet',
      'isolatedMarginMoved',
      'requestsReserved',
      'transferSent',
      'transferReceived',
      'transferSettled',
      'fundingSettled',
      'cancelScheduled',
      'scheduledCancelFired',
      'ended scheduledCancel',
      'twapStarted',
      'twapTriggered',
      'twapSliced',
      'twapEnded',
      'liquidated',
      'positionTakenOver',
      'positionSettled',
      'positionClosed',
      'balanceAdjusted',
      'accountReset',
      'ended delistedCanceled',
      'ended liquidatedCanceled',
      'triggerPlaced',
      'triggersArmed',
      'orderTriggered',
      'waits: taken',
      'waits: beyond',
      'parentReplaced',
      'ended siblingFilledCanceled',
      'queueMoved',
      'consumptionSet',
    ]);
  });

  it('invariants 27, 28: the same life gives the same events, whatever another account does meanwhile', () => {
    fc.assert(
      fc.property(randomLife, randomLife, (steps, others) => {
        const alone = begun();
        for (const step of steps) for (const part of toSteps(step, alone)) alone.when(part);
        const market = new FixtureMarket(FIXTURE_COINS);
        const [one, other] = [begun(market), begun(market)];
        steps.forEach((step, index) => {
          const otherStep = others[index];
          const otherParts = otherStep ? toSteps(otherStep, other) : [];
          for (const part of otherParts) if (typeof part !== 'function') other.when(part);
          for (const part of toSteps(step, one)) one.when(part);
        });
        expect(one.entries).to.deep.equal(alone.entries);
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 27: an account that is loaded anew before every step decides the same', () => {
    fc.assert(
      fc.property(randomLife, (steps) => {
        const market = new FixtureMarket(FIXTURE_COINS);
        const [lived, reloaded] = [begun(market), begun(market)];
        for (const step of steps) {
          for (const part of toSteps(step, lived)) {
            reloaded.account = fromSnapshot(toSnapshot(reloaded.account, NEWEST_FORMAT));
            const change = typeof part === 'function' ? part(market) : undefined;
            for (const each of [lived, reloaded]) each.when(typeof part === 'function' ? () => change : part);
          }
        }
        expect(reloaded.entries).to.deep.equal(lived.entries);
      }),
      { numRuns: RUNS },
    );
  });

  it('deciding changes nothing: not the account, not its maps', () => {
    fc.assert(
      fc.property(randomLife, randomStep, (steps, last) => {
        const scenario = afterLife(steps);
        const frozen = toSnapshot(scenario.account, NEWEST_FORMAT);
        for (const part of toSteps(last, scenario)) scenario.decideOnly(part);
        expect(toSnapshot(scenario.account, NEWEST_FORMAT)).to.equal(frozen);
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 29, rule 3.4: on a frozen book and mark nothing that ends flat earns more than minus its fees', () => {
    const taker = fc.record({ side: fc.constantFrom('buy' as const, 'sell' as const), size: fc.integer({ min: 2, max: 90 }) });
    fc.assert(
      fc.property(fc.array(taker, { minLength: 1, maxLength: 8 }), (orders) => {
        const scenario = begun();
        const take = (side: 'buy' | 'sell', size: string) =>
          scenario.when(place({ side, size, limitPrice: side === 'buy' ? '110' : '90', tif: 'ioc' }));
        for (const { side, size } of orders) take(side, new Decimal(size).div(10).toString());
        const held = scenario.account.positions.get(2)?.signedSize;
        if (held) take(held.isPos() ? 'sell' : 'buy', held.abs().toString());
        if (scenario.account.positions.size > 0) return;
        const fees = sum(fillsOf(eventsOf(scenario)).map(({ fee }) => new Decimal(fee)));
        expect(scenario.account.cash.lte(new Decimal(DEPOSIT_USD).minus(fees))).to.equal(true);
      }),
      { numRuns: RUNS },
    );
  });
});

/** Something that a random life should meet, in a word or two. */
function kindOf(event: AccountEvent): string {
  if (event.type === 'orderEnded') return `ended ${event.status}${event.gaveWayTo === undefined ? '' : ' for a newer order'}`;
  if (event.type === 'triggerWaits') return `waits: ${event.outOfReach}`;
  if (event.type !== 'orderFilled') return event.type;
  const { liquidity, direction, marginMode, evidence } = event;
  const cause = evidence.tradeTid === undefined ? 'book' : 'trade';
  return `${liquidity} ${direction} ${marginMode}${liquidity === 'maker' ? ` ${cause}` : ''}`;
}
