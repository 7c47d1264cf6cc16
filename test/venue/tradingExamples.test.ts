// The examples of the venue's trading pages that take their time: a TWAP of 10,000 USD slice by slice, and the half
// minute after a part of a position was liquidated.
import { expect } from 'chai';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import { nextDueMs } from '../../src/features/rules.ts';
import { book, deposit, given, leverage, mark, place, Scenario, wait } from '../support/scenario.ts';

const BTC = 0;
const ETH = 1;
const SOL = 2;

describe('trading/order-types.md: a TWAP of 10,000 USD', () => {
  /** Sizes of the first slices of 100 SOL at 100, and the times between them in ms. */
  function slicesOf(minutes: number, count: number): { sizes: string[]; gapsMs: number[] } {
    const twap: AccountCommand = {
      ...({ type: 'startTwap', asset: SOL, side: 'buy', reduceOnly: false, randomize: false } as const),
      ...{ size: '100', minutes },
    };
    const deep = book('SOL', [['99.99', '1000']], [['100', '1000']]);
    const scenario = new Scenario().given(deposit('100000'), mark('SOL', '100'), deep, twap);
    const sizes: string[] = [];
    const times: number[] = [];
    while (sizes.length < count) {
      const dueMs = nextDueMs(scenario.account) ?? Number.NaN;
      scenario.market.nowMs = Math.max(dueMs, scenario.market.nowMs) - 1;
      scenario.given(mark('SOL', '100'), deep).when(wait(0));
      sizes.push(scenario.fillsInWords().join());
      times.push(dueMs);
    }
    return { sizes, gapsMs: times.slice(1).map((timeMs, i) => timeMs - (times[i] ?? 0)) };
  }

  it('over an hour: slices of 83 USD (82.64), 30 s apart', () => {
    const { sizes, gapsMs } = slicesOf(60, 5);
    // The targets are 0.8264, 1.6528, 2.4793, 3.3057 and 4.1322 coins, cut to 0.01.
    const coins = ['0.82', '0.83', '0.82', '0.83', '0.83'];
    expect(sizes).to.deep.equal(coins.map((size) => `buy ${size} @ 100 taker`));
    expect(gapsMs).to.deep.equal([30_000, 30_000, 30_000, 30_000]);
  });

  it('over four days: slices of 10 USD, about six minutes apart (345.6 s)', () => {
    const { sizes, gapsMs } = slicesOf(5760, 3);
    expect(sizes).to.deep.equal(Array.from({ length: 3 }, () => 'buy 0.1 @ 100 taker'));
    expect(gapsMs).to.deep.equal([345_600, 345_600]);
  });
});

describe('trading/liquidations.md: partial liquidations', () => {
  /** Isolated 5 BTC from 60,000 at 40x and 100 ETH from 2000 at 25x; BTC falls to 59,260 and a fifth of it is sold. */
  function halfMinute(): Scenario {
    const scenario = new Scenario().given(
      deposit('40000'),
      leverage(BTC, 40, 'isolated'),
      leverage(ETH, 25, 'isolated'),
      mark('BTC', '60000'),
      book('BTC', [['59999', '10']], [['60000', '10']]),
      place({ asset: BTC, size: '5', limitPrice: '60000' }),
      mark('ETH', '2000'),
      book('ETH', [['1999.9', '200']], [['2000', '200']]),
      place({ asset: ETH, size: '100', limitPrice: '2000' }),
      book('BTC', [['59260', '10']], [['59270', '10']]),
    );
    // BTC: 7500 - 135 of margin and fee, less 3700 lost, is 3665 of 3703.75.
    scenario.when(mark('BTC', '59260')).thenFills('sell 1 @ 59260 taker').thenPosition('BTC', '4');
    return scenario;
  }

  /** ETH: 8000 - 90 of margin and fee, less 4000 lost, is 3910 of 3920. */
  const falls = (scenario: Scenario, afterMs: number): Scenario =>
    scenario
      .given(wait(afterMs), mark('BTC', '59900'), book('BTC', [['59899', '10']], [['59900', '10']]))
      .given(book('ETH', [['1960', '200']], [['1961', '200']]))
      .when(mark('ETH', '1960'));

  it('for 30 s after a part of one position every order of that user is for a whole one, of other coins, too', () => {
    falls(halfMinute(), 29_000).thenFills('sell 100 @ 1960 taker').thenPosition('ETH', '0');
  });

  it('after that it is for a fifth again', () => {
    falls(halfMinute(), 31_000).thenFills('sell 20 @ 1960 taker').thenPosition('ETH', '80');
  });

  it('what is left stays with the trader when the maintenance margin is met again', () => {
    const scenario = given(
      leverage(BTC, 40, 'isolated'),
      mark('BTC', '60000'),
      book('BTC', [['59999', '10']], [['60000', '10']]),
      place({ asset: BTC, size: '1', limitPrice: '60000' }),
      book('BTC', [['59250', '10']], [['59260', '10']]),
    );
    // 1500 - 27, less 750 lost, is 723 of 740.625; sold whole (59,250 is below 100,000), 723 less a fee of 26.6625 comes back.
    const before = scenario.account.cash;
    scenario.when(mark('BTC', '59250')).thenFills('sell 1 @ 59250 taker').thenPosition('BTC', '0');
    expect(scenario.account.cash.minus(before).toFixed()).to.equal('696.3375');
  });
});
