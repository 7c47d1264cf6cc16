import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { DELAYED_MAX, HELD_MAX } from '../../../src/actors/core/account/labState.ts';
import type { AccountCommand, OwnersCommand } from '../../../src/actors/core/messages/command.ts';
import type { LabNote } from '../../../src/actors/core/messages/labNote.ts';
import { mustStayInMemory } from '../../../src/actors/core/mustStayInMemory.ts';
import { foldAccount, nextDueMs } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { ACCOUNT_ID, book, cancel, given, mark, modify, place, type Scenario, trade, wait } from '../../support/scenario.ts';

const NOTE: LabNote = { key: 'key_1', on: 'exchange', number: 1, atMs: 1, draw: 0.5 };

const inLab = (command: AccountCommand, note: Partial<LabNote> = {}): AccountCommand => ({
  type: 'inLab',
  note: { ...NOTE, ...note },
  command: command as OwnersCommand,
});
const late = (command: AccountCommand, delayMs: number, number = 1) => inLab(command, { delayMs, number });
const cancelOid = (oid: number) => cancel({ target: { oid } });
const oidOf = (scenario: Scenario): number => [...scenario.account.orders.keys()][0] as number;
/** The outcome of the delayed action of this number. */
const found = (scenario: Scenario, number: number): unknown => {
  const { outcome } = scenario.when({ type: 'query', query: { kind: 'delayedAction', number } });
  return outcome?.type === 'answer' && outcome.answer.kind === 'delayedAction' ? outcome.answer.found : undefined;
};

