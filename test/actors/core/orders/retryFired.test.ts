import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { statusOfOpen } from '../../../../src/actors/core/account/ownOrders.ts';
import type { AccountCommand, OwnersCommand } from '../../../../src/actors/core/messages/command.ts';
import { orderStatus } from '../../../../src/actors/core/views/answerQuery.ts';
import { explainOpenOrder } from '../../../../src/actors/core/views/ownBook.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../../src/shared/stateHash.ts';
import type { Levels } from '../../../support/fixtureMarket.ts';
import {
  book,
  cancel,
  delist,
  given,
  givenUsd,
  leverage,
  type MarketMove,
  mark,
  modifyAlways,
  place,
  placeGroup,
  Scenario,
  type Step,
  stop,
  takeProfit,
  trade,
  wait,
} from '../../../support/scenario.ts';

const inLab = (command: AccountCommand): AccountCommand => ({
  type: 'inLab',
  note: { key: 'key_1', on: 'exchange', number: 1, atMs: 1, draw: 0.5 },
  command: command as OwnersCommand,
});
const long = (size: string) => place({ size, limitPrice: '100.2' });
const sell = (size: string, limitPrice = '99') => place({ side: 'sell', size, limitPrice, tif: 'ioc' });
const bids = (...levels: Levels): MarketMove => book('SOL', levels, [['130', '50']]);
/** So many levels of one coin each, from 90 down by 0.1. */
const ladder = (count: number): Levels => Array.from({ length: count }, (_, i) => [(90 - i / 10).toFixed(1), '1'] as const);

/** Long 30, of which 5 were sold into the only level; a stop of 8 at 95 then fires into it, and takes the 3 that are left. */
const waiting = (): Scenario =>
  given(
    book('SOL', [['99.9', '50']], [['100', '50']]),
    long('30'),
    place(stop('95', { size: '8' })),
    bids(['90', '8']),
    sell('5', '90'),
    mark('SOL', '95'),
  );

