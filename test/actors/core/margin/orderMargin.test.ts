import { expect } from 'chai';
import { totalHolds } from '../../../../src/actors/core/margin/margin.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';

const book = (leverage = 5) => new FillBook(new FixtureMarket(), '10000').setLeverage('SOL', leverage);
const holds = (account: FillBook) => totalHolds(account, account.market).toFixed();

describe('orderHolds: the larger side of each coin, without what only closes', () => {
  it('EX-4.6c: long 1, resting sells 3 at 100 and buys 1 at 90', () => {
    const long = book().held('SOL', { signedSize: '1', entryPrice: '100' });
    expect(holds(long.resting('SOL', 'sell', '3', '100').resting('SOL', 'buy', '1', '90'))).to.equal('40');
  });

  it('EX-4.6: 1000 coins at 4.9752 with 5x', () => {
    expect(holds(book().resting('SOL', 'buy', '1000', '4.9752'))).to.equal('995.04');
  });

  it('edge 55: long 1 with a resting sell of 1 holds nothing, of 2 for one', () => {
    const long = () => book().held('SOL', { signedSize: '1', entryPrice: '100' });
    expect(holds(long().resting('SOL', 'sell', '1', '110'))).to.equal('0');
    expect(holds(long().resting('SOL', 'sell', '2', '110'))).to.equal('22');
  });

  it('the best price closes first, whatever was placed first', () => {
    const long = book().held('SOL', { signedSize: '1.5', entryPrice: '100' });
    // 1 at 105 and half of 1 at 110 close; the other half and 1 at 120 open.
    expect(
      holds(long.resting('SOL', 'sell', '1', '120').resting('SOL', 'sell', '1', '110').resting('SOL', 'sell', '1', '105')),
    ).to.equal('35');
  });

  it('the highest buy closes a short first', () => {
    const short = book().held('SOL', { signedSize: '-1', entryPrice: '100' });
    expect(holds(short.resting('SOL', 'buy', '1', '90').resting('SOL', 'buy', '1', '95'))).to.equal('18');
  });

  it('reduce-only orders hold nothing and close nothing for others', () => {
    const long = book().held('SOL', { signedSize: '1', entryPrice: '100' });
    long.resting('SOL', 'sell', '1', '100', { reduceOnly: true }).resting('SOL', 'sell', '1', '110');
    expect(holds(long)).to.equal('0');
    expect(holds(book().resting('SOL', 'sell', '1', '100', { reduceOnly: true }))).to.equal('0');
  });

  it('coins add up, each with its own leverage', () => {
    const two = book().setLeverage('ETH', 10).resting('SOL', 'buy', '1', '100').resting('SOL', 'sell', '1', '101');
    expect(holds(two.resting('ETH', 'sell', '1', '2000'))).to.equal('220.2');
  });

  it('without a setting the default leverage counts', () => {
    const account = new FillBook(new FixtureMarket(), '10000')
      .resting('ISO', 'buy', '1', '50')
      .resting('ETH', 'buy', '1', '2000');
    expect(holds(account)).to.equal('105');
  });

  it('a coin that the market does not know yet holds by its setting, without one the whole notional', () => {
    const account = new FillBook(new FixtureMarket(), '10000');
    account.orders.set(1, { asset: 999, side: 'buy', size: '1', limitPrice: '50', reduceOnly: false });
    expect(holds(account)).to.equal('50');
    account.leverage.set(999, { marginMode: 'cross', leverage: 5 });
    expect(holds(account)).to.equal('10');
  });
});
