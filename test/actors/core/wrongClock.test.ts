import { expect } from 'chai';
import { nextDueMs } from '../../../src/features/rules.ts';
import { given, order, place, type Scenario, wait } from '../../support/scenario.ts';

const HOUR_MS = 3_600_000;

/** An account that was touched while its pod's clock was an hour ahead, which is right again by now. */
function touchedAhead(): Scenario {
  const scenario = given(place({ limitPrice: '90' }));
  scenario.account = { ...scenario.account, timeMs: scenario.account.timeMs + HOUR_MS };
  return scenario;
}

describe('an account whose last time lies ahead of the clock trades on', () => {
  it('prices are no older for it than for others, and its own times never run backwards', () => {
    const scenario = touchedAhead();
    const lastMs = scenario.account.timeMs;
    scenario.when(place({ limitPrice: '91' })).thenOutcomes('resting');
    expect(scenario.account.timeMs).to.equal(lastMs);
  });

  it('prices that are too old refuse it as they refuse others', () => {
    const scenario = touchedAhead();
    scenario.when(wait(scenario.market.maxAgeMs + 60_000)).when(place({ limitPrice: '91' }));
    expect(JSON.stringify(scenario.outcome)).to.match(/stale/);
  });

  it('a dead man’s switch that it sets fires at its time, neither at once nor an hour late', () => {
    const scenario = touchedAhead();
    scenario.when({ type: 'scheduleCancel', dueMs: scenario.market.nowMs + 6000 }).thenOutcomes('done');
    scenario.when(wait(5000)).thenEvents();
    scenario.when(wait(1000)).thenEnds('scheduledCancel').thenOpen();
  });

  it('a TWAP that it starts sends its next slice half a minute later', () => {
    const scenario = touchedAhead();
    const { market } = scenario;
    scenario.when({
      type: 'startTwap',
      asset: order().asset,
      side: 'buy',
      size: '10',
      minutes: 5,
      reduceOnly: false,
      randomize: false,
    });
    expect(nextDueMs(scenario.account)).to.equal(market.nowMs);
    scenario.when(wait(0));
    expect(nextDueMs(scenario.account)).to.equal(market.nowMs + 30_000);
  });

  it('an action that ends in a minute is done', () => {
    const scenario = touchedAhead();
    const action = place({ limitPrice: '91' });
    if (action.type !== 'placeOrders') throw new Error('not an order');
    scenario.when({ ...action, expiresAfterMs: scenario.market.nowMs + 60_000 }).thenOutcomes('resting');
  });
});
