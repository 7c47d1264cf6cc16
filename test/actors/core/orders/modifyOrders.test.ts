import { expect } from 'chai';
import { HELD_MAX } from '../../../../src/actors/core/account/labState.ts';
import type { AccountCommand, OwnersCommand, TriedCommand } from '../../../../src/actors/core/messages/command.ts';
import type { LabNote } from '../../../../src/actors/core/messages/labNote.ts';
import type { Outcome } from '../../../../src/actors/core/messages/queryAnswer.ts';
import {
  book,
  cancel,
  given,
  givenUsd,
  inWords,
  type MarketMove,
  mark,
  modify,
  modifyAlways,
  type OrderFields,
  place,
  placeGroup,
  stop,
  trade,
  wait,
} from '../../../support/scenario.ts';

const CLOID = '0x000000000000000000000000000000c1';

describe('modifyOrders: cancel and place anew in one step (rule 2.6)', () => {
  it('edge 21: a smaller size gives a new oid and a new place in the queue', () => {
    const scenario = given(place({ size: '2', limitPrice: '99.9' }), trade('SOL', ['sell', '99.9', '3']));
    const oid = scenario.oid();
    expect(scenario.ahead).to.deep.equal(['2']);
    scenario
      .when(modify({ target: { oid }, order: { size: '1', limitPrice: '99.9' } }))
      .thenOutcomes('resting')
      .thenEnds('canceled');
    expect(scenario.oid()).to.be.greaterThan(oid);
    expect(scenario.ahead).to.deep.equal(['5']);
  });

  it('edge 21: a filled or canceled order cannot be modified, and no new order appears', () => {
    const scenario = given(place({ limitPrice: '99' }));
    const target = { oid: scenario.oid() };
    scenario.given(cancel({ target })).when(modify({ target, order: { limitPrice: '98' } }));
    scenario.thenOutcomes('Cannot modify canceled or filled order').thenEvents().thenOpen();
  });

  it('edge 22: too little margin for the new price: the old one is gone, the new one refused', () => {
    const scenario = givenUsd('100', place({ size: '20', limitPrice: '90' }));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { size: '25', limitPrice: '99' } }));
    scenario.thenOutcomes('Error placing new order during modify: Insufficient margin to place order. asset=2');
    scenario.thenEnds('canceled', 'perpMarginRejected').thenOpen();
  });

  it('the margin of the old order pays for the new one', () => {
    const scenario = givenUsd('100', place({ size: '20', limitPrice: '99' }));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { size: '20.2', limitPrice: '99' } })).thenOutcomes('resting');
  });

  it('edge 23: one bad target, the others proceed in order', () => {
    const scenario = given(place({ limitPrice: '99', cloid: CLOID }), place({ limitPrice: '98' }));
    scenario.when(
      modify(
        { target: { cloid: CLOID }, order: { limitPrice: '97', cloid: CLOID } },
        { target: { oid: 4711 }, order: { limitPrice: '97' } },
        { target: { oid: scenario.oid(1) }, order: { limitPrice: '96' } },
      ),
    );
    scenario.thenOutcomes('resting', 'Cannot modify canceled or filled order', 'resting').thenOpen('buy 1 @ 97', 'buy 1 @ 96');
  });

  it('edge 24: a fill that came before stays, what was left is replaced', () => {
    const scenario = given(place({ size: '2', limitPrice: '99.95' }), trade('SOL', ['sell', '99', '0.5']));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { size: '1.5', limitPrice: '99' } }));
    scenario.thenOutcomes('resting').thenOpen('buy 1.5 @ 99').thenPosition('SOL', '0.5');
  });

  it('side and asset stay', () => {
    const scenario = given(place({ limitPrice: '99' }));
    const target = { oid: scenario.oid() };
    const text = 'Cannot modify side or asset of an order. asset=2';
    scenario
      .when(modify({ target, order: { side: 'sell', limitPrice: '101' } }))
      .thenOutcomes(text)
      .thenOpen('buy 1 @ 99');
    scenario
      .when(modify({ target, order: { asset: 1, limitPrice: '1999' } }))
      .thenOutcomes(text)
      .thenOpen('buy 1 @ 99');
  });
});

