import { expect } from 'chai';
import { planFills } from '../../../../src/actors/core/fills/fillPlan.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';

const SUI = { coin: 'SUI', sizeDecimals: 1, maxLeverage: 10, mark: '1.31' };

function planned(held: string, side: 'buy' | 'sell', levels: readonly (readonly [price: string, size: string])[]) {
  const book = new FillBook(new FixtureMarket([SUI]), '10000').held('SUI', { signedSize: held, entryPrice: '1.3' });
  const before = { cash: book.cash, position: book.position('SUI') };
  const executions = levels.map(([price, size]) => ({ price: new Decimal(price), size: new Decimal(size) }));
  const markPrice = new Decimal('1.31');
  const setting = { marginMode: 'cross' as const, leverage: 10 };
  const plan = planFills(before, executions, { asset: book.market.require('SUI'), side, liquidity: 'taker', setting, markPrice });
  return { plan, book, before };
}

describe('fillPlan: fills of one order, one after the other', () => {
  it('EX-3.3: the start position advances from fill to fill', () => {
    const { plan } = planned('4623.5', 'sell', [
      ['1.3189', '142.7'],
      ['1.3167', '3749.1'],
      ['1.3093', '731.7'],
    ]);
    expect(plan.fills.map(({ numbers }) => numbers.startPosition.toFixed())).to.deep.equal(['4623.5', '4480.8', '731.7']);
    expect(plan.after.position).to.equal(undefined);
    expect(plan.opens).to.equal(false);
  });

  it('edge 52: only one of the fills of a flip over three levels flips', () => {
    const { plan } = planned('5', 'sell', [
      ['1.32', '3'],
      ['1.31', '3'],
      ['1.3', '3'],
    ]);
    expect(plan.fills.map(({ numbers }) => numbers.direction)).to.deep.equal(['Close Long', 'Long > Short', 'Open Short']);
    expect(plan.opens).to.equal(true);
    expect(plan.after.position?.signedSize.toFixed()).to.equal('-4');
  });

  it('changes nothing', () => {
    const { book, before } = planned('5', 'sell', [['1.3', '5']]);
    expect(book.position('SUI')).to.equal(before.position);
    expect(book.cash.toFixed()).to.equal('10000');
  });

  it('without executions everything stays', () => {
    const { plan, before } = planned('5', 'sell', []);
    expect(plan).to.deep.equal({ fills: [], after: before, opens: false });
  });
});
