// Worked examples of the venue's support pages: take-profits and stops of longs and shorts, and what a close sets free.
import { expect } from 'chai';
import { book, deposit, leverage, mark, place, Scenario } from '../support/scenario.ts';

const ETH = 1;
const SOL = 2;

describe('support/faq, my-tp-sl-did-not-execute-correctly.md', () => {
  /** 100 long from 11.01, or short from 10; then only these bids and asks are left. */
  const long = (...bids: readonly (readonly [string, string])[]) =>
    new Scenario().given(
      deposit('10000'),
      mark('SOL', '11'),
      book('SOL', [['11', '1000']], [['11.01', '1000']]),
      place({ size: '100', limitPrice: '11.01' }),
      book('SOL', bids, [['13', '1000']]),
    );
  const short = (...asks: readonly (readonly [string, string])[]) =>
    new Scenario().given(
      deposit('10000'),
      mark('SOL', '10'),
      book('SOL', [['10', '1000']], [['10.01', '1000']]),
      place({ side: 'sell', size: '100', limitPrice: '10' }),
      book('SOL', [['8', '1000']], asks),
    );
  const exit = (side: 'buy' | 'sell', tpsl: 'tp' | 'sl', price: string, limitPrice: string) =>
    place({ side, size: '100', reduceOnly: true, limitPrice, trigger: { price, tpsl, isMarket: false } });

  it('a take-profit of a long at 12 with limit 11.80 sells no lower, however the price pulls back', () => {
    const scenario = long(['11.9', '40'], ['11.7', '100']).given(exit('sell', 'tp', '12', '11.8'));
    scenario.when(mark('SOL', '12')).thenFills('sell 40 @ 11.9 taker').thenOpen('sell 60 @ 11.8');
    scenario.when(book('SOL', [['11.7', '100']], [['11.81', '5']])).thenFills();
    scenario.when(mark('SOL', '11.7')).thenFills().thenOpen('sell 60 @ 11.8');
  });

  it('a stop of a short at 11 with limit 11 rests when the price leaps from 10 to 12', () => {
    const scenario = short(['12', '40'], ['13', '100']).given(exit('buy', 'sl', '11', '11'));
    scenario.when(mark('SOL', '12')).thenFills().thenOpen('buy 100 @ 11');
  });

  it('with limit 13 it fills between 12 and 13', () => {
    const scenario = short(['12', '40'], ['13', '100']).given(exit('buy', 'sl', '11', '13'));
    scenario.when(mark('SOL', '12')).thenFills('buy 40 @ 12 taker', 'buy 60 @ 13 taker').thenOpen();
  });

  it('a take-profit of a short at 9 with limit 9.20 buys no higher', () => {
    const scenario = short(['9.1', '40'], ['9.3', '100']).given(exit('buy', 'tp', '9', '9.2'));
    scenario.when(mark('SOL', '9')).thenFills('buy 40 @ 9.1 taker').thenOpen('buy 60 @ 9.2');
  });

  it('a stop entry above the market buys with a limit below its trigger only when the price comes back', () => {
    const scenario = short(['12', '1000']);
    scenario.when(place({ size: '300', limitPrice: '10.9', trigger: { price: '11', tpsl: 'sl', isMarket: false } }));
    scenario.when(mark('SOL', '11')).thenFills().thenOpen('buy 300 @ 10.9');
    scenario
      .when(book('SOL', [['10', '5']], [['10.8', '300']]))
      .thenFills('buy 300 @ 10.9 maker')
      .thenPosition('SOL', '200');
  });
});

describe('support/faq, how-does-margining-work.md', () => {
  it('a close of a position with 1000 USD of margin sets 636.5 free, because the other one has lost', () => {
    const scenario = new Scenario().given(
      deposit('2100'),
      leverage(SOL, 10),
      leverage(ETH, 10),
      book('SOL', [['100', '1000']], [['100.01', '1000']]),
      place({ asset: ETH, size: '5', limitPrice: '2000' }),
      place({ asset: SOL, side: 'sell', size: '100', limitPrice: '100' }),
    );
    // 10,000 USD each, with a margin of 1000 and a fee of 4.5: 2091 less 500 is worth 1591, and 1950 are asked for.
    scenario.when(mark('ETH', '1900'));
    expect(scenario.state()).to.deep.include({ withdrawable: '0.0' });
    // A fee of 4.5 more: 1586.5 less 950 for ETH alone.
    scenario
      .when(book('SOL', [['99.99', '1000']], [['100', '1000']]))
      .when(place({ asset: SOL, size: '100', limitPrice: '100' }));
    scenario.thenFills('buy 100 @ 100 taker');
    expect(scenario.state()).to.deep.include({ withdrawable: '636.5' });
  });
});