describe('modifyOrders: what may take the place of an order (rule 2.6)', () => {
  const PLAIN_ONLY = 'Modify without always_place must place an Alo order, or a Gtc order that does not execute.';

  it('EX-2.6: a Gtc that does not execute becomes an Alo', () => {
    const scenario = given(place({ limitPrice: '99' }));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { limitPrice: '99.99' } })).thenOutcomes('resting');
    expect(scenario.account.orders.get(scenario.oid())).to.include({ limitPrice: '99.99', timeInForce: 'alo' });
  });

  it('EX-2.6: a Gtc that would execute loses the old order, too: it would match', () => {
    const scenario = given(place({ limitPrice: '99' }));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { limitPrice: '100' } }));
    const matched = 'Post only order would have immediately matched, bbo was 99.9@100. asset=2';
    scenario.thenOutcomes(`Error placing new order during modify: ${matched}`);
    scenario.thenEnds('canceled', 'badAloPxRejected').thenFills().thenOpen();
  });

  it('EX-2.6: with always place a Gtc that crosses trades', () => {
    const scenario = given(place({ limitPrice: '99' }));
    scenario
      .when(modifyAlways({ target: { oid: scenario.oid() }, order: { limitPrice: '100' } }))
      .thenOutcomes('filled 1 @ 100')
      .thenOpen();
  });

  const refused: { name: string; order: OrderFields }[] = [
    { name: 'an Ioc', order: { tif: 'ioc', limitPrice: '101' } },
    { name: 'a FrontendMarket', order: { tif: 'frontendMarket', limitPrice: '101' } },
    { name: 'a trigger order', order: stop('95', { reduceOnly: false }) },
  ];
  for (const { name, order } of refused) {
    it(`${name} needs always place; without it the old order stays`, () => {
      const scenario = given(place({ side: 'sell', limitPrice: '105' }), place({ limitPrice: '95' }));
      const isBuy = order.side !== 'sell';
      const target = { oid: scenario.oid(isBuy ? 1 : 0) };
      scenario.when(modify({ target, order })).thenOutcomes(PLAIN_ONLY).thenEvents();
      scenario.thenOpen('sell 1 @ 105', 'buy 1 @ 95');
      scenario.when(modifyAlways({ target, order })).thenOutcomes(isBuy ? 'filled 1 @ 100' : 'resting');
    });
  }

  it('a waiting stop may become an Alo, and no other stop', () => {
    const scenario = given(place({ tif: 'ioc' }), place(stop('90')));
    const target = { oid: scenario.waitingOid() };
    scenario
      .when(modify({ target, order: stop('91') }))
      .thenOutcomes(PLAIN_ONLY)
      .thenWaiting('sell 1 @ 85 when below 90');
    const order = { side: 'sell', limitPrice: '101', reduceOnly: true } as const;
    scenario.when(modify({ target, order })).thenOutcomes('resting').thenOpen('sell 1 @ 101').thenWaiting();
  });
});

