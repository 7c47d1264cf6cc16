import { expect } from 'chai';
import fc from 'fast-check';
import { freeMargin } from '../../../../src/actors/core/margin/margin.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';
import { addMargin, deposit, given, leverage, mark, place, Scenario } from '../../../support/scenario.ts';

const ETH = 1;
const SOL = 2;
const STRICT = 0;
const HOUR_MS = 3_600_000;

const NOT_FREE = 'Account does not have sufficient margin available for increase.';
const TOO_MUCH = 'Position does not have sufficient margin for reduction.';

/** Long 10 SOL at 100 with 5x in its own bucket: 200 in, 0.36 paid; cash 9800. */
const isolatedSol = () =>
  given(leverage(SOL, 5, 'isolated'), place({ limitPrice: '100', size: '5', tif: 'ioc' }), mark('SOL', '100'));

const bucket = ({ account }: Scenario, asset = SOL) => account.positions.get(asset)?.rawUsd.toString();

describe('updateIsolatedMargin: the first reason against it answers', () => {
  it('edge 58: zero, also without a position', () => {
    const text = 'Update to isolated margin cannot be zero.';
    isolatedSol().when(addMargin(SOL, '0')).thenOutcomes(text).thenEvents();
    given().when(addMargin(99, '0')).thenOutcomes(text);
  });

  it('an asset that does not exist', () => {
    given().when(addMargin(99, '1')).thenOutcomes('Unknown asset. asset=99').thenEvents();
  });

  it('no position, whatever the mode', () => {
    const text = 'Cannot update margin for empty position.';
    given().when(addMargin(SOL, '1')).thenOutcomes(text);
    given(leverage(SOL, 5, 'isolated'))
      .when(addMargin(SOL, '-1'))
      .thenOutcomes(text);
  });

  it('edge 58: a cross position', () => {
    const text = 'Position does not use isolated margin.';
    given(place({ tif: 'ioc' }))
      .when(addMargin(SOL, '1'))
      .thenOutcomes(text)
      .when(addMargin(SOL, '-1'))
      .thenOutcomes(text);
  });

  it('edge 58: all that is free can be added, a micro-USD more cannot', () => {
    const scenario = isolatedSol();
    expect(scenario.account.cash.toString()).to.equal('9900');
    scenario.when(addMargin(SOL, '9900.000001')).thenOutcomes(NOT_FREE).thenEvents();
    scenario.when(addMargin(SOL, '9900')).thenOutcomes('done');
    expect([scenario.account.cash.toString(), bucket(scenario)]).to.deep.equal(['0', '9499.775']);
  });

  it('what resting orders hold is not free', () => {
    const scenario = isolatedSol().given(place({ asset: ETH, limitPrice: '1000', size: '2' }));
    scenario.when(addMargin(SOL, '9800.000001')).thenOutcomes(NOT_FREE).when(addMargin(SOL, '9800')).thenOutcomes('done');
  });

  it('margin of a strictly isolated coin can be added and never removed', () => {
    const coin: FixtureCoin = { coin: 'S', sizeDecimals: 1, maxLeverage: 5, strictIsolated: true, mark: '10' };
    const market = new FixtureMarket([{ ...coin, bids: [['9.9', '100']], asks: [['10', '100']] }]);
    const scenario = new Scenario(market).given(deposit('1000'), place({ asset: STRICT, limitPrice: '10', size: '10' }));
    scenario.when(addMargin(STRICT, '500')).thenOutcomes('done');
    const text = 'Cannot remove isolated margin for this asset. To remove margin, reduce the position.';
    scenario.when(addMargin(STRICT, '-0.000001')).thenOutcomes(text).thenEvents();
  });
});

