import { expect } from 'chai';
import { cancel, given, givenUsd, modify, place, trade } from '../../../support/scenario.ts';

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

  it('a Gtc that crosses trades', () => {
    const scenario = given(place({ limitPrice: '99' }));
    scenario
      .when(modify({ target: { oid: scenario.oid() }, order: { limitPrice: '100' } }))
      .thenOutcomes('filled 1 @ 100')
      .thenOpen();
  });
});
