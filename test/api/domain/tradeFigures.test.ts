import { expect } from 'chai';
import type { FillRow } from '../../../src/actors/core/messages/historyRows.ts';
import { directionOf, TradeFigures } from '../../../src/api/domain/tradeFigures.ts';

const fill = (fields: Partial<FillRow>): FillRow => ({
  ...{ tid: 1, oid: 1, coin: 'SOL', side: 'buy', price: '100', size: '1', timeMs: 0, startPosition: '0' },
  ...{ direction: 'Open Long', closedPnl: '0', fee: '0', liquidity: 'taker' },
  ...fields,
});
const closing = (closedPnl: string, fields: Partial<FillRow> = {}): FillRow =>
  fill({ side: 'sell', startPosition: '5', closedPnl, ...fields });

function told(fills: readonly FillRow[], fundingUsd: readonly string[] = []) {
  const figures = new TradeFigures();
  for (const one of fills) figures.addFill(one);
  for (const usd of fundingUsd) {
    figures.addFunding({ timeMs: 0, coin: 'SOL', usd, signedSize: '1', fundingRate: '0.0001', hours: 8 });
  }
  return figures.tell();
}

describe('tradeFigures: worked out by hand', () => {
  it('two wins of 30 and 10, a loss of 20, one at nothing: rates, averages and factor', () => {
    const figures = told([closing('30'), closing('10'), closing('-20'), closing('0')]);
    expect(figures).to.deep.include({ fill_trades: 4, fill_wins: 2, fill_losses: 1, fills: 4 });
    expect(figures).to.deep.include({
      fill_win_rate: '0.5',
      fill_profit_factor: '2.0',
      fill_average_win: '20.0',
      fill_average_loss: '-20.0',
    });
    expect(figures).to.deep.include({ fill_expectancy: '5.0', fill_largest_win: '30.0', fill_largest_loss: '-20.0' });
  });

  it('net is gross less fees plus funding received, to the micro-USD', () => {
    const fills = [fill({ fee: '0.045001' }), closing('1.000001', { fee: '0.015' })];
    const figures = told(fills, ['-0.000002', '0.5']);
    expect(figures).to.deep.include({ gross_pnl: '1.000001', fees: '0.060001', funding: '0.499998', net_pnl: '1.439998' });
  });

  it('volume, the share of it that rested, and what takers paid beyond the mid', () => {
    const figures = told([
      fill({ price: '101', size: '2', evidence: { midPrice: '100' } }),
      fill({ side: 'sell', price: '99', size: '2', evidence: { midPrice: '100' } }),
      fill({ price: '100', size: '4', liquidity: 'maker' }),
      fill({ price: '50', size: '4' }),
    ]);
    // 202 + 198 + 400 + 200; 2 + 2 of 400 at mid.
    expect(figures).to.deep.include({ volume: '1000.0', maker_share: '0.4', slippage: '4.0', slippage_bps: '100.0' });
  });

  it('nothing to divide by is null, sums are zero', () => {
    expect(told([])).to.deep.include({
      fill_win_rate: null,
      fill_profit_factor: null,
      fill_expectancy: null,
      maker_share: null,
      net_pnl: '0.0',
    });
    expect(told([closing('5')])).to.deep.include({ fill_win_rate: '1.0', fill_profit_factor: null, fill_average_loss: null });
  });

  const directions: [string, Partial<FillRow>, string][] = [
    ['a buy from nothing', { side: 'buy', startPosition: '0' }, 'long'],
    ['a sell from nothing', { side: 'sell', startPosition: '0.0' }, 'short'],
    ['a sell that closes or flips a long', { side: 'sell', startPosition: '1' }, 'long'],
    ['a buy that closes a short', { side: 'buy', startPosition: '-1' }, 'short'],
  ];
  for (const [name, fields, want] of directions) {
    it(`${name} is of the ${want} side`, () => expect(directionOf(fill(fields))).to.equal(want));
  }
});
