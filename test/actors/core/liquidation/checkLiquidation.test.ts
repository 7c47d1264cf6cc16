import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { owesHours } from '../../../../src/actors/core/account/fundingAccrual.ts';
import { EMPTY_HOUSE, houseAfter, toStoredHouse } from '../../../../src/actors/core/history/houseLedger.ts';
import { hourOf } from '../../../../src/market/domain/fundingRecords.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { HOUR_MS } from '../../../../src/shared/domain/units.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';
import { book, deposit, leverage, mark, place, Scenario, type Step, wait } from '../../../support/scenario.ts';

const BTC = 0;
const ETH = 1;
const SOL = 2;

/** BTC (40x) at 60,000 and ETH (25x) at 3,000 with deep books around the mark, SOL (20x) at 100. */
function market(): FixtureMarket {
  const coins: FixtureCoin[] = [
    { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, mark: '60000', bids: [['59999', '20']], asks: [['60000', '20']] },
    { coin: 'ETH', sizeDecimals: 4, maxLeverage: 25, mark: '3000', bids: [['2999.9', '100']], asks: [['3000', '100']] },
    { coin: 'SOL', sizeDecimals: 2, maxLeverage: 20, mark: '100', bids: [['99.9', '1000']], asks: [['100', '1000']] },
  ];
  return new FixtureMarket(coins);
}

const buy = (asset: number, size: string, limitPrice: string): Step => place({ asset, size, limitPrice, tif: 'ioc' });
const sell = (asset: number, size: string, limitPrice: string): Step =>
  place({ asset, size, limitPrice, tif: 'ioc', side: 'sell' });
const bids = (coin: string, ...levels: readonly (readonly [string, string])[]): Step => book(coin, levels, []);
const asks = (coin: string, ...levels: readonly (readonly [string, string])[]): Step => book(coin, [], levels);

/** An account with this deposit to which these steps have happened. */
const account = (usd: string, ...steps: readonly Step[]): Scenario => new Scenario(market()).given(deposit(usd), ...steps);

/** EX-5.5a with the fee of the purchase, 27, put back by the deposit: isolated long 1 BTC at 60,000, 20x, 40x at most. */
const longBtc = (): Scenario =>
  account('10000', leverage(BTC, 20, 'isolated'), buy(BTC, '1', '60000'), {
    type: 'updateIsolatedMargin',
    asset: BTC,
    usd: '27',
  } as Step);

const rawUsd = (scenario: Scenario, asset = BTC): string | undefined => scenario.account.positions.get(asset)?.rawUsd.toString();
const cash = (scenario: Scenario): string => scenario.account.cash.toString();
const types = (scenario: Scenario): string[] => scenario.events.map(({ type }) => type);