describe('modifyOrders: what follows from the new order alone is refused before anything happens (rule 2.6)', () => {
  const cases: { name: string; legal: OrderFields; illegal: OrderFields; text: string }[] = [
    {
      name: 'the price band',
      legal: { limitPrice: '5.001', size: '2' },
      illegal: { limitPrice: '5', size: '2' },
      text: 'Order price cannot be more than 95% away from the reference price',
    },
    { name: 'size zero', legal: { size: '1' }, illegal: { size: '0' }, text: 'Order has zero size.' },
    { name: 'the lot', legal: { size: '1.01' }, illegal: { size: '1.001' }, text: 'Order has invalid size.' },
    {
      name: 'the tick',
      legal: { limitPrice: '99.001' },
      illegal: { limitPrice: '99.0001' },
      text: 'Price must be divisible by tick size. asset=2',
    },
    { name: 'price zero', legal: { limitPrice: '99' }, illegal: { limitPrice: '0' }, text: 'Order has invalid price.' },
    {
      name: 'the least value',
      legal: { size: '0.2', limitPrice: '50' },
      illegal: { size: '0.2', limitPrice: '49.999' },
      text: 'Order must have minimum value of $10. asset=2',
    },
    {
      name: 'the largest value',
      legal: { size: '500000', limitPrice: '99' },
      illegal: { size: '600000', limitPrice: '99' },
      text: 'Order value too large. Max is $50000000.',
    },
  ];
  for (const { name, legal, illegal, text } of cases) {
    it(`${name}: on the other side of the boundary it is not refused for that`, () => {
      const scenario = given(place({ limitPrice: '98' }));
      const target = { oid: scenario.oid() };
      for (const change of [modify, modifyAlways])
        scenario
          .when(change({ target, order: illegal }))
          .thenOutcomes(text)
          .thenEvents();
      scenario.thenOpen('buy 1 @ 98').when(modify({ target, order: legal }));
      expect(inWords(scenario.outcome as Outcome)).to.not.deep.equal([text]);
      expect(scenario.account.orders.has(target.oid)).to.equal(false);
    });
  }

  it('a stop: trigger off the grid, or a limit that could not trade there', () => {
    const scenario = given(place({ tif: 'ioc' }), place(stop('90')));
    const target = { oid: scenario.waitingOid() };
    for (const order of [stop('91.0001'), stop('84.9')]) {
      scenario.when(modifyAlways({ target, order })).thenOutcomes('Invalid TP/SL price. asset=2').thenEvents();
    }
    scenario.when(modifyAlways({ target, order: stop('85') })).thenOutcomes('resting');
  });

  it('one malformed order of a batch refuses the batch', () => {
    const scenario = given(place({ limitPrice: '99' }, { limitPrice: '98' }));
    const [first, second] = [{ oid: scenario.oid(0) }, { oid: scenario.oid(1) }];
    const illegal = { target: second, order: { limitPrice: '97.0001' } };
    scenario.when(modify({ target: first, order: { limitPrice: '97' } }, illegal));
    scenario.thenOutcomes('Price must be divisible by tick size. asset=2').thenEvents().thenOpen('buy 1 @ 99', 'buy 1 @ 98');
  });

  it('an order that closes exactly the position may be worth less', () => {
    const scenario = given(place({ tif: 'ioc', size: '0.2' }), place({ side: 'sell', size: '0.1', limitPrice: '101' }));
    scenario.when(place({ side: 'sell', tif: 'ioc', size: '0.11', limitPrice: '90' })).thenPosition('SOL', '0.09');
    const target = { oid: scenario.oid() };
    const of = (size: string) => modify({ target, order: { side: 'sell', size, limitPrice: '102' } });
    scenario.when(of('0.08')).thenOutcomes('Order must have minimum value of $10. asset=2').thenOpen('sell 0.1 @ 101');
    scenario.when(of('0.09')).thenOutcomes('resting').thenOpen('sell 0.09 @ 102');
  });

  it('what margin decides loses the old order still', () => {
    const scenario = givenUsd('100', place({ size: '10', limitPrice: '90' }));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { size: '25', limitPrice: '99' } })).thenOpen();
  });
});

