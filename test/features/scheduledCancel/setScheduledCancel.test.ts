import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { mustStayInMemory } from '../../../src/actors/core/mustStayInMemory.ts';
import { nextDueMs } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { cancel, given, order, place, type Scenario, wait } from '../../support/scenario.ts';

const TOO_EARLY = 'Scheduled cancel time too early, must be at least 5 seconds from now.';
const DAY_MS = 86_400_000;

/** Sets the switch this long from now. */
function setAhead(scenario: Scenario, aheadMs: number): Scenario {
  return scenario.when({ type: 'scheduleCancel', dueMs: scenario.market.nowMs + aheadMs });
}

const unset: AccountCommand = { type: 'scheduleCancel' };
const openOrders: AccountCommand = { type: 'query', query: { kind: 'openOrders' } };

/** Sets it and lets it fire. */
function fire(scenario: Scenario): Scenario {
  return setAhead(scenario, 5000).when(wait(5000));
}

describe('scheduleCancel: setting and removing', () => {
  it('edge 86, EX-2.7: 4999 ms ahead is refused, 5000 is accepted', () => {
    setAhead(given(), 4999).thenOutcomes(TOO_EARLY).thenEvents();
    setAhead(given(), 5000).thenOutcomes('done').thenEvents({ type: 'cancelScheduled' });
    setAhead(given(), -1).thenOutcomes(TOO_EARLY);
  });

  it('edge 86, EX-2.7: only the later of two calls counts', () => {
    const scenario = given(place({ limitPrice: '90' }));
    setAhead(scenario, 5000).when(wait(4000));
    setAhead(scenario, 5000).when(wait(1000)).thenEvents();
    scenario.thenOpen('buy 1 @ 90').when(wait(4000)).thenEnds('scheduledCancel').thenOpen();
  });

  it('a time that is nearer than the one before replaces it too', () => {
    const scenario = given(place({ limitPrice: '90' }));
    setAhead(setAhead(scenario, 60_000), 5000).when(wait(5000)).thenEnds('scheduledCancel').when(wait(60_000)).thenEvents();
  });

  it('edge 86: once it is removed nothing fires', () => {
    const scenario = setAhead(given(place({ limitPrice: '90' })), 5000);
    scenario.when(unset).thenOutcomes('done').when(wait(10_000)).thenEvents().thenOpen('buy 1 @ 90');
    expect(nextDueMs(scenario.account)).to.equal(undefined);
    scenario.when(unset).thenOutcomes('done').thenEvents();
  });

  it('past its expiresAfter it is refused', () => {
    const scenario = given();
    const { nowMs } = scenario.market;
    scenario.when({ type: 'scheduleCancel', dueMs: nowMs + 9000, expiresAfterMs: nowMs - 1 });
    scenario.thenOutcomes('Action already expired').thenEvents();
  });
});