describe('checkLiquidation: an isolated position (rules 5.3, 5.4)', () => {
  it('EX-5.5a: is liquidatable below 57,721.51898734 and not at or above it', () => {
    const scenario = longBtc();
    expect(rawUsd(scenario)).to.equal('-57000');
    scenario
      .given(bids('BTC', ['57800', '5']))
      .when(mark('BTC', '57721.6'))
      .thenEvents();
    scenario.when(mark('BTC', '57721.5')).thenFills('sell 1 @ 57800 taker');
  });

  it('EX-5.5a: sells to bids at or above 57,026, and what is left returns to cross', () => {
    const scenario = longBtc();
    const before = scenario.account.cash;
    scenario.given(bids('BTC', ['57650', '1'])).when(mark('BTC', '57700'));
    scenario.thenFills('sell 1 @ 57650 taker').thenEnds('filled').thenPosition('BTC', '0');
    expect(scenario.account.cash.minus(before).toString()).to.equal('624.0575');
    const [fill] = scenario.events;
    expect(fill).to.deep.include({
      direction: 'Close Long',
      fee: '25.9425',
      liquidation: { method: 'market', markPrice: '57700' },
    });
    const ended = scenario.events.find(({ type }) => type === 'orderEnded');
    expect(ended).to.have.nested.property('order.limitPrice', '57026');
    expect(ended).to.have.nested.property('order.timeInForce', 'liquidationMarket');
    expect(scenario.events.at(-1)).to.deep.include({
      type: 'liquidated',
      marginMode: 'isolated',
      notional: '57700',
      accountValue: '700',
      positions: [{ coin: 'BTC', signedSize: '1' }],
    });
  });

  it('EX-5.5a: bids below 57,026 are left alone: the position waits for a better book or the backstop', () => {
    longBtc()
      .given(bids('BTC', ['57025', '5']))
      .when(mark('BTC', '57700'))
      .thenEvents()
      .thenPosition('BTC', '1');
    longBtc()
      .given(bids('BTC', ['57026', '5']))
      .when(mark('BTC', '57700'))
      .thenFills('sell 1 @ 57026 taker');
  });

  it('EX-5.5a: at a gap to 57,400 the book comes first', () => {
    const scenario = longBtc().given(bids('BTC', ['57399', '5']));
    const before = scenario.account.cash;
    scenario.when(mark('BTC', '57400')).thenFills('sell 1 @ 57399 taker').thenPosition('BTC', '0');
    expect(scenario.account.cash.minus(before).toString()).to.equal('373.17045');
    longBtc()
      .given(bids('BTC', ['57026', '5']))
      .when(mark('BTC', '57400'))
      .thenFills('sell 1 @ 57026 taker');
  });

  it('EX-5.5a: what the book does not take of it within the bankruptcy price is for the house', () => {
    const scenario = longBtc().given(bids('BTC', ['57399', '0.4'], ['57025', '5']));
    scenario.when(mark('BTC', '57400')).thenFills('sell 0.4 @ 57399 taker').thenEnds('canceled').thenPosition('BTC', '0');
    // A share of 160 of the 400 went to cash with the sale: -57,000 - 160 + 22,959.6 - 10.33182 are left for 0.6, at
    // 57,017.8863666667 each, which shows on the tick; closedPnl is 0.6 x (57,018 - 60,000).
    expect(scenario.events.at(-2)).to.include({
      type: 'positionTakenOver',
      size: '0.6',
      usd: '34210.73182',
      price: '57018',
      closedPnl: '-1789.2',
      exactPnl: '-1789.26818',
    });
    expect(scenario.events.at(-1)).to.include({ type: 'liquidated', accountValue: '400' });
    scenario.when(mark('BTC', '57400')).thenEvents();
  });

  it('the house waits for a usable book: one older than 15 s, crossed or missing has not been asked', () => {
    const afterOutage = () => longBtc().given(bids('BTC', ['57399', '5']), wait(15_001));
    const scenario = afterOutage().when(mark('BTC', '50000')).thenEvents().thenPosition('BTC', '1');
    scenario
      .given(bids('BTC', ['57399', '5']))
      .when(mark('BTC', '57400'))
      .thenFills('sell 1 @ 57399 taker');
    afterOutage()
      .given(bids('BTC', ['57025', '5']))
      .when(mark('BTC', '57400'))
      .thenPosition('BTC', '0')
      .thenFills();
    const crossed = book('BTC', [['57400', '1']], [['57390', '1']]);
    longBtc().given(crossed).when(mark('BTC', '57400')).thenEvents().thenPosition('BTC', '1');
    const missing = longBtc();
    missing.market.removeBook('BTC');
    missing.when(mark('BTC', '57400')).thenEvents().thenPosition('BTC', '1');
    const aged = longBtc().given(bids('BTC', ['57025', '5']));
    aged.market.advance(15_000);
    aged.when(mark('BTC', '57400')).thenPosition('BTC', '0').thenFills();
  });

  it('EX-5.5a: without bids from 57,026 on a gap to 57,400 is for the house at 57,000: the bucket is 0, cash as it was', () => {
    const scenario = longBtc();
    const before = cash(scenario);
    scenario
      .given(bids('BTC', ['57025', '5']))
      .when(mark('BTC', '57400'))
      .thenPosition('BTC', '0');
    expect(cash(scenario)).to.equal(before);
    const [taken, liquidated] = scenario.events;
    expect(taken).to.deep.include({
      type: 'positionTakenOver',
      price: '57000',
      size: '1',
      usd: '57000',
      closedPnl: '-3000',
      startPosition: '1',
      side: 'sell',
      direction: 'Liquidated Isolated Long',
      markPrice: '57400',
    });
    expect(liquidated).to.include({ type: 'liquidated', accountValue: '400' }).and.not.to.have.property('houseLossUsd');
  });

  it('edge 65: equity exactly maintenance is safe, a micro-USD less is not; exactly two thirds goes to the market', () => {
    // 1,000 SOL at 100, 20x: equity 5,000 - fee 45 + moved; maintenance is a fortieth of the notional.
    const sol = (usd: string): Scenario =>
      account('20000', leverage(SOL, 20, 'isolated'), buy(SOL, '1000', '100'), {
        type: 'updateIsolatedMargin',
        asset: SOL,
        usd,
      } as Step).given(asks('SOL', ['101', '1']));
    // Bought for 100,000 + 45 with 5,000 in the bucket: rawUsd -95,045 + usd. At 97.4 equity 2,435 = 97,400 / 40.
    const atMaintenance = sol('80');
    expect(rawUsd(atMaintenance, SOL)).to.equal('-94965');
    atMaintenance
      .given(bids('SOL', ['97.3', '2000']))
      .when(mark('SOL', '97.4'))
      .thenEvents();
    sol('79.999999')
      .given(bids('SOL', ['97.3', '2000']))
      .when(mark('SOL', '97.4'))
      .thenFills('sell 1000 @ 97.3 taker');
    // At 96.6 two thirds of 96,600 / 40 are 1,610.
    sol('55')
      .given(bids('SOL', ['96.5', '2000']))
      .when(mark('SOL', '96.6'))
      .thenFills('sell 1000 @ 96.5 taker');
    // A micro-USD less is a gap. Bankrupt at 94.990000001, limit 95.0327639..., so 95.033.
    sol('54.999999')
      .given(bids('SOL', ['95.033', '2000']))
      .when(mark('SOL', '96.6'))
      .thenFills('sell 1000 @ 95.033 taker');
    const beyond = sol('54.999999').given(bids('SOL', ['95.032', '2000']));
    beyond.when(mark('SOL', '96.6')).thenPosition('SOL', '0').thenFills();
    expect(types(beyond)).to.deep.equal(['positionTakenOver', 'liquidated']);
  });

  it('edge 69: one isolated position is liquidated, the other and cross are as they were', () => {
    const scenario = longBtc().given(leverage(ETH, 10, 'isolated'), buy(ETH, '1', '3000'), buy(SOL, '10', '100'));
    const [eth, sol, before] = [scenario.account.positions.get(ETH), scenario.account.positions.get(SOL), cash(scenario)];
    scenario
      .given(bids('BTC', ['57000', '5']))
      .when(mark('BTC', '57400'))
      .thenPosition('BTC', '0');
    expect(scenario.account.positions.get(ETH)).to.equal(eth);
    expect(scenario.account.positions.get(SOL)).to.equal(sol);
    expect(cash(scenario)).to.equal(before);
  });

  it('its own coin loses its orders, first of all; others keep theirs', () => {
    const scenario = longBtc().given(
      place({ asset: BTC, size: '0.1', limitPrice: '50000' }, { asset: BTC, side: 'sell', size: '0.1', limitPrice: '70000' }),
      place({ asset: SOL, size: '1', limitPrice: '90' }),
      bids('BTC', ['57650', '1']),
    );
    scenario.when(mark('BTC', '57700')).thenEnds('liquidatedCanceled', 'liquidatedCanceled', 'filled').thenOpen('buy 1 @ 90');
    expect(types(scenario).slice(0, 3)).to.deep.equal(['orderEnded', 'orderEnded', 'orderFilled']);
  });

  it('edge 71: an own order on the other side is canceled before the order goes to the book: no self-trade', () => {
    const scenario = longBtc().given(bids('BTC', ['57500', '1']), place({ asset: BTC, size: '0.1', limitPrice: '57600' }));
    scenario.when(mark('BTC', '57700')).thenEnds('liquidatedCanceled', 'filled').thenFills('sell 1 @ 57500 taker');
  });
});