describe('failure lab: an action waits in the account for its latency', () => {
  it('nothing of it happens before its time, not a millisecond; then it is decided and its outcome is told', () => {
    const scenario = given().when(late(place({ limitPrice: '90' }), 250));
    scenario.thenEvents({ type: 'actionDelayed', number: 1, dueMs: scenario.market.nowMs + 250 }).thenOpen();
    expect(scenario.outcome).to.deep.equal({ type: 'delayed', number: 1, dueMs: scenario.market.nowMs + 250 });
    expect(mustStayInMemory(scenario.account)).to.equal(true);
    expect(nextDueMs(scenario.account)).to.equal(scenario.market.nowMs + 250);
    scenario.when(wait(249)).thenEvents();
    expect(found(scenario, 1)).to.equal('waiting');
    scenario.when(wait(1)).thenOpen('buy 1 @ 90');
    const oid = oidOf(scenario);
    expect(found(scenario, 1)).to.deep.equal({ type: 'orders', orders: [{ type: 'resting', oid }] });
    expect(found(scenario, 2)).to.equal('gone');
    expect(nextDueMs(scenario.account)).to.equal(undefined);
  });

  it('the order finds the book of that moment, not the one that its sender saw', () => {
    const scenario = given().when(late(place({ size: '1', limitPrice: '101', tif: 'ioc' }), 100));
    const { asks } = scenario.market.book(2) ?? {};
    expect(asks?.[0]?.price.toString()).to.equal('100');
    scenario.given(book('SOL', [['110', '5']], [['111', '5']]));
    scenario.when(wait(100)).thenEnds('iocCancelRejected').thenFills();
  });

  it('a cancel loses the race against a trade that happens first, and wins it against one that happens after', () => {
    const lost = given(place({ limitPrice: '99' }));
    lost
      .when(late(cancelOid(oidOf(lost)), 300))
      .when(wait(100))
      .when(trade('SOL', ['sell', '98', '5']))
      .thenFills('buy 1 @ 99 maker');
    lost.when(wait(200)).thenEvents({ type: 'delayedActionDecided', number: 1 });
    expect(found(lost, 1)).to.have.nested.property('cancels[0].type', 'error');

    const won = given(place({ limitPrice: '99' }));
    won
      .when(late(cancelOid(oidOf(won)), 300))
      .when(wait(300))
      .thenEnds('canceled');
    won.when(trade('SOL', ['sell', '98', '5'])).thenFills();
    expect(found(won, 1)).to.deep.equal({ type: 'cancels', cancels: [{ type: 'success' }] });
  });

  it('by due time, then in the order in which they came', () => {
    const scenario = given()
      .given(
        late(place({ limitPrice: '91' }), 200),
        late(place({ limitPrice: '92' }), 100),
        late(place({ limitPrice: '93' }), 200),
      )
      .when(wait(200))
      .thenOpen('buy 1 @ 92', 'buy 1 @ 91', 'buy 1 @ 93');
    const numbers = scenario.entries.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'delayedActionDecided' ? [event.number] : [])),
    );
    expect(numbers).to.deep.equal([2, 1, 3]);
  });

  it('what came due while nobody looked is decided before the next command', () => {
    const scenario = given(late(place({ limitPrice: '90' }), 100));
    scenario.market.nowMs += 5000;
    scenario.when(place({ limitPrice: '91' })).thenOpen('buy 1 @ 90', 'buy 1 @ 91');
  });

  it('past its expiresAfter it is refused at its time', () => {
    const scenario = given();
    const expiresAfterMs = scenario.market.nowMs + 50;
    scenario.given(late({ ...place({ limitPrice: '90' }), expiresAfterMs } as AccountCommand, 100), wait(100)).thenOpen();
    expect(found(scenario, 1)).to.deep.equal({ type: 'refused', text: 'Action already expired' });
  });

  it(`${DELAYED_MAX} may wait, one more is refused; the refusal changes nothing`, () => {
    const scenario = given(...Array.from({ length: DELAYED_MAX }, () => late(place({ limitPrice: '90' }), 1000)));
    scenario.when(late(place({ limitPrice: '90' }), 1000)).thenEvents();
    expect(scenario.outcome).to.deep.include({ type: 'refused' });
    scenario.when(wait(1000));
    expect(scenario.account.orders.size).to.equal(DELAYED_MAX);
    scenario.when(late(place({ limitPrice: '90' }), 1000)).thenEvents({ type: 'actionDelayed', number: DELAYED_MAX + 1 });
  });

  it('long actions are bounded by their characters', () => {
    const long = place(...Array.from({ length: 900 }, () => ({ limitPrice: '90' })));
    const scenario = given(late(long, 1000)).when(late(long, 1000)).thenEvents();
    expect(scenario.outcome).to.deep.include({ type: 'refused' });
  });

  it('a closed account drops what waits, a reset too; numbers are never given twice', () => {
    const scenario = given(late(place({ limitPrice: '90' }), 100));
    scenario.when({ type: 'closeAccount' }).thenEvents({ type: 'delayedActionsDropped' });
    scenario.when(wait(100)).thenEvents().thenOpen();
    scenario.given(late(place({ limitPrice: '90' }), 100), { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    scenario.when(wait(100)).thenEvents().thenOpen();
    expect(found(scenario, 2)).to.equal('gone');
    scenario.when(late(place({ limitPrice: '90' }), 100)).thenEvents({ type: 'actionDelayed', number: 3 });
  });

  it('a cancel that waits stands beside its order from when it came', () => {
    const scenario = given(inLab(place({ limitPrice: '99' })));
    const oid = oidOf(scenario);
    scenario.when(late(cancelOid(oid), 300, 2)).when(trade('SOL', ['sell', '98', '5']));
    const [ended] = scenario.events.flatMap((event) => (event.type === 'orderEnded' ? [event.order] : []));
    expect(ended?.lab?.map(({ act, number, delayMs }) => [act, number, delayMs])).to.deep.equal([
      ['place', 1, undefined],
      ['cancel', 2, 300],
    ]);
  });

  it('an order has eight draws beside it at most: the first, and the newest', () => {
    const scenario = given(inLab(place({ limitPrice: '90' })));
    const oid = oidOf(scenario);
    for (let number = 2; number <= 20; number++) scenario.given(late(cancelOid(oid), 9000, number));
    expect(scenario.account.orders.get(oid)?.lab?.map(({ number }) => number)).to.deep.equal([1, 14, 15, 16, 17, 18, 19, 20]);
  });

  it('a modify that waits is decided at its time', () => {
    const scenario = given(place({ limitPrice: '90' }));
    scenario.given(late(modify({ target: { oid: oidOf(scenario) }, order: { limitPrice: '91' } }), 100)).thenOpen('buy 1 @ 90');
    scenario.when(wait(100)).thenOpen('buy 1 @ 91');
  });
});

