import { expect } from 'chai';
import { cancel, given, place, stop, trade } from '../../../support/scenario.ts';

const CLOID = '0x000000000000000000000000000000c1';
const missing = (asset: number) => `Order was never placed, already canceled, or filled. asset=${asset}`;

describe('cancelOrders: each element on its own (rule 2.6)', () => {
  it('edge 20: the same oid twice in one batch', () => {
    const scenario = given(place({ limitPrice: '99' }));
    const target = { oid: scenario.oid() };
    scenario.when(cancel({ target }, { target })).thenOutcomes('success', missing(2)).thenEnds('canceled').thenOpen();
  });

  it('edge 19: an oid with the wrong asset leaves the order alone', () => {
    const scenario = given(place({ limitPrice: '99' }));
    scenario
      .when(cancel({ asset: 0, target: { oid: scenario.oid() } }))
      .thenOutcomes(missing(0))
      .thenOpen('buy 1 @ 99');
  });

  it('by cloid, and only while it is open', () => {
    const target = { cloid: CLOID };
    given(place({ limitPrice: '99', cloid: CLOID }))
      .when(cancel({ target }))
      .thenOutcomes('success')
      .when(cancel({ target }))
      .thenOutcomes(missing(2));
  });

  it('a filled order and an unknown one', () => {
    const scenario = given(place({ limitPrice: '99.95' }));
    const oid = scenario.oid();
    scenario.given(trade('SOL', ['sell', '99', '5'])).when(cancel({ target: { oid } }, { target: { oid: 4711 } }));
    scenario.thenOutcomes(missing(2), missing(2)).thenEvents();
  });

  it('a partly filled order ends with what is left, and its fills stay', () => {
    const scenario = given(place({ size: '2', limitPrice: '99.95' }), trade('SOL', ['sell', '99', '0.5']));
    scenario
      .when(cancel({ target: { oid: scenario.oid() } }))
      .thenOutcomes('success')
      .thenPosition('SOL', '0.5');
    expect(scenario.events[0]).to.have.nested.include({
      'order.size': '1.5',
      'order.filledSize': '0.5',
      'order.originalSize': '2',
    });
  });

  it('a fast one ends a resting order and leaves one that waits for its trigger', () => {
    const scenario = given(place({ limitPrice: '100', tif: 'ioc' }, { limitPrice: '99' }, stop('95')));
    const [resting, waiting] = [{ target: { oid: scenario.oid() } }, { target: { oid: scenario.waitingOid() } }];
    const refused = 'Trigger orders cannot be canceled by a fast cancel. asset=2';
    scenario
      .when({ type: 'cancelOrders', cancels: [waiting, resting].map((named) => ({ asset: 2, ...named })), isFast: true })
      .thenOutcomes(refused, 'success')
      .thenWaiting('sell 1 @ 85 when below 95');
    scenario.when(cancel(waiting)).thenOutcomes('success').thenWaiting();
  });

  it('an empty action and one of 1001 elements', () => {
    given().when(cancel()).thenOutcomes('Orders are empty');
    const many = Array.from({ length: 1001 }, () => ({ target: { oid: 1 } }));
    given()
      .when(cancel(...many))
      .thenOutcomes('Signed action over weight limit of 1000.');
  });
});
