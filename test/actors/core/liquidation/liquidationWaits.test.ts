import { expect } from 'chai';
import { liquidationWaits } from '../../../../src/actors/core/liquidation/checkLiquidation.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';
import { book, deposit, leverage, mark, place, Scenario, type Step, wait } from '../../../support/scenario.ts';

const BTC = 0;
const ETH = 1;

const COINS: readonly FixtureCoin[] = [
  { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, mark: '60000', bids: [['59999', '20']], asks: [['60000', '20']] },
  { coin: 'ETH', sizeDecimals: 4, maxLeverage: 25, mark: '3000', bids: [['2999.9', '100']], asks: [['3000', '100']] },
];
const buy = (asset: number, size: string, limitPrice: string): Step => place({ asset, size, limitPrice, tif: 'ioc' });
const waits = ({ account, market }: Scenario): boolean => liquidationWaits(account, { market, nowMs: market.nowMs });

/** Long 1 BTC and 20 ETH, cross, with 4,000 USD: at 60,000 - x and 3,000 equity is 3,946 - x. */
const two = (...steps: readonly Step[]): Scenario =>
  new Scenario(new FixtureMarket(COINS))
    .given(deposit('4000'), leverage(BTC, 40), leverage(ETH, 25), buy(BTC, '1', '60000'), buy(ETH, '20', '3000'))
    .given(...steps);

describe('liquidationWaits: accounts that are spared for want of data (rule 5.4)', () => {
  it('a mark older than 15 s spares an account that is below maintenance by the last marks, and no other', () => {
    expect(waits(two(wait(15_001), mark('BTC', '57900')))).to.equal(true);
    expect(waits(two(wait(15_001), mark('BTC', '57985')))).to.equal(false);
    expect(waits(two(wait(15_001), mark('BTC', '60000')))).to.equal(false);
    expect(waits(two(wait(15_001)))).to.equal(false);
  });

  it('when the stale coin is judged again the account waits no longer', () => {
    const scenario = two(wait(15_001), book('BTC', [['57000', '1']], []), book('ETH', [['2500', '1']], []), mark('BTC', '57900'));
    expect(waits(scenario)).to.equal(true);
    expect(waits(scenario.given(mark('ETH', '3000')))).to.equal(false);
    expect(waits(two(wait(15_001), mark('BTC', '57900'), mark('ETH', '3100')))).to.equal(false);
  });

  it('below two thirds with fresh marks it waits while a book is old, above it does not', () => {
    const old = [wait(15_001), mark('ETH', '3000')] as const;
    expect(waits(two(...old, mark('BTC', '57300')))).to.equal(true);
    expect(waits(two(...old, mark('BTC', '57400')))).to.equal(false);
    const booked = two(...old, mark('BTC', '57300'), book('BTC', [['50000', '1']], []), book('ETH', [['2000', '1']], []));
    expect(waits(booked)).to.equal(false);
    expect(booked.account.positions.size).to.equal(2);
    booked.when(mark('BTC', '57300'));
    expect(booked.account.positions.size).to.equal(0);
  });

  it('an isolated position waits for its own coin alone', () => {
    const isolated = (...steps: readonly Step[]) =>
      new Scenario(new FixtureMarket(COINS))
        .given(deposit('10000'), leverage(BTC, 40, 'isolated'), buy(BTC, '1', '60000'), buy(ETH, '1', '3000'))
        .given(...steps);
    expect(waits(isolated(mark('BTC', '59000')))).to.equal(false);
    const gap: readonly Step[] = [book('BTC', [['50000', '1']], []), mark('BTC', '59200')];
    expect(waits(isolated(...gap, wait(15_001)))).to.equal(true);
    expect(waits(isolated(...gap))).to.equal(false);
  });
});