describe('rule 2.4: a market trigger that has fired does not end for a reason of this exchange alone', () => {
  describe('the account has taken size inside the limit before', () => {
    it('EX-2.4e: it fills what it may, and stays triggered with the rest', () => {
      const scenario = waiting();
      scenario.thenStatuses('triggered').thenFills('sell 3 @ 90 taker').thenWaiting('sell 5 @ 85 for a newer book');
      const [order] = [...scenario.account.triggers.values()];
      expect(order).to.include({ size: '5', originalSize: '8', filledSize: '3', filledUsd: '270' });
      expect(order && statusOfOpen(order)).to.equal('triggered');
    });

    it('EX-2.4e: each newer book is tried, one that gives nothing leaves no entry', () => {
      const scenario = waiting();
      const { seq } = scenario.account;
      scenario.when(bids(['90', '8'])).thenEvents();
      expect(scenario.account.seq).to.equal(seq);
      scenario
        .when(bids(['90', '10']))
        .thenFills('sell 2 @ 90 taker')
        .thenStatuses()
        .thenWaiting('sell 3 @ 85 for a newer book');
      scenario
        .when(bids(['90', '13']))
        .thenFills('sell 3 @ 90 taker')
        .thenStatuses('filled')
        .thenWaiting()
        .thenPosition('SOL', '17');
      expect(scenario.events.find(({ type }) => type === 'orderEnded')).to.deep.include({ status: 'filled' });
    });

    it('all that its fills came to is added up', () => {
      const scenario = waiting()
        .when(bids(['91', '2'], ['90', '8']))
        .when(bids(['90', '16']));
      const [end] = scenario.events.flatMap((event) => (event.type === 'orderEnded' ? [event.order] : []));
      expect(end).to.include({ size: '0', originalSize: '8', filledSize: '8', filledUsd: '722' });
    });

    it('what was taken comes back by half at a newer book', () => {
      waiting()
        .given(wait(30_000), mark('SOL', '95'))
        .when(bids(['90', '8']))
        .thenFills('sell 4 @ 90 taker')
        .thenWaiting('sell 1 @ 85 for a newer book');
    });

    it('nothing at all is left: it waits whole', () => {
      const scenario = given(long('10'), place(stop('95', { size: '4' })), bids(['90', '6']), sell('6', '90'), mark('SOL', '95'));
      scenario.thenStatuses('triggered').thenFills().thenWaiting('sell 4 @ 85 for a newer book');
      scenario
        .when(bids(['90', '10']))
        .thenFills('sell 4 @ 90 taker')
        .thenStatuses('filled');
    });

    it('a take-profit market order waits, too', () => {
      given(long('10'), place(takeProfit('105', { size: '4' })), bids(['104', '6']), sell('6', '104'))
        .when(mark('SOL', '105'))
        .thenWaiting('sell 4 @ 85 for a newer book');
    });
  });

  describe('the limit lies beyond the levels that are shown', () => {
    const fired = (levels: Levels, limitPrice = '85'): Scenario =>
      given(
        book('SOL', [['99.9', '50']], [['100', '50']]),
        long('30'),
        place(stop('95', { size: '30', limitPrice })),
        bids(...levels),
        mark('SOL', '95'),
      );

    it('EX-2.4f: 20 levels are taken, the rest waits', () => {
      const scenario = fired(ladder(20));
      expect(scenario.fillsInWords()).to.have.length(20);
      scenario.thenStatuses('triggered').thenWaiting('sell 10 @ 85 for a newer book');
    });

    it('a side of 19 levels is known whole: the rest ends as at the venue', () => {
      fired(ladder(19)).thenStatuses('triggered', 'canceled').thenWaiting();
    });

    it('a limit at the last level shown: the rest ends as at the venue', () => {
      fired(ladder(20), '88.1').thenStatuses('triggered', 'canceled').thenWaiting();
    });

    it('the aggregated book is met first, and what it shows up to the limit is not out of sight', () => {
      const seen = (deep: Levels) =>
        given(
          book('SOL', [['99.9', '50']], [['100', '50']]),
          long('30'),
          place(stop('95', { size: '30' })),
          bids(...ladder(20)),
          (market) => {
            market.setDeep('SOL', { bids: deep, asks: [] });
            return undefined;
          },
          mark('SOL', '95'),
        );
      const upTo85 = [...ladder(20).slice(0, 1), ['86', '26'], ['85', '3'], ['84', '9']] as const;
      seen(upTo85).thenStatuses('triggered', 'filled');
      const thin = [...ladder(20).slice(0, 1), ['86', '22'], ['85', '3'], ['84', '9']] as const;
      seen(thin).thenStatuses('triggered', 'canceled');
      const across = [...ladder(20).slice(0, 1), ['86', '22'], ['84', '9']] as const;
      seen(across).thenStatuses('triggered').thenWaiting('sell 7 @ 85 for a newer book');
    });
  });

  describe('the venue would have ended it', () => {
    it('nothing was taken and all is shown: the rest ends', () => {
      given(long('10'), place(stop('95', { size: '4' })), bids(['90', '3']), mark('SOL', '95'))
        .thenStatuses('triggered', 'canceled')
        .thenWaiting();
    });

    it('nothing is inside the limit, though the account has taken beyond it', () => {
      given(long('10'), place(stop('95', { size: '4', limitPrice: '94' })), bids(['90', '6']), sell('6', '90'), mark('SOL', '95'))
        .thenStatuses('triggered', 'marketOrderNoLiquidityRejected')
        .thenWaiting();
    });

    it('one that is not reduce-only, a limit order, and one that a failure lab fills in part do not wait', () => {
      const steps = [bids(['90', '6']), sell('6', '90'), mark('SOL', '95')];
      given(long('10'), place(stop('95', { size: '4', reduceOnly: false })), ...steps).thenStatuses(
        'triggered',
        'marketOrderNoLiquidityRejected',
      );
      const limit = stop('95', { size: '4', trigger: { price: '95', tpsl: 'sl', isMarket: false } });
      given(long('10'), place(limit), ...steps)
        .thenStatuses('triggered', 'open')
        .thenOpen('sell 4 @ 85');
      const scripted = given(long('10'), inLab(place(stop('95', { size: '4', script: { prefix: '0xde', fillPercent: 50 } }))));
      scripted
        .given(bids(['90', '6']), sell('6', '90'))
        .when(mark('SOL', '95'))
        .thenWaiting();
    });

    it('the first book without any size inside its limit ends what has filled a part', () => {
      const scenario = waiting().when(bids(['84', '50']));
      scenario.thenStatuses('canceled').thenFills().thenWaiting();
      const [end] = scenario.events.flatMap((event) => (event.type === 'orderEnded' ? [event.order] : []));
      expect(end).to.include({ size: '5', originalSize: '8', filledSize: '3' });
    });

    it('and what has filled nothing, as at the venue; an empty side has no size either', () => {
      given(long('10'), place(stop('95', { size: '4' })), bids(['90', '6']), sell('6', '90'), mark('SOL', '95'))
        .when(bids())
        .thenStatuses('marketOrderNoLiquidityRejected')
        .thenWaiting();
    });
  });

  it('a silent feed costs no stop: a book that is not fresh tries nothing and ends nothing', () => {
    const scenario = waiting()
      .given(wait(60_000))
      .when(bids(['84', '50']));
    scenario.thenStatuses().thenWaiting('sell 5 @ 85 for a newer book');
    scenario
      .given(mark('SOL', '95'))
      .when(bids(['90', '30']))
      .thenStatuses('filled');
  });

  it('what it takes counts as taken', () => {
    waiting()
      .given(bids(['90', '13']))
      .when(sell('1', '90'))
      .thenOutcomes('Order could not immediately match against any resting orders. asset=2');
  });

  it('neither the mark nor a trade tries it again', () => {
    waiting()
      .when(trade('SOL', ['sell', '90', '8']))
      .thenFills()
      .thenStatuses()
      .when(mark('SOL', '94'))
      .thenEvents();
  });

  describe('it is an open order', () => {
    it('orderStatus says triggered, and when it fired', () => {
      const scenario = waiting();
      const oid = scenario.waitingOid();
      const { found } = orderStatus(scenario.account, { oid }) as { found: { status: string; timeMs: number } };
      expect(found.status).to.equal('triggered');
      expect(found.timeMs).to.equal(scenario.account.timeMs);
    });

    it('explainOrder says which of the two it was', () => {
      const scenario = waiting();
      const { market } = scenario;
      const why = (of: Scenario) =>
        explainOpenOrder(of.account, { oid: of.waitingOid() }, { market: of.market, nowMs: market.nowMs }).why?.reason;
      expect(why(scenario)).to.equal('firedIntoTaken');
      const beyond = given(
        book('SOL', [['99.9', '50']], [['100', '50']]),
        long('30'),
        place(stop('95', { size: '30' })),
        bids(...ladder(20)),
        mark('SOL', '95'),
      );
      expect(why(beyond)).to.equal('firedBeyondShown');
    });

    it('it can be canceled, also fast and by cloid', () => {
      const scenario = waiting();
      const oid = scenario.waitingOid();
      scenario
        .when({ ...cancel({ target: { oid } }), isFast: true } as AccountCommand)
        .thenOutcomes('success')
        .thenStatuses('canceled');
      scenario.when(bids(['90', '30'])).thenFills();
      const cloid = '0x00000000000000000000000000000001';
      given(long('10'), place(stop('95', { size: '4', cloid })), bids(['90', '6']), sell('6', '90'), mark('SOL', '95'))
        .when(cancel({ target: { cloid } }))
        .thenOutcomes('success')
        .thenWaiting();
    });

    it('the dead man’s switch ends it', () => {
      const scenario = waiting();
      scenario.when({ type: 'scheduleCancel', dueMs: scenario.market.nowMs + 6000 }).when(wait(6000));
      scenario.thenStatuses('scheduledCancel').thenWaiting();
    });

    it('a modify puts another order in its place', () => {
      const scenario = waiting();
      const oid = scenario.waitingOid();
      scenario.when(modifyAlways({ target: { oid }, order: stop('80', { size: '5', limitPrice: '75' }) }));
      scenario.thenOutcomes('resting').thenWaiting('sell 5 @ 75 when below 80');
      scenario.when(bids(['90', '30'])).thenFills();
    });

    it('it is cut to the position: origSz - sz stays what was filled, and a row tells', () => {
      const scenario = waiting().given(book('SOL', [['90', '8']], [['130', '50']]));
      scenario.when(bids(['92', '20'], ['90', '8']));
      // The better level fills it whole: a cut needs a book that gives it nothing.
      const cut = waiting();
      cut.when(place({ side: 'sell', size: '20', limitPrice: '93' })).when(trade('SOL', ['buy', '93', '20']));
      cut.thenStatuses('filled', 'triggered').thenWaiting('sell 2 @ 85 for a newer book');
      const [order] = [...cut.account.triggers.values()];
      expect(order).to.include({ size: '2', originalSize: '5', filledSize: '3', requestedSize: '8' });
    });

    it('it ends when the position is gone', () => {
      const scenario = waiting();
      scenario.given(place({ side: 'sell', size: '22', limitPrice: '93' })).when(trade('SOL', ['buy', '93', '22']));
      scenario.thenStatuses('filled', 'reduceOnlyCanceled').thenWaiting().thenPosition('SOL', '0');
    });

    it('one that was placed flat follows the position that it fired on', () => {
      const scenario = given(
        place(stop('95', { size: '8' })),
        book('SOL', [['99.9', '50']], [['100', '50']]),
        place({ size: '10', limitPrice: '100' }),
        bids(['90', '6']),
        sell('6', '90'),
        mark('SOL', '95'),
      );
      scenario.thenStatuses('triggered', 'triggered').thenWaiting('sell 4 @ 85 for a newer book');
      scenario.given(place({ side: 'sell', size: '4', limitPrice: '93' })).when(trade('SOL', ['buy', '93', '4']));
      scenario.thenStatuses('filled', 'reduceOnlyCanceled').thenWaiting();
    });

    it('a reset, the end of the account and a delisting end it', () => {
      const ends: readonly (readonly [step: Step, status: string])[] = [
        [{ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' }, 'canceled'],
        [{ type: 'closeAccount' }, 'canceled'],
        [delist('SOL', '90'), 'delistedCanceled'],
      ];
      for (const [step, status] of ends) {
        const scenario = waiting();
        const oid = scenario.waitingOid();
        scenario.when(step).thenWaiting();
        const ended = scenario.events.flatMap((event) => (event.type === 'orderEnded' ? [[event.order.oid, event.status]] : []));
        expect(ended).to.deep.equal([[oid, status]]);
      }
    });

    it('a fork has it, too, and has taken nothing: the first book fills it', () => {
      const { account: source } = waiting();
      const state = JSON.parse(toSnapshot(source, NEWEST_FORMAT));
      const id = `0x${'cd'.repeat(20)}`;
      const fork = new Scenario();
      fork.given({
        type: 'beginFork',
        of: id,
        seq: source.seq,
        hash: stateHashOf(fromSnapshot(JSON.stringify({ ...state, id }))),
        state: { ...state, id },
      });
      fork.thenWaiting('sell 5 @ 85 for a newer book');
      fork
        .when(bids(['90', '8']))
        .thenFills('sell 5 @ 90 taker')
        .thenStatuses('filled')
        .thenPosition('SOL', '17');
    });

    it('liquidation ends it', () => {
      const scenario = givenUsd('8000', book('SOL', [['99.9', '5000']], [['100', '5000']]), leverage(2, 20));
      scenario.given(place({ size: '900', limitPrice: '100' }), place(stop('96', { size: '100' })), bids(['95.9', '60']));
      scenario.given(sell('60', '95.9'), mark('SOL', '96')).thenWaiting('sell 100 @ 85 for a newer book');
      scenario.when(mark('SOL', '92')).thenWaiting();
      expect(scenario.events.flatMap((event) => (event.type === 'orderEnded' ? [event.status] : []))).to.include(
        'liquidatedCanceled',
      );
    });
  });

  describe('its group', () => {
    const grouped = (): Scenario =>
      given(
        book('SOL', [['99.9', '50']], [['100', '50']]),
        long('8'),
        placeGroup('positionTpsl', stop('95', { size: '0' }), takeProfit('120', { size: '0' })),
        bids(['90', '5']),
        sell('2', '90'),
        mark('SOL', '95'),
      );

    it('the sibling stays while a part is left, and ends when all has filled', () => {
      const scenario = grouped().thenWaiting('sell 0 @ 85 when above 120', 'sell 3 @ 85 for a newer book');
      scenario
        .when(bids(['90', '9']))
        .thenFills('sell 3 @ 90 taker')
        .thenPosition('SOL', '0')
        .thenWaiting();
      scenario.thenStatuses('filled', 'siblingFilledCanceled');
    });

    it('the sibling may fire meanwhile; what it closes ends the one that waits', () => {
      const scenario = grouped();
      scenario.given(book('SOL', [['121', '50']], [['122', '50']])).thenStatuses('filled', 'siblingFilledCanceled');
    });
  });

  it('a snapshot, and its entries once more, are the same account', () => {
    const scenario = waiting();
    const stored = toSnapshot(scenario.account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(stored), NEWEST_FORMAT)).to.equal(stored);
    expect(fromSnapshot(stored).triggers.get(scenario.waitingOid())).to.deep.include({ waitsFor: 'book' });
  });
});