describe('failure lab: faults and scripts', () => {
  it('a fault is an event with its draw, before what the action did', () => {
    given()
      .when(inLab(place({ limitPrice: '90' }), { fault: 'timeoutAfterEffect' }))
      .thenEvents({ type: 'labDrawn' }, { type: 'orderRested' });
    const scenario = given().when({ type: 'noteLab', note: { ...NOTE, fault: '500' } });
    scenario.thenOutcomes('done').thenEvents({ type: 'labDrawn', note: { ...NOTE, fault: '500' } });
  });

  it('without fault and latency the command leaves its own events only, with the draw beside the order', () => {
    const scenario = given()
      .when(inLab(place({ limitPrice: '90' })))
      .thenEvents({ type: 'orderRested' });
    expect(scenario.account.orders.get(oidOf(scenario))?.lab).to.deep.equal([{ ...NOTE, act: 'place' }]);
  });

  it('a refusal has the words of the venue and leaves the order in the history', () => {
    const scenario = given().when(inLab(place({ limitPrice: '90', script: { prefix: '0xde', refuse: 'insufficientMargin' } })));
    scenario.thenEnds('perpMarginRejected').thenOutcomes('Insufficient margin to place order. asset=2');
  });

  it('fills n % at once, cut to the lot: an Ioc ends with that, a Gtc rests and fills with the next book', () => {
    const script = { draw: 0.1, fillPercent: 33 };
    given()
      .when(inLab(place({ size: '2', limitPrice: '101', tif: 'ioc', script })))
      .thenFills('buy 0.66 @ 100 taker')
      .thenEnds('canceled');
    const scenario = given()
      .when(inLab(place({ size: '2', limitPrice: '101', script })))
      .thenFills('buy 0.66 @ 100 taker');
    scenario.thenOpen('buy 1.34 @ 101');
    scenario
      .given(wait(1))
      .when(book('SOL', [['99.5', '10']], [['100.5', '10']]))
      .thenFills('buy 1.34 @ 101 maker');
  });

  it('0 % of an Ioc matches nothing', () => {
    given()
      .when(inLab(place({ size: '2', limitPrice: '101', tif: 'ioc', script: { fillPercent: 0 } })))
      .thenEnds('iocCancelRejected');
  });

  it('a held order rests at a crossing price; nothing fills it before its time, and the book of then does', () => {
    const script = { prefix: '0xde', fillPercent: 0, holdMs: 500 };
    const scenario = given().when(inLab(place({ size: '1', limitPrice: '101', script })));
    scenario.thenEvents({ type: 'orderRested' }, { type: 'orderHeld', untilMs: scenario.market.nowMs + 500 });
    scenario
      .given(wait(100))
      .when(trade('SOL', ['sell', '99', '5']))
      .thenFills();
    scenario.when(book('SOL', [['99.5', '10']], [['100.5', '10']])).thenFills();
    scenario.when(wait(400)).thenFills('buy 1 @ 101 maker');
    expect(scenario.account.lab?.held).to.deep.equal([]);
  });

  it('a book that has stood still since it came to rest fills it as far as it goes, and one that is old does not', () => {
    const script = { prefix: '0xde', fillPercent: 0, holdMs: 500 };
    const still = given(inLab(place({ size: '7', limitPrice: '100', script })));
    still.when(wait(500)).thenFills('buy 5 @ 100 maker').thenOpen('buy 2 @ 100');
    const old = given(inLab(place({ size: '7', limitPrice: '100', script: { ...script, holdMs: 20_000 } })));
    old.when(wait(20_000)).thenEvents({ type: 'orderLetGo' });
    const away = given(inLab(place({ size: '7', limitPrice: '99', script })));
    away.when(wait(500)).thenEvents({ type: 'orderLetGo' });
  });

  describe('a trigger order under a script waits for its mark as ever', () => {
    const trigger = (isMarket: boolean, script: object) =>
      given(inLab(place({ size: '2', limitPrice: '104', trigger: { price: '103', tpsl: 'sl', isMarket }, script } as object)));
    const reached = (scenario: Scenario) =>
      scenario.given(book('SOL', [['102.9', '10']], [['103.5', '10']])).when(mark('SOL', '103'));
    const fillPercent = 25;

    it('and fills n % when it fires: the rest of a limit order rests, the rest of a market order ends', () => {
      reached(trigger(false, { prefix: '0xde', fillPercent }))
        .thenFills('buy 0.5 @ 103.5 taker')
        .thenOpen('buy 1.5 @ 104');
      reached(trigger(true, { draw: 0.1, fillPercent }))
        .thenFills('buy 0.5 @ 103.5 taker')
        .thenStatuses('triggered', 'canceled');
    });

    it('and never fills: a limit order is held from when it fires, also after a restart; a market order finds nothing', () => {
      const script = { prefix: '0xde', fillPercent: 0, holdMs: null };
      const waiting = trigger(false, script);
      waiting.account = fromSnapshot(toSnapshot(waiting.account, NEWEST_FORMAT));
      const scenario = reached(waiting).thenFills().thenOpen('buy 2 @ 104');
      scenario.when(trade('SOL', ['sell', '90', '1000'])).thenFills();
      reached(trigger(true, script)).thenFills().thenOpen();
    });

    it('and fills late: by the book so long after it has fired', () => {
      const scenario = reached(trigger(false, { prefix: '0xde', fillPercent: 0, holdMs: 500 })).thenFills();
      scenario.when(wait(499)).thenFills();
      scenario.when(wait(1)).thenFills('buy 2 @ 104 maker');
    });

    it('and ends where no place among the held is free', () => {
      const held = Array.from({ length: HELD_MAX }, () =>
        inLab(place({ limitPrice: '50', size: '0.2', script: { prefix: '0xde', fillPercent: 0, holdMs: null } })),
      );
      const scenario = trigger(false, { prefix: '0xde', fillPercent: 0, holdMs: null }).given(...held);
      reached(scenario).thenStatuses('triggered', 'tooManyOpenOrdersRejected');
    });
  });

  it('one that never fills can be canceled, and its place is free again', () => {
    const script = { prefix: '0xde', fillPercent: 0, holdMs: null };
    const scenario = given(...Array.from({ length: HELD_MAX }, () => inLab(place({ limitPrice: '99', script }))));
    scenario.when(trade('SOL', ['sell', '90', '1000'])).thenFills();
    expect(nextDueMs(scenario.account)).to.equal(undefined);
    scenario.when(inLab(place({ limitPrice: '99', script }))).thenEnds('tooManyOpenOrdersRejected');
    scenario.given(cancelOid(oidOf(scenario))).when(inLab(place({ limitPrice: '99', script })));
    scenario.thenEvents({ type: 'orderRested' }, { type: 'orderHeld', untilMs: null });
    expect(scenario.account.lab?.held).to.have.length(HELD_MAX);
  });
});