describe('checkLiquidation: cross (rules 5.3, 5.4)', () => {
  /**
   * EX-5.5c: long 1 BTC from 62,000 and short 10 ETH from 2,999.9, marked 60,000 and 3,000. Paid 32,001 and the fees 27.9
   * and 13.49955, so 2,942.39955 leave an equity of 900, which is just two thirds of 750 + 600.
   */
  const bothSides = (usd: string): Scenario => {
    const at62 = [book('BTC', [['61999', '1']], [['62000', '1']]), mark('BTC', '62000')] as const;
    const scenario = account(usd, leverage(BTC, 40), leverage(ETH, 25), ...at62);
    scenario.given(buy(BTC, '1', '62000'), sell(ETH, '10', '2999.9'));
    return scenario.given(bids('BTC', ['59426', '9']), asks('ETH', ['3028.7', '99'], ['3028.8', '99']));
  };

  it('EX-5.5c: bankruptcy prices share the equity by notional, 59,400 and 3,030: no order goes beyond them with its fee', () => {
    // Limits 59,400 / 0.99955 = 59,426.74 and 3,030 / 1.00045 = 3,028.637, a tick inside: 59,427 and 3,028.6.
    bothSides('2942.39955').when(mark('BTC', '60000')).thenEvents();
    const scenario = bothSides('2942.39955').given(bids('BTC', ['59427', '9']));
    scenario.when(mark('BTC', '60000')).thenFills('sell 1 @ 59427 taker').thenPosition('ETH', '0');
    expect(cash(scenario)).to.equal('0');
  });

  it('EX-5.5c: both taken over there leave exactly 0', () => {
    const scenario = bothSides('2942.399549').when(mark('BTC', '60000'));
    expect(types(scenario)).to.deep.equal(['positionTakenOver', 'positionTakenOver', 'liquidated']);
    expect(scenario.events[0]).to.deep.include({ coin: 'BTC', direction: 'Liquidated Cross Long', price: '59400' });
    expect(scenario.events[1]).to.deep.include({ coin: 'ETH', direction: 'Liquidated Cross Short', price: '3030' });
    expect(scenario.events[2]).to.deep.include({ accountValue: '899.999999', notional: '90000', marginMode: 'cross' });
    expect(cash(scenario)).to.equal('0');
    expect(scenario.account.positions.size).to.equal(0);
  });

  it('EX-5.4b: of several cross positions the first by asset id goes first, one in profit too, and the next while the pool is below', () => {
    // BTC +100, SOL -2,000: 3,025.2 - 2.7 - 22.5 + 100 - 2,000 = 1,100 of 76.25 + 1,200. Without BTC 1,097 or so of 1,200.
    const books = [book('SOL', [['99', '600']], [['100', '600']]), leverage(BTC, 40)];
    const both = account('3025.2', ...books, buy(BTC, '0.1', '60000'), buy(SOL, '500', '100'));
    both.given(bids('BTC', ['60999', '5']), mark('BTC', '61000'), bids('SOL', ['95.9', '600']));
    both.when(mark('SOL', '96')).thenFills('sell 0.1 @ 60999 taker', 'sell 500 @ 95.9 taker').thenPosition('SOL', '0');
    expect(both.account.positions.size).to.equal(0);
  });

  it('EX-5.5b: 300,000 USD sells a fifth; within 30 s the next order is for all of it, after 31 s for a fifth again', () => {
    const long5 = (): Scenario => account('10000', leverage(BTC, 40), buy(BTC, '5', '60000')).given(bids('BTC', ['58600', '1']));
    // Equity 10,000 - 135 - 5 x 1,240 = 3,665 against 293,800 / 80 = 3,672.5.
    const first = long5().when(mark('BTC', '58760'));
    first.thenFills('sell 1 @ 58600 taker').thenPosition('BTC', '4');
    const until = first.market.nowMs + 30_000;
    expect(first.account.liquidation?.cooldownUntilMs).to.equal(until);

    first.when(mark('BTC', '58750')).thenEvents(); // the same book gets no second order
    first
      .given(bids('BTC', ['58600', '9']))
      .when(mark('BTC', '58380'))
      .thenFills('sell 4 @ 58600 taker')
      .thenPosition('BTC', '0');
    expect(first.account.liquidation?.bookTimesMs.size).to.equal(0);

    const later = long5().when(mark('BTC', '58760')).thenPosition('BTC', '4');
    later.given(wait(31_000), bids('BTC', ['58600', '9']), mark('ETH', '3000'));
    later.when(mark('BTC', '58380')).thenFills('sell 0.8 @ 58600 taker').thenPosition('BTC', '3.2');
  });

  it('EX-5.5b: below two thirds the order is for all of it, and a book that was asked is asked no more', () => {
    const long5 = (...levels: (readonly [string, string])[]): Scenario =>
      account('10000', leverage(BTC, 40), buy(BTC, '5', '60000')).given(bids('BTC', ...levels));
    // Equity 10,000 - 135 - 8,500 = 1,365, two thirds of 291,500 / 80 are 2,429.17; bankrupt at 58,027.
    long5(['58290', '9']).when(mark('BTC', '58300')).thenFills('sell 5 @ 58290 taker').thenPosition('BTC', '0');
    const asked = long5(['58600', '1']).when(mark('BTC', '58760')).thenPosition('BTC', '4');
    asked.when(mark('BTC', '58300')).thenFills().thenPosition('BTC', '0');
    expect(types(asked)).to.deep.equal(['positionTakenOver', 'liquidated']);
    const renewed = long5(['58600', '1']).given(mark('BTC', '58760'), bids('BTC', ['58290', '9']));
    renewed.when(mark('BTC', '58300')).thenFills('sell 4 @ 58290 taker').thenPosition('BTC', '0');
  });

  it('below two thirds every position of the pool has its chance before the house takes one', () => {
    const two = () => account('4000', leverage(BTC, 40), leverage(ETH, 25), buy(BTC, '1', '60000'), buy(ETH, '20', '3000'));
    // At 57,300 equity is 4,000 - 54 - 2,700 = 1,246, two thirds of 716.25 + 1,200 are 1,277.5.
    const saved = two().given(bids('ETH', ['2999', '50']), bids('BTC', ['50000', '9']));
    saved.when(mark('BTC', '57300')).thenFills('sell 20 @ 2999 taker').thenPosition('BTC', '1').thenPosition('ETH', '0');
    // At 56,700 it is 646.
    const lost = two().given(bids('ETH', ['2500', '50']), bids('BTC', ['56690', '0.5']));
    lost.when(mark('BTC', '56700')).thenFills('sell 0.5 @ 56690 taker').thenPosition('BTC', '0').thenPosition('ETH', '0');
    expect(cash(lost)).to.equal('0');
    const waits = two().given(wait(16_000), bids('BTC', ['56690', '0.5']), mark('ETH', '3000'));
    waits.when(mark('BTC', '56700')).thenFills('sell 0.5 @ 56690 taker').thenPosition('BTC', '0.5').thenPosition('ETH', '20');
    waits
      .given(bids('ETH', ['2500', '50']))
      .when(mark('BTC', '56700'))
      .thenPosition('BTC', '0')
      .thenPosition('ETH', '0');
    expect(cash(waits)).to.equal('0');
  });

  it('edge 67: 100,000 exactly is sold whole, 100,000.01 by a fifth rounded up to a lot', () => {
    // Bought at 105: at 100 equity is 7,300 - 47.25 - 5,000 = 2,252.75 against 2,500.
    const long = (size: string): Scenario =>
      account('7300', leverage(SOL, 20), book('SOL', [['104.9', '1']], [['105', '5000']]), mark('SOL', '105'))
        .given(buy(SOL, size, '105'))
        .given(bids('SOL', ['100.2', '5000']));
    long('1000').when(mark('SOL', '100')).thenFills('sell 1000 @ 100.2 taker');
    long('1000').when(mark('SOL', '100.00001')).thenFills('sell 200 @ 100.2 taker');
    long('1000.03').when(mark('SOL', '100')).thenFills('sell 200.01 @ 100.2 taker');
  });

  it('edge 68: a part sold restores the maintenance margin: the rest and the money stay, the orders stay canceled', () => {
    const scenario = account(
      '10000',
      leverage(BTC, 40),
      buy(BTC, '5', '60000'),
      place({ asset: ETH, size: '0.1', limitPrice: '2000' }),
    );
    scenario.given(bids('BTC', ['58800', '5'])).when(mark('BTC', '58760'));
    scenario.thenFills('sell 1 @ 58800 taker').thenPosition('BTC', '4').thenOpen();
    scenario
      .given(bids('BTC', ['58800', '5']))
      .when(mark('BTC', '58760'))
      .thenEvents();
  });

  it('the largest maintenance margin goes first, and it stops as soon as the account is safe', () => {
    const scenario = account('4000', leverage(BTC, 40), leverage(ETH, 25), buy(BTC, '1', '60000'), buy(ETH, '20', '3000'));
    // At 59,000 and 2,948: equity 4,000 - 54 - 2,040 = 1,906 of 737.5 + 1,179.2.
    scenario.given(bids('ETH', ['2950', '50']), bids('BTC', ['57000', '50']), mark('BTC', '59000'));
    scenario.when(mark('ETH', '2948')).thenFills('sell 20 @ 2950 taker').thenPosition('BTC', '1').thenPosition('ETH', '0');
  });

  it('edge 70: a gap through bankruptcy leaves 0, the house pays the difference, and a top-up trades again', () => {
    const scenario = account('1000', leverage(BTC, 40), buy(BTC, '0.5', '60000'), bids('BTC', ['50000', '20']));
    scenario.when(mark('BTC', '50000'));
    // Equity 1,000 - 13.5 - 5,000 = -4,013.5.
    scenario.thenPosition('BTC', '0');
    expect(cash(scenario)).to.equal('0');
    expect(scenario.events.at(-1)).to.deep.include({ accountValue: '-4013.5', houseLossUsd: '4013.5' });
    expect(scenario.events[0]).to.deep.include({ price: '58027', usd: '29013.5' });
  });

  it('a cascade of one account worked out by hand: a fifth, all of it within 30 s, the short, and a bucket for the house', () => {
    const scenario = account(
      '20000',
      leverage(BTC, 40),
      buy(BTC, '5', '60000'),
      leverage(ETH, 25),
      sell(ETH, '20', '2999.9'),
      leverage(SOL, 10, 'isolated'),
      buy(SOL, '100', '100'),
    );
    // 20,000 - 300,135 + 59,998 - 26.9991 - 1,000
    expect(cash(scenario)).to.equal('-221163.9991');
    // Equity 4,586.0009 of 4,771.875: one of five, bankrupt at 56,391.97.
    scenario.given(bids('BTC', ['57140', '0.4'], ['57100', '5'])).when(mark('BTC', '57150'));
    scenario.thenFills('sell 0.4 @ 57140 taker', 'sell 0.6 @ 57100 taker').thenPosition('BTC', '4');
    expect(cash(scenario)).to.equal('-164073.7013');
    // Equity 3,526.2987 of 4,045, five seconds later.
    scenario.given(wait(5000), mark('ETH', '3000'), bids('BTC', ['56890', '1'], ['56500', '10'])).when(mark('BTC', '56900'));
    scenario.thenFills('sell 1 @ 56890 taker', 'sell 3 @ 56500 taker').thenPosition('BTC', '0');
    expect(cash(scenario)).to.equal('62214.4232');
    // Equity 1,014.4232 of 1,224: the short is worth 61,200, bankrupt at 3,110.72.
    scenario.given(mark('SOL', '100'), asks('ETH', ['3061', '5'], ['3070', '50'])).when(mark('ETH', '3060'));
    scenario.thenFills('buy 5 @ 3061 taker', 'buy 15 @ 3070 taker').thenPosition('ETH', '0');
    expect(cash(scenario)).to.equal('831.81345');
    // The bucket has 145.5 of 228.75, less than 152.5, and no bid from 90.086 on; cross cash stays.
    scenario
      .given(bids('SOL', ['90.085', '1000']))
      .when(mark('SOL', '91.5'))
      .thenEvents({ type: 'positionTakenOver', price: '90.045', closedPnl: '-995.5' }, { type: 'liquidated' });
    expect(cash(scenario)).to.equal('831.81345');
    const house = scenario.entries.flatMap(({ events }) => events).reduce(houseAfter, EMPTY_HOUSE);
    expect(toStoredHouse(house)).to.deep.equal({
      cashUsd: '-8682.81345',
      feesUsd: '321.68655',
      lossUsd: '0',
      positions: [['SOL', '100']],
    });
  });

  it('the house takes positions over by asset id, whichever the account remembers first, so the same sums come of it', () => {
    const lived = account('1000', leverage(BTC, 40), buy(SOL, '100', '100'), buy(BTC, '0.3', '60000'));
    const reloaded = account('1000', leverage(BTC, 40), buy(SOL, '100', '100'), buy(BTC, '0.3', '60000'));
    reloaded.account = fromSnapshot(toSnapshot(reloaded.account, NEWEST_FORMAT));
    for (const scenario of [lived, reloaded]) {
      scenario.given(bids('BTC', ['56000', '1']), bids('SOL', ['90', '1000'])).when(mark('BTC', '57000'));
    }
    const taken = lived.events.flatMap((event) => (event.type === 'positionTakenOver' ? [event.coin] : []));
    expect(taken).to.deep.equal(['BTC', 'SOL']);
    expect(reloaded.events).to.deep.equal(lived.events);
  });

  it('edge 77: pending funding is settled first, an hour without a rate is forgotten, and the account is exactly 0', () => {
    const scenario = account('1000', leverage(BTC, 40), buy(BTC, '0.5', '60000'));
    const { market: now } = scenario;
    const hourMs = hourOf(now.nowMs) + HOUR_MS;
    now.setFunding('BTC', hourMs, { rate: '0.0001', oracle: '60000' });
    now.advance(hourMs + HOUR_MS + 1000 - now.nowMs);
    // Equity 1,000 - 13.5 - 750 = 236.5, less 0.5 x 60,000 x 0.0001 = 3; maintenance 365.625.
    scenario
      .given(bids('BTC', ['58000', '1']))
      .when(mark('BTC', '58500'))
      .thenPosition('BTC', '0');
    expect(types(scenario)).to.deep.equal(['fundingSettled', 'fundingSettled', 'positionTakenOver', 'liquidated']);
    expect(scenario.events[0]).to.include({ usd: '-3', hours: 1 });
    expect(scenario.events.at(-1)).to.include({ accountValue: '233.5' });
    expect(cash(scenario)).to.equal('0');
    expect(owesHours(scenario.account)).to.equal(false);
  });

  it('an old mark of any cross coin makes cross wait, an isolated pool goes on', () => {
    const scenario = account(
      '4000',
      leverage(BTC, 40),
      leverage(ETH, 25, 'isolated'),
      buy(BTC, '1', '60000'),
      buy(SOL, '1', '100'),
      buy(ETH, '1', '3000'),
    );
    scenario.given(wait(16_000), bids('BTC', ['40000', '1']), bids('ETH', ['1000', '1']), bids('SOL', ['50', '1']));
    scenario.when(mark('BTC', '50000')).thenEvents();
    scenario.when(mark('ETH', '2000')).thenPosition('ETH', '0').thenPosition('BTC', '1');
    scenario.when(mark('SOL', '100')).thenPosition('BTC', '0').thenPosition('SOL', '0');
    expect(cash(scenario)).to.equal('0');
  });

  it('an order of the account that brings it below its maintenance margin is liquidated in the same step', () => {
    const scenario = account('4000', leverage(BTC, 40), leverage(ETH, 25), buy(BTC, '1', '60000'), buy(ETH, '20', '3000'));
    scenario.given(bids('BTC', ['59000', '1']), bids('ETH', ['2850', '100']), mark('ETH', '2960'), mark('BTC', '59200'));
    // Equity 2,346 - 1,100 - 12.825 against 740 + 592.
    scenario.when(sell(ETH, '10', '2850')).thenOutcomes('filled 10 @ 2850');
    scenario.thenFills('sell 10 @ 2850 taker', 'sell 1 @ 59000 taker').thenPosition('ETH', '10');
    expect(types(scenario).at(-1)).to.equal('liquidated');
  });

  it('what it remembers survives a snapshot, and a snapshot without it reads as nothing', () => {
    const scenario = account('10000', leverage(BTC, 40), buy(BTC, '5', '60000')).given(bids('BTC', ['58600', '1']));
    scenario.when(mark('BTC', '58760'));
    expect(fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT)).liquidation).to.deep.equal(scenario.account.liquidation);
    expect(toSnapshot(fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT)), NEWEST_FORMAT)).to.equal(
      toSnapshot(scenario.account, NEWEST_FORMAT),
    );
    expect(fromSnapshot(toSnapshot(account('1').account, NEWEST_FORMAT))).not.to.have.property('liquidation');
  });
});