describe('scheduleCancel: firing', () => {
  it('ends every open order at its time and not a millisecond before, in the order of their acceptance; positions stay', () => {
    const scenario = given(place({ tif: 'ioc', size: '2' }), place({ limitPrice: '90' }, { side: 'sell', limitPrice: '120' }));
    const oids = [scenario.oid(0), scenario.oid(1)];
    setAhead(scenario, 5000).when(wait(4999)).thenEvents();
    scenario.when(wait(1)).thenEvents({ type: 'scheduledCancelFired' }, { type: 'orderEnded' }, { type: 'orderEnded' });
    scenario.thenEnds('scheduledCancel', 'scheduledCancel').thenOpen().thenPosition('SOL', '2');
    expect(scenario.events.flatMap((event) => (event.type === 'orderEnded' ? [event.order.oid] : []))).to.deep.equal(oids);
  });

  it('keeps what a half-filled order has got', () => {
    const scenario = given(place({ limitPrice: '100', size: '8' }));
    setAhead(scenario, 5000).when(wait(5000)).thenEnds('scheduledCancel').thenPosition('SOL', '5');
  });

  it('needs no market data', () => {
    const scenario = setAhead(given(place({ limitPrice: '90' })), 60_000);
    scenario.when(wait(60_000)).thenEnds('scheduledCancel');
  });

  it('counts also when no order is open, and keeps an idle account in memory until then', () => {
    const scenario = setAhead(given(), 5000);
    expect(mustStayInMemory(scenario.account)).to.equal(true);
    scenario.when(wait(5000)).thenEvents({ type: 'scheduledCancelFired' });
    expect(scenario.account.scheduledCancel.firings).to.equal(1);
    expect(mustStayInMemory(scenario.account)).to.equal(false);
  });

  it('edge 87, EX-2.7: what was due while nobody was there comes before a newer command', () => {
    const scenario = setAhead(given(place({ limitPrice: '90' })), 5000);
    scenario.market.advance(600_000);
    scenario.market.setBook('SOL', { bids: [['99.9', '5']], asks: [['100', '5']] });
    scenario.market.setPrices('SOL', { mark: '100' });
    scenario
      .when(place({ limitPrice: '91' }))
      .thenOutcomes('resting')
      .thenOpen('buy 1 @ 91');
    scenario.thenEvents({ type: 'scheduledCancelFired' }, { type: 'orderEnded' }, { type: 'orderRested' });
  });

  it('edge 87: a cancel and a modify of the client come too late for an order that was due to end', () => {
    const late = () => {
      const scenario = setAhead(given(place({ limitPrice: '90' })), 5000);
      scenario.market.advance(5000);
      return scenario;
    };
    const oid = late().oid();
    late()
      .when(cancel({ target: { oid } }))
      .thenOutcomes('Order was never placed, already canceled, or filled. asset=2');
    late()
      .when({ type: 'modifyOrders', modifies: [{ target: { oid }, order: order({ limitPrice: '91' }) }] })
      .thenOutcomes('Cannot modify canceled or filled order');
  });

  it('edge 87: removing the switch after its time does not take the firing back', () => {
    const scenario = setAhead(given(place({ limitPrice: '90' })), 5000);
    scenario.market.advance(5000);
    scenario.when(unset).thenOutcomes('done').thenOpen();
  });

  it('edge 87: a trade after its time finds the order gone, a trade before it fills the order, whenever they are heard of', () => {
    const late = (sinceDueMs: number) => {
      const scenario = setAhead(given(place({ limitPrice: '90' })), 5000);
      const timeMs = scenario.market.nowMs + 5000 + sinceDueMs;
      scenario.market.advance(60_000);
      return scenario.when((market) => {
        const change = market.trade('SOL', ['sell', '89', '5']);
        return { ...change, trades: change.trades.map((one) => ({ ...one, timeMs })) };
      });
    };
    late(0).thenEvents({ type: 'scheduledCancelFired' }, { type: 'orderEnded', status: 'scheduledCancel' });
    late(-1).thenFills('buy 1 @ 90 maker').when(wait(0)).thenEvents({ type: 'scheduledCancelFired' });
  });

  it('edge 89: with a half-filled parent it ends parent and children, and the position stays', () => {
    const child = (tpsl: 'tp' | 'sl', price: string) =>
      ({
        ...order({ side: 'sell', limitPrice: '50', size: '8', reduceOnly: true }),
        type: { kind: 'trigger', tpsl, triggerPrice: price, isMarket: true },
      }) as const;
    const orders = [order({ limitPrice: '100', size: '8' }), child('sl', '90'), child('tp', '120')];
    const scenario = given({ type: 'placeOrders', orders, grouping: 'normalTpsl' });
    scenario.thenPosition('SOL', '5');
    expect(scenario.account.triggers.size).to.equal(2);
    setAhead(scenario, 5000).when(wait(5000)).thenEnds('scheduledCancel', 'scheduledCancel', 'scheduledCancel');
    scenario.thenOpen().thenPosition('SOL', '5');
    expect(scenario.account.triggers.size).to.equal(0);
  });

  it('a question after its time sees the orders gone', () => {
    const scenario = setAhead(given(place({ limitPrice: '90' })), 5000);
    scenario.market.advance(5000);
    scenario.when(openOrders);
    expect(scenario.outcome).to.deep.include({ type: 'answer', answer: { kind: 'openOrders', orders: [] } });
    scenario.thenOpen();
  });
});

describe('scheduleCancel: ten firings a day', () => {
  it('edge 88, invariant 26: the eleventh of a UTC day cannot be set, after 00:00 UTC it can', () => {
    const scenario = given();
    for (let firing = 0; firing < 10; firing++) fire(scenario).thenEvents({ type: 'scheduledCancelFired' });
    setAhead(scenario, 5000).thenOutcomes('Too many scheduled cancels triggered for the day. Limit is 10.').thenEvents();
    scenario.when(unset).thenOutcomes('done');
    scenario.market.advance(DAY_MS - (scenario.market.nowMs % DAY_MS) - 1);
    setAhead(scenario, 5000).thenOutcomes('Too many scheduled cancels triggered for the day. Limit is 10.');
    scenario.market.advance(1);
    fire(scenario).thenEvents({ type: 'scheduledCancelFired' });
    expect(scenario.account.scheduledCancel.firings).to.equal(1);
  });

  it('setting it again and again is free', () => {
    const scenario = given();
    for (let call = 0; call < 50; call++) setAhead(scenario, 60_000).thenOutcomes('done');
  });

  it('time and count are in the snapshot', () => {
    const scenario = setAhead(fire(given()), 7000);
    const { account } = scenario;
    expect(fromSnapshot(toSnapshot(account, NEWEST_FORMAT)).scheduledCancel).to.deep.equal(account.scheduledCancel);
    expect(toSnapshot(fromSnapshot(toSnapshot(account, NEWEST_FORMAT)), NEWEST_FORMAT)).to.equal(
      toSnapshot(account, NEWEST_FORMAT),
    );
  });
});