describe('failure lab: the state is a fold of the journal, at any moment', () => {
  const step = fc.oneof(
    fc.record({ delayMs: fc.nat(400), price: fc.integer({ min: 90, max: 102 }), hold: fc.option(fc.nat(300)) }),
    fc.record({ waitMs: fc.nat(400) }),
    fc.record({ cancelAfterMs: fc.nat(400) }),
  );

  it('replay equals live state, and a snapshot goes on as the account does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let scenario = given();
        steps.forEach((one, at) => {
          if ('waitMs' in one) scenario.given(wait(one.waitMs));
          else if ('cancelAfterMs' in one) {
            const oid = oidOf(scenario);
            if (oid !== undefined) scenario.given(late(cancelOid(oid), one.cancelAfterMs, at));
          } else {
            const script = one.hold === null ? {} : { script: { fillPercent: 0, holdMs: one.hold } };
            scenario.given(late(place({ limitPrice: String(one.price), ...script }), one.delayMs + 1, at));
          }
          if (at % 7 === 6) scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
        });
        scenario = scenario.given(wait(1000));
        expect(scenario.account.lab?.waiting ?? []).to.deep.equal([]);
        expect(toSnapshot(foldAccount(ACCOUNT_ID, undefined, scenario.entries), NEWEST_FORMAT)).to.equal(
          toSnapshot(scenario.account, NEWEST_FORMAT),
        );
      }),
      { numRuns: 60 },
    );
  });
});