describe('updateIsolatedMargin: what must stay', () => {
  it('edge 59: down to the initial margin where that is more than a tenth', () => {
    const scenario = isolatedSol().given(addMargin(SOL, '50'));
    // 100 + 50 - 0.225 are in the bucket of a notional of 500 at 5x.
    scenario.when(addMargin(SOL, '-49.775001')).thenOutcomes(TOO_MUCH).thenEvents();
    scenario.when(addMargin(SOL, '-49.775')).thenOutcomes('done');
    expect([scenario.account.cash.toString(), bucket(scenario)]).to.deep.equal(['9899.775', '-400']);
    scenario.when(addMargin(SOL, '-0.000001')).thenOutcomes(TOO_MUCH);
  });

  it('edge 59: a tenth of the notional stays at 20x', () => {
    const scenario = isolatedSol().given(leverage(SOL, 20, 'isolated'));
    scenario.when(addMargin(SOL, '-49.775001')).thenOutcomes(TOO_MUCH).when(addMargin(SOL, '-49.775')).thenOutcomes('done');
    expect(bucket(scenario)).to.equal('-450');
  });

  it('a third of the notional is compared exactly', () => {
    const scenario = given(leverage(ETH, 3, 'isolated'), place({ asset: ETH, limitPrice: '2000', size: '0.01', tif: 'ioc' }));
    scenario.given(addMargin(ETH, '1'));
    // 20 / 3 = 6.6666...; cut6(20 / 3) = 6.666666 went in, 0.009 went out as fee.
    scenario.when(addMargin(ETH, '-0.991')).thenOutcomes(TOO_MUCH).when(addMargin(ETH, '-0.990999')).thenOutcomes('done');
  });

  it('the mark decides: a loss must be covered first, a gain can be taken out', () => {
    const scenario = isolatedSol().given(mark('SOL', '99'));
    scenario.when(addMargin(SOL, '-0.000001')).thenOutcomes(TOO_MUCH);
    scenario.given(mark('SOL', '110')).when(addMargin(SOL, '-39.775')).thenOutcomes('done');
    scenario.when(addMargin(SOL, '-0.000001')).thenOutcomes(TOO_MUCH);
  });

  it('funding that the bucket owes stays with it, funding that it will get cannot be taken out before', () => {
    const owing = (rate: string) => {
      const scenario = isolatedSol().given(addMargin(SOL, '50'));
      const hourMs = Math.ceil((scenario.market.nowMs + 1) / HOUR_MS) * HOUR_MS;
      scenario.market.setFunding('SOL', hourMs, { rate, oracle: '100' });
      return scenario;
    };
    // 5 SOL at 100 owe 0.05 of the 49.775 that could be taken out.
    owing('0.0001')
      .when(addMargin(SOL, '-49.725001'))
      .thenOutcomes(TOO_MUCH)
      .when(addMargin(SOL, '-49.725'))
      .thenOutcomes('done');
    owing('-0.0001')
      .when(addMargin(SOL, '-49.775001'))
      .thenOutcomes(TOO_MUCH)
      .when(addMargin(SOL, '-49.775'))
      .thenOutcomes('done');
  });

  it('a short keeps its margin too', () => {
    const scenario = given(leverage(SOL, 5, 'isolated'), place({ side: 'sell', limitPrice: '99.9', size: '5', tif: 'ioc' }));
    scenario.given(addMargin(SOL, '10'));
    // 99.9 + 10 - 0.224775 against a fifth of 500, the short being worth 0.5 less than it was sold for.
    scenario.when(addMargin(SOL, '-9.175226')).thenOutcomes(TOO_MUCH).when(addMargin(SOL, '-9.175225')).thenOutcomes('done');
  });
});

describe('updateIsolatedMargin: what it changes', () => {
  it('EX-4.5c: 5 more under the recorded HYPE position', () => {
    const hype: FixtureCoin = { coin: 'HYPE', sizeDecimals: 2, maxLeverage: 10, mark: '37.826' };
    const market = new FixtureMarket([{ ...hype, bids: [['37.82', '9']], asks: [['37.829', '9']] }]);
    const scenario = new Scenario(market).given(
      deposit('83.347684'),
      leverage(0, 10, 'isolated'),
      place({ asset: 0, limitPrice: '37.829', size: '2', tif: 'ioc' }),
    );
    expect([scenario.account.cash.toString(), bucket(scenario, 0)]).to.deep.equal(['75.781884', '-68.126246']);
    scenario.when(addMargin(0, '-0.000001')).thenOutcomes(TOO_MUCH);
    scenario.when(addMargin(0, '5')).thenEvents({ type: 'isolatedMarginMoved', asset: 0, usd: '5' });
    const [position] = scenario.state().positions;
    expect(position).to.deep.include({ marginUsed: '12.525754', liquidationPrice: '33.22434' });
    expect(position?.leverage).to.deep.equal({ type: 'isolated', value: 10, rawUsd: '-63.126246' });
    expect(scenario.account.cash.toString()).to.equal('70.781884');
  });

  it('closing the position brings back what was added', () => {
    const scenario = isolatedSol().given(addMargin(SOL, '300'));
    scenario.when(place({ side: 'sell', limitPrice: '99.9', size: '5', tif: 'ioc' })).thenFills('sell 5 @ 99.9 taker');
    expect(scenario.account.cash.toString()).to.equal('9999.050225');
    expect(scenario.account.positions.size).to.equal(0);
  });

  it('counts as one request and leaves no history row', () => {
    const scenario = isolatedSol();
    const { requestsUsed } = scenario.account.totals;
    const { rowCounts } = scenario.account;
    scenario.when(addMargin(SOL, '1'));
    expect(scenario.account.totals.requestsUsed).to.equal(requestsUsed + 1);
    expect(scenario.account.rowCounts).to.deep.equal(rowCounts);
  });

  it('moves nothing but cash and bucket, by the same amount, and never below what is free', () => {
    const amounts = fc.array(fc.integer({ min: -200_000_000, max: 4_000_000_000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(amounts, (microUsd) => {
        const scenario = isolatedSol();
        const total = () => scenario.state().marginSummary;
        const before = total();
        for (const amount of microUsd) scenario.when(addMargin(SOL, String(amount / 1_000_000)));
        expect(total().accountValue).to.equal(before.accountValue);
        expect(total().totalRawUsd).to.equal(before.totalRawUsd);
        expect(freeMargin(scenario.account, scenario.market).isNeg()).to.equal(false);
      }),
    );
  });
});