describe('modifyOrders: for what this exchange cannot do the old order is never lost (rule 2.6)', () => {
  const REPLACING = 'Error placing new order during modify: ';
  const STALE = `${REPLACING}Market data is stale (20 s). asset=2`;
  const NOTE: LabNote = { key: 'key_1', on: 'exchange', number: 1, atMs: 1, draw: 0.5 };
  const inLab = (command: AccountCommand, note: Partial<LabNote> = {}): AccountCommand => ({
    type: 'inLab',
    note: { ...NOTE, ...note },
    command: command as OwnersCommand,
  });
  const dry = (command: AccountCommand): AccountCommand => ({
    type: 'query',
    query: { kind: 'dryRun', command: command as TriedCommand },
  });

  it('EX-2.6b: a feed that is silent for 20 s: limit order, stop, parent with its children, each stays as it was', () => {
    const scenario = given(
      place({ tif: 'ioc' }),
      place({ limitPrice: '99' }, stop('90')),
      placeGroup('normalTpsl', { limitPrice: '98' }, stop('80', { limitPrice: '70' })),
      wait(20_000),
    );
    const [plain, parent] = [scenario.oid(0), scenario.oid(1)];
    const orders = [
      modify({ target: { oid: plain }, order: { limitPrice: '99.5' } }),
      modifyAlways({ target: { oid: plain }, order: { tif: 'ioc', limitPrice: '101' } }),
      modifyAlways({ target: { oid: scenario.waitingOid() }, order: stop('91') }),
      modify({ target: { oid: parent }, order: { limitPrice: '97' } }),
    ];
    const { orders: resting, triggers } = scenario.account;
    const before = [...resting.values(), ...triggers.values()];
    for (const command of orders) {
      const { outcome } = scenario.when(dry(command));
      expect(
        outcome?.type === 'answer' && outcome.answer.kind === 'dryRun' && inWords(outcome.answer.dryRun.outcome as Outcome),
      ).to.deep.equal([STALE]);
      scenario.when(command).thenOutcomes(STALE).thenEvents();
    }
    expect([...scenario.account.orders.values(), ...scenario.account.triggers.values()]).to.deep.equal(before);
  });

  it('an element of a batch whose coin is silent leaves its own order, and the others go on', () => {
    const btc = { asset: 0, size: '0.01' };
    const scenario = given(place({ limitPrice: '99' }, { ...btc, limitPrice: '29000' }), wait(20_000));
    scenario.given(book('BTC', [['29999', '5']], [['30000', '5']]), mark('BTC', '30000'));
    scenario.when(
      modify(
        { target: { oid: scenario.oid(0) }, order: { limitPrice: '98' } },
        { target: { oid: scenario.oid(1) }, order: { ...btc, limitPrice: '28000' } },
      ),
    );
    scenario.thenOutcomes(STALE, 'resting').thenOpen('buy 1 @ 99', 'buy 0.01 @ 28000');
  });

  it('a coin that was never heard of, one that has been taken off the list, and a book that contradicts itself', () => {
    const moves: [MarketMove, string][] = [
      [(market) => void market.removeBook('SOL'), 'Market data is stale (no data yet). asset=2'],
      [(market) => void market.delist('SOL'), 'Trading is halted. asset=2'],
      [
        (market) => void market.setBook('SOL', { bids: [['100', '1']], asks: [['100', '1']] }),
        'Market data is stale (0 s). asset=2',
      ],
    ];
    for (const [move, text] of moves) {
      const scenario = given(place({ limitPrice: '99' }), move);
      scenario.when(modify({ target: { oid: scenario.oid() }, order: { limitPrice: '98' } }));
      scenario.thenOutcomes(REPLACING + text).thenOpen('buy 1 @ 99');
    }
  });

  it('a stop beside 1000 others stays where it is; beside 999 it moves', () => {
    const many = (count: number) => place(...Array.from({ length: count }, () => ({ size: '0.2', limitPrice: '50' })));
    const scenario = givenUsd('1000000', place({ tif: 'ioc', size: '2' }), place(stop('90', { size: '2' })), many(999));
    const target = () => ({ oid: scenario.waitingOid() });
    scenario.when(modifyAlways({ target: target(), order: stop('91', { size: '2' }) })).thenOutcomes('resting');
    // Five million USD of volume allow one plain order more.
    scenario.given(book('SOL', [['99.9', '100000']], [['100', '100000']]));
    scenario.given(
      place({ tif: 'ioc', size: '26000' }),
      place({ tif: 'ioc', side: 'sell', size: '26000', limitPrice: '99' }),
      many(1),
    );
    scenario.when(modifyAlways({ target: target(), order: stop('92', { size: '2' }) }));
    scenario.thenOutcomes(`${REPLACING}Too many open orders`).thenWaiting('sell 2 @ 85 when below 91');
  });

  it('a failure lab: a refusal by its script, no place among the held, and a delayed modify that comes in a gap', () => {
    const script = { prefix: '0xde', fillPercent: 0, holdMs: null };
    const scenario = given(place({ limitPrice: '99' }));
    const target = { oid: scenario.oid() };
    scenario.when(
      inLab(modify({ target, order: { limitPrice: '98', script: { prefix: '0xde', refuse: 'insufficientMargin' } } })),
    );
    scenario.thenOutcomes(`${REPLACING}Insufficient margin to place order. asset=2`).thenOpen('buy 1 @ 99');
    scenario.when(inLab(modify({ target, order: { limitPrice: '98' } }), { delayMs: 20_000, number: 2 })).when(wait(20_000));
    scenario.thenEvents({ type: 'delayedActionDecided', outcome: { type: 'orders', orders: [{ type: 'error', text: STALE }] } });
    scenario.thenOpen('buy 1 @ 99');

    const full = given(
      place({ limitPrice: '99' }),
      ...Array.from({ length: HELD_MAX }, () => inLab(place({ size: '0.2', limitPrice: '50', script }))),
    );
    const held = (index: number) =>
      inLab(modify({ target: { oid: full.oid(index) }, order: { size: '0.3', limitPrice: '49', script } }));
    full.when(held(0)).thenOutcomes(`${REPLACING}Too many open orders`).thenEvents();
    full.when(held(1)).thenOutcomes('resting');
  });
});
