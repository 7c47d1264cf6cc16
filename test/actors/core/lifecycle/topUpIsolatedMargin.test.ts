import { expect } from 'chai';
import fc from 'fast-check';
import { valuationOf } from '../../../../src/actors/core/margin/positionMargin.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';
import { addMargin, deposit, given, leverage, mark, place, Scenario, topUpMargin } from '../../../support/scenario.ts';

const ETH = 1;
const SOL = 2;

/** Long 5 SOL at 100 with 5x: margin 99.775 of a notional of 500; cash 9900. */
const isolatedSol = () =>
  given(leverage(SOL, 5, 'isolated'), place({ limitPrice: '100', size: '5', tif: 'ioc' }), mark('SOL', '100'));

/** The recorded HYPE position: margin 7.525754 of a notional of 75.652 at 10x; cash 75.781884. */
const hype = () => {
  const coin: FixtureCoin = { coin: 'HYPE', sizeDecimals: 2, maxLeverage: 10, mark: '37.826' };
  const market = new FixtureMarket([{ ...coin, bids: [['37.82', '9']], asks: [['37.829', '9']] }]);
  return new Scenario(market).given(
    deposit('83.347684'),
    leverage(0, 10, 'isolated'),
    place({ asset: 0, limitPrice: '37.829', size: '2', tif: 'ioc' }),
  );
};

describe('topUpIsolatedMargin: the first reason against it answers', () => {
  it('an asset that does not exist, also for leverage 0', () => {
    given().when(topUpMargin(99, '0')).thenOutcomes('Unknown asset. asset=99').thenEvents();
  });

  it('leverage 0, also without a position', () => {
    given().when(topUpMargin(SOL, '0')).thenOutcomes('Invalid leverage value').thenEvents();
    isolatedSol().when(topUpMargin(SOL, '0.0')).thenOutcomes('Invalid leverage value').thenEvents();
  });

  it('no position, and a cross position', () => {
    const empty = 'Cannot update margin for empty position.';
    given(leverage(SOL, 5, 'isolated'))
      .when(topUpMargin(SOL, '3'))
      .thenOutcomes(empty);
    const cross = 'Position does not use isolated margin.';
    given(place({ tif: 'ioc' }))
      .when(topUpMargin(SOL, '3'))
      .thenOutcomes(cross)
      .thenEvents();
  });

  it('rule 4.12: more than is free: 9900 are, and 500 at 0.05000112x miss 9900.001', () => {
    const text = 'Account does not have sufficient margin available for increase.';
    const scenario = isolatedSol();
    scenario.when(topUpMargin(SOL, '0.05000112')).thenOutcomes(text).thenEvents();
    scenario.given(place({ asset: ETH, limitPrice: '1000', size: '2' }));
    // 100 of them are held: 9800 and 99.775 are 500 at 0.050506198x.
    scenario.when(topUpMargin(SOL, '0.05050619')).thenOutcomes(text).when(topUpMargin(SOL, '0.0505062')).thenOutcomes('done');
  });
});

describe('topUpIsolatedMargin: what it changes', () => {
  it('EX-4.12: the recorded HYPE position to 3x and 2.5x; 0.91x is the least that the cash reaches', () => {
    const scenario = hype();
    scenario.when(topUpMargin(0, '3')).thenEvents({ type: 'isolatedMarginMoved', asset: 0, usd: '17.69158' });
    const [position] = scenario.state().positions;
    expect(position).to.deep.include({ marginUsed: '25.217334' });
    expect(position?.leverage).to.deep.equal({ type: 'isolated', value: 10, rawUsd: '-50.434666' });
    expect(scenario.account.cash.toString()).to.equal('58.090304');
    scenario.when(topUpMargin(0, '2.5')).thenEvents({ type: 'isolatedMarginMoved', asset: 0, usd: '5.043466' });
    const text = 'Account does not have sufficient margin available for increase.';
    scenario.when(topUpMargin(0, '0.9')).thenOutcomes(text).when(topUpMargin(0, '0.91')).thenOutcomes('done');
    expect(scenario.state().positions[0]?.marginUsed).to.equal('83.134066');
  });

  it('rule 4.12: nothing moves where the position has as much: at the setting, above it, and after margin was added', () => {
    const scenario = hype().given(addMargin(0, '17.69158'));
    for (const value of ['3', '10', '50']) scenario.when(topUpMargin(0, value)).thenOutcomes('done').thenEvents();
    expect(scenario.account.cash.toString()).to.equal('58.090304');
  });

  it('rule 4.12: the mark decides: a gain is margin, a loss has to be made good', () => {
    // 5 SOL at 110 are 550; margin 99.775 + 50 is above a fourth of that.
    isolatedSol().given(mark('SOL', '110')).when(topUpMargin(SOL, '4')).thenOutcomes('done').thenEvents();
    // At 99: 495 / 5 = 99, and 94.775 are there.
    isolatedSol()
      .given(mark('SOL', '99'))
      .when(topUpMargin(SOL, '5'))
      .thenEvents({ type: 'isolatedMarginMoved', asset: SOL, usd: '4.225' });
  });

  it('rule 4.12: a short is topped up too', () => {
    const scenario = given(leverage(SOL, 5, 'isolated'), place({ side: 'sell', limitPrice: '99.9', size: '5', tif: 'ioc' }));
    // 99.9 went in, 0.224775 is paid, and the short has lost 0.5 at 100: 250 - 99.175225 are missing for 2x.
    scenario.given(mark('SOL', '100')).when(topUpMargin(SOL, '2'));
    scenario.thenEvents({ type: 'isolatedMarginMoved', asset: SOL, usd: '150.824775' });
  });

  it('counts as one request, and moves nothing but cash and margin', () => {
    const scenario = isolatedSol();
    const { requestsUsed } = scenario.account.totals;
    const before = scenario.state().marginSummary;
    scenario.when(topUpMargin(SOL, '1.5'));
    expect(scenario.account.totals.requestsUsed).to.equal(requestsUsed + 1);
    expect(scenario.state().marginSummary).to.deep.include({
      accountValue: before.accountValue,
      totalRawUsd: before.totalRawUsd,
    });
  });

  it('rule 4.12: whatever the mark and the leverage: enough is there afterwards, and not a micro-USD more', () => {
    const cents = fc.integer({ min: 9_700, max: 11_000 });
    fc.assert(
      fc.property(cents, fc.integer({ min: 6, max: 4_000 }), (price, hundredths) => {
        const scenario = isolatedSol().given(mark('SOL', String(price / 100)));
        const before = scenario.account;
        const value = String(hundredths / 100);
        scenario.when(topUpMargin(SOL, value)).thenOutcomes('done');
        const position = scenario.account.positions.get(SOL);
        if (!position) throw new Error('the position is gone');
        const { marginUsed, notional } = valuationOf(position, scenario.market);
        expect(marginUsed.times(value).gte(notional)).to.equal(true);
        const isMoved = !scenario.account.cash.eq(before.cash);
        expect(isMoved && marginUsed.minus('0.000001').times(value).gte(notional)).to.equal(false);
      }),
    );
  });
});
