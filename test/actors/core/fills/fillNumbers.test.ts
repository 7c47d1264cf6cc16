import { expect } from 'chai';
import type { ClosedPnl } from '../../../../src/actors/core/margin/position.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';

const book = (cashUsd = '10000') => new FillBook(new FixtureMarket(), cashUsd);

describe('fillNumbers: closed PnL without the fee, direction, start position', () => {
  it('EX-7.2: two recorded closes of one long', () => {
    const long = book().filled('ETH', { side: 'buy', price: '2331.5', size: '0.428' });
    expect(long.fill('ETH', { side: 'sell', price: '2354.8', size: '0.214' }).closedPnl.toFixed()).to.equal('4.9862');
    expect(long.fill('ETH', { side: 'sell', price: '2366.5', size: '0.214' }).closedPnl.toFixed()).to.equal('7.49');
  });

  it('EX-7.2b: a flip is one fill with one fee', () => {
    const long = book().filled('SOL', { side: 'buy', price: '100', size: '2' });
    const flip = long.fill('SOL', { side: 'sell', price: '110', size: '3' });
    expect(flip.closedPnl.toFixed()).to.equal('20');
    expect(flip.fee.toFixed()).to.equal('0.1485');
    expect(flip.direction).to.equal('Long > Short');
    expect(flip.startPosition.toFixed()).to.equal('2');
    expect([flip.closedSize.toFixed(), flip.openedSize.toFixed()]).to.deep.equal(['2', '1']);
    expect(long.position('SOL').signedSize.toFixed()).to.equal('-1');
    expect(long.position('SOL').entryNotional.toFixed()).to.equal('110');
  });

  const both = ({ closedPnl, exactPnl }: ClosedPnl) => [closedPnl.toFixed(), exactPnl.toFixed()];

  it('EX-4.10: an entry price of thirds is cut to 103.3333 where it is shown', () => {
    const long = book()
      .filled('SOL', { side: 'buy', price: '100', size: '2' })
      .filled('SOL', { side: 'buy', price: '110', size: '1' });
    const third = `16.${'6'.repeat(39)}7`;
    expect(both(long.fill('SOL', { side: 'sell', price: '120', size: '1' }))).to.deep.equal(['16.6667', third]);
    expect(both(long.fill('SOL', { side: 'sell', price: '90', size: '3' }))).to.deep.equal([
      '-26.6666',
      `-26.${'6'.repeat(39)}7`,
    ]);
    expect(long.position('SOL').entryNotional.toFixed()).to.equal('90');
  });

  it('EX-7.2d: two recorded closes of a long whose entry price is no price of the grid', () => {
    const long = book()
      .filled('BTC', { side: 'buy', price: '110217', size: '0.01881' })
      .filled('BTC', { side: 'buy', price: '111208', size: '0.0913' });
    expect(long.fill('BTC', { side: 'sell', price: '111829', size: '0.03545' }).closedPnl.toFixed()).to.equal('28.016135');
    expect(long.fill('BTC', { side: 'sell', price: '111828', size: '0.07466' }).closedPnl.toFixed()).to.equal('58.929138');
  });

  it('a short whose entry price is cut has less closed PnL shown than it has made', () => {
    const short = book()
      .filled('SOL', { side: 'sell', price: '100', size: '2' })
      .filled('SOL', { side: 'sell', price: '110', size: '1' });
    expect(both(short.fill('SOL', { side: 'buy', price: '100', size: '3' }))).to.deep.equal(['9.9999', '10']);
  });

  it('a cost of half a micro-USD a coin is exact inside', () => {
    // Cost 1.000001 for 2 coins: one coin cost 0.5000005, sold at 1 it gains 0.4999995.
    const long = book()
      .filled('CHEAP', { side: 'buy', price: '0.5', size: '1' })
      .filled('CHEAP', { side: 'buy', price: '0.500001', size: '1' });
    expect(both(long.fill('CHEAP', { side: 'sell', price: '1', size: '1' }))).to.deep.equal(['0.5', '0.4999995']);
  });

  it('edge 80: a break-even close shows 0, cash falls by the fees', () => {
    const long = book('1000').filled('SOL', { side: 'buy', price: '100', size: '1' });
    const close = long.fill('SOL', { side: 'sell', price: '100', size: '1' });
    expect(close.closedPnl.toFixed()).to.equal('0');
    expect(long.cash.toFixed()).to.equal('999.91');
  });

  const directions: { start: string; side: 'buy' | 'sell'; size: string; want: string }[] = [
    { start: '0', side: 'buy', size: '1', want: 'Open Long' },
    { start: '0', side: 'sell', size: '1', want: 'Open Short' },
    { start: '2', side: 'buy', size: '1', want: 'Open Long' },
    { start: '-2', side: 'sell', size: '1', want: 'Open Short' },
    { start: '2', side: 'sell', size: '1', want: 'Close Long' },
    { start: '2', side: 'sell', size: '2', want: 'Close Long' },
    { start: '2', side: 'sell', size: '2.01', want: 'Long > Short' },
    { start: '-2', side: 'buy', size: '2', want: 'Close Short' },
    { start: '-2', side: 'buy', size: '3', want: 'Short > Long' },
  ];
  for (const { start, side, size, want } of directions) {
    it(`${start} and ${side} ${size} is ${want}`, () => {
      const held = book();
      if (start !== '0') held.held('SOL', { signedSize: start, entryPrice: '100' });
      expect(held.fill('SOL', { side, price: '100', size }).direction).to.equal(want);
    });
  }
});

describe('fillNumbers: cash of a cross account', () => {
  it('EX-4.1b: a taker buy takes notional and fee', () => {
    const long = book('1000').setLeverage('ETH', 10).filled('ETH', { side: 'buy', price: '2000', size: '0.5' });
    expect(long.cash.toFixed()).to.equal('-0.45');
    expect(long.position('ETH').rawUsd.toFixed()).to.equal('0');
  });

  it('a short receives its notional', () => {
    expect(book('1000').filled('ETH', { side: 'sell', price: '2000', size: '0.5' }).cash.toFixed()).to.equal('1999.55');
  });
});
