import { expect } from 'chai';
import { book, cap, given, mark, place, placeGroup, stop, trade } from '../../../support/scenario.ts';

const INCREASE = 'Order would increase open interest while open interest is capped';
const AGGRESSIVE = 'Order rejected due to price more aggressive than oracle while at open interest cap';
/** Oracle and mark at 100. */
const market = book('SOL', [['99', '500']], [['101', '500']]);
const long = (size: string) => place({ size, limitPrice: '101' });

describe('rule 1.9: at its cap a coin’s open interest is not added to', () => {
  it('EX-1.9: what opens or turns a position is refused, what reduces is not', () => {
    given(market, cap('SOL'))
      .when(place({ size: '1', limitPrice: '101' }))
      .thenOutcomes(INCREASE)
      .thenStatuses('positionIncreaseAtOpenInterestCapRejected')
      .thenFills();
    const holding = () => given(market, long('4'), cap('SOL'));
    holding().when(long('1')).thenOutcomes(INCREASE);
    holding()
      .when(place({ side: 'sell', size: '4.1', limitPrice: '99' }))
      .thenOutcomes(INCREASE)
      .thenStatuses('positionFlipAtOpenInterestCapRejected');
    holding()
      .when(place({ side: 'sell', size: '4', limitPrice: '99' }))
      .thenFills('sell 4 @ 99 taker');
    holding()
      .when(place({ side: 'sell', size: '9', limitPrice: '99', reduceOnly: true }))
      .thenFills('sell 4 @ 99 taker');
  });

  it('EX-1.9b: an order that would open rests at the oracle price and not beyond it', () => {
    given(market, cap('SOL'))
      .when(place({ size: '1', limitPrice: '100' }))
      .thenOutcomes('resting');
    given(market, cap('SOL'))
      .when(place({ size: '1', limitPrice: '100.01' }))
      .thenOutcomes(AGGRESSIVE)
      .thenStatuses('tooAggressiveAtOpenInterestCapRejected');
    given(market, cap('SOL'))
      .when(place({ side: 'sell', size: '1', limitPrice: '99.99' }))
      .thenOutcomes(AGGRESSIVE);
    given(market, cap('SOL'))
      .when(place({ side: 'sell', size: '1', limitPrice: '100' }))
      .thenOutcomes('resting');
    given(market, long('4'), cap('SOL'))
      .when(place({ side: 'sell', size: '4', limitPrice: '99.5' }))
      .thenOutcomes('resting');
    given(market, long('4'), cap('SOL'))
      .when(place({ side: 'sell', size: '4.1', limitPrice: '99.5' }))
      .thenOutcomes(AGGRESSIVE);
  });

  it('a resting order that would open beyond the oracle price ends when it is reached; another one fills', () => {
    given(market, place({ size: '1', limitPrice: '100.5' }), cap('SOL'))
      .when(trade('SOL', ['sell', '100.4', '5']))
      .thenFills()
      .thenEnds('openInterestCapCanceled');
    given(market, place({ size: '1', limitPrice: '99.5' }), cap('SOL'))
      .when(trade('SOL', ['sell', '99.4', '5']))
      .thenFills('buy 1 @ 99.5 maker');
    given(market, long('4'), place({ side: 'sell', size: '1', limitPrice: '99.5' }), cap('SOL'))
      .when(trade('SOL', ['buy', '99.6', '5']))
      .thenFills('sell 1 @ 99.5 maker');
  });

  it('a trigger order that would open ends as refused, a stop of the position fires', () => {
    const opens = stop('105', { side: 'buy', reduceOnly: false, limitPrice: '110' });
    given(market, place(opens), cap('SOL'))
      .when(mark('SOL', '105'))
      .thenStatuses('triggered', 'positionIncreaseAtOpenInterestCapRejected');
    given(market, long('4'), placeGroup('positionTpsl', stop('95', { size: '4', limitPrice: '90' })), cap('SOL'))
      .when(mark('SOL', '95'))
      .thenFills('sell 4 @ 99 taker');
  });

  it('another coin, and the coin below its cap again, are not held up', () => {
    given(market, cap('BTC')).when(long('1')).thenFills('buy 1 @ 101 taker');
    const scenario = given(market, cap('SOL'), cap('SOL', false)).when(long('1'));
    scenario.thenFills('buy 1 @ 101 taker');
    expect(scenario.events).to.have.lengthOf.above(0);
  });
});
