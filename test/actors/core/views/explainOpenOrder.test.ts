import { expect } from 'chai';
import { OrderMap } from '../../../../src/actors/core/account/orderMap.ts';
import type { ExplainOpenOrderView } from '../../../../src/actors/core/messages/ownMarket.ts';
import { explainOpenOrder } from '../../../../src/actors/core/views/ownBook.ts';
import { book, given, order, place, type Scenario, trade, wait } from '../../../support/scenario.ts';

const BIDS = [
  ['99.9', '5'],
  ['99.5', '40'],
] as const;
const market = book('SOL', BIDS, [['100', '5']]);
const bid = (size: string, limitPrice = '99.5') => place({ size, limitPrice });

function why(scenario: Scenario): ExplainOpenOrderView | undefined {
  const { account, market: view } = scenario;
  return explainOpenOrder(account, { oid: scenario.oid() }, { market: view, nowMs: view.nowMs }).why;
}

describe('whyOpen: what an open order waits for', () => {
  const cases: { name: string; scenario: () => Scenario; want: Record<string, unknown> }[] = [
    {
      name: 'others stand before it',
      scenario: () => given(market, bid('10')),
      want: { reason: 'inQueue', 'queue.ahead': '40', bestBid: '99.9', bestAsk: '100.0', markPrice: '100.0' },
    },
    {
      name: 'nobody stands before it, after a trade through the queue',
      scenario: () => given(market, bid('10'), trade('SOL', ['sell', '99.5', '40'])),
      want: { reason: 'frontOfQueue', 'queue.ahead': '0', 'queue.displayedAtLimit': '0.0' },
    },
    {
      name: 'its price is out of sight',
      scenario: () => given(market, bid('10', '90')),
      want: { reason: 'outOfSight', 'queue.ahead': 'unknown' },
    },
    {
      name: 'what is displayed at its limit was taken by the account before',
      scenario: () => given(market, bid('8', '100')),
      want: { reason: 'alreadyTaken', 'queue.displayedAtLimit': '5.0', 'queue.consumedAtLimit': '5.0' },
    },
    {
      name: 'the market has not been heard of',
      scenario: () => given(market, bid('10'), wait(15_300)),
      want: { reason: 'staleMarket', age: '15.3 s', 'queue.ahead': '40' },
    },
  ];
  for (const { name, scenario, want } of cases) {
    it(name, () => expect(why(scenario())).to.nested.include(want));
  }

  it('names the book it was judged by, and what the order must be older than', () => {
    const scenario = given(market, bid('10'));
    const shown = scenario.market.book(2);
    expect(why(scenario)).to.deep.include({
      bookTimeMs: shown?.timeMs,
      bookVersion: shown?.version,
    });
    expect(why(scenario)?.queue).to.include({ acceptedFeedTimeMs: shown?.timeMs, acceptedTick: '0-0' });
  });

  const stop = {
    ...order({ side: 'sell', limitPrice: '90', size: '1' }),
    oid: 7,
    coin: 'SOL',
    originalSize: '1',
    filledSize: '0',
    timeInForce: 'ioc',
    placedAtMs: 0,
    trigger: { price: '95', tpsl: 'sl', isMarket: true, parentOid: 6 },
  } as const;
  for (const [waitsFor, reason] of [['mark', 'waitsForMark'] as const, ['fill', 'waitsForParent'] as const]) {
    it(`a trigger order waits for the ${waitsFor}`, () => {
      const { account, market: view } = given(market);
      const waiting = { ...account, triggers: new OrderMap([[7, { ...stop, waitsFor }]]) };
      const shown = explainOpenOrder(waiting, { oid: 7 }, { market: view, nowMs: view.nowMs }).why;
      expect(shown).to.deep.include({ reason, markPrice: '100.0' });
      expect(shown?.trigger).to.deep.equal({ price: '95', firesWhen: 'below', parentOid: 6 });
      expect(shown?.queue).to.equal(undefined);
    });
  }

  it('nothing about an order that is not open', () => {
    const { account, market: view } = given(market, bid('10'));
    expect(explainOpenOrder(account, { oid: 1 }, { market: view, nowMs: view.nowMs }).why).to.equal(undefined);
  });
});
