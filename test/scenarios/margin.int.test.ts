// Margin, leverage and profit to the last micro-USD, through the public API. The numbers are the rules' worked
// examples or were computed from them by hand. A new account has 10,000 USD, so some examples are scaled to it.
import { expect } from 'chai';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

describe('margin through the API', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
  });
  beforeEach(async () => {
    trader = await exchange.trader();
  });
  afterEach(() => trader.expectConsistent());

  /** A deep market at one price: best ask and best bid with plenty, mark between them or where it is said. */
  const market = (coin: string, { bid, ask, mark = ask }: { bid: string; ask: string; mark?: string }) =>
    exchange.book(coin, { bids: [[bid, '1000000']], asks: [[ask, '1000000']], mark });

  const buyHype = async () => {
    await market('HYPE', { bid: '37.826', ask: '37.829', mark: '37.826' });
    expect(await trader.leverage('HYPE', 10, 'isolated')).to.equal('ok');
    expect(await trader.place({ coin: 'HYPE', px: '37.9', sz: '2', tif: 'Ioc' })).to.deep.equal(['filled 2.0 @ 37.829']);
  };

  it('EX-4.1, EX-5.2b: an isolated position as it was recorded; edge 57', async () => {
    await buyHype();
    const { time, ...state } = await trader.info('clearinghouseState');
    expect(Number.isInteger(time)).to.equal(true);
    expect(state).to.deep.equal({
      // Cash left: 10000 - 7.5658.
      marginSummary: {
        accountValue: '9999.959954',
        totalNtlPos: '75.652',
        totalRawUsd: '9924.307954',
        totalMarginUsed: '7.525754',
      },
      crossMarginSummary: {
        accountValue: '9992.4342',
        totalNtlPos: '0.0',
        totalRawUsd: '9992.4342',
        totalMarginUsed: '0.0',
      },
      crossMaintenanceMarginUsed: '0.0',
      withdrawable: '9992.4342',
      assetPositions: [
        {
          type: 'oneWay',
          position: {
            coin: 'HYPE',
            szi: '2.0',
            leverage: { type: 'isolated', value: 10, rawUsd: '-68.126246' },
            entryPx: '37.829',
            positionValue: '75.652',
            unrealizedPnl: '-0.006',
            returnOnEquity: '-0.0007930424',
            liquidationPx: '35.8559189474',
            marginUsed: '7.525754',
            maxLeverage: 10,
            cumFunding: { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' },
          },
        },
      ],
    });
    await exchange.mark('HYPE', '36.826');
    const fallen = await trader.info('clearinghouseState');
    expect(fallen.assetPositions[0].position.marginUsed).to.equal('5.525754');
    expect(fallen.withdrawable).to.equal('9992.4342');
  });

  it('EX-4.5b: part of an isolated position is closed', async () => {
    await buyHype();
    const sold = await trader.place({ coin: 'HYPE', buy: false, px: '37.8', sz: '0.6', tif: 'Ioc' });
    expect(sold).to.deep.equal(['filled 0.6 @ 37.826']);
    const position = await trader.position('HYPE');
    expect(position.leverage.rawUsd).to.equal('-47.698585');
    expect(position.marginUsed).to.equal('5.257815');
    expect(position.liquidationPx).to.equal('35.8635977444');
    // 9992.4342 + 2.257726
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('9994.691926');
    // The rest: the bucket's last cash comes back, 5.257815 less the fee of 1.4 * 37.826.
    await trader.place({ coin: 'HYPE', buy: false, px: '37.8', sz: '1.4', tif: 'Ioc' });
    const flat = await trader.info('clearinghouseState');
    expect(flat.assetPositions).to.deep.equal([]);
    // 52.9564 * 0.00045 = 0.02383038
    expect(flat.withdrawable).to.equal('9999.925911');
    expect(flat.marginSummary.totalRawUsd).to.equal('9999.925911');
  });

  it('EX-4.5c, edge 58, edge 59: margin into an isolated position and out of it', async () => {
    const move = async (coin: string, ntli: number): Promise<string> => {
      const { body } = await trader.act({ type: 'updateIsolatedMargin', asset: exchange.asset(coin), isBuy: true, ntli });
      return body.status === 'ok' ? 'ok' : body.response;
    };
    expect(await move('HYPE', 1)).to.equal('Cannot update margin for empty position.');
    await buyHype();
    expect(await move('HYPE', 0)).to.equal('Update to isolated margin cannot be zero.');
    expect(await move('HYPE', -1)).to.equal('Position does not have sufficient margin for reduction.');
    expect(await move('HYPE', 5_000_000)).to.equal('ok');
    const position = await trader.position('HYPE');
    expect(position.leverage.rawUsd).to.equal('-63.126246');
    expect(position.marginUsed).to.equal('12.525754');
    expect(position.liquidationPx).to.equal('33.22434');
    // 9992.4342 - 5
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('9987.4342');
    expect(await move('HYPE', 9_987_434_201)).to.equal('Account does not have sufficient margin available for increase.');

    // 12.525754 less a tenth of 75.652
    expect(await move('HYPE', -4_960_555)).to.equal('Position does not have sufficient margin for reduction.');
    expect(await move('HYPE', -4_960_554)).to.equal('ok');
    expect((await trader.position('HYPE')).marginUsed).to.equal('7.5652');
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('9992.394754');

    await market('SOL', { bid: '99.9', ask: '100', mark: '100' });
    await trader.place({ coin: 'SOL', px: '100', sz: '1', tif: 'Ioc' });
    expect(await move('SOL', 1)).to.equal('Position does not use isolated margin.');
  });

  it('edge 60, EX-4.9: leverage of an isolated position changes what is needed, not what is there', async () => {
    await buyHype();
    const before = await trader.position('HYPE');
    expect(await trader.leverage('HYPE', 5, 'isolated')).to.match(/^Isolated position does not have sufficient margin available/);
    expect(await trader.leverage('HYPE', 10, 'isolated')).to.equal('ok');
    await exchange.mark('HYPE', '60');
    // 120 - 68.126246 = 51.873754 of 120: 3x needs 40, 2x needs 60.
    expect(await trader.leverage('HYPE', 2, 'isolated')).to.match(/^Isolated position does not have/);
    expect(await trader.leverage('HYPE', 3, 'isolated')).to.equal('ok');
    const after = await trader.position('HYPE');
    expect(after.leverage).to.deep.equal({ type: 'isolated', value: 3, rawUsd: before.leverage.rawUsd });
    expect(after.liquidationPx).to.equal(before.liquidationPx);
    expect(await trader.leverage('HYPE', 10, 'isolated')).to.equal('ok');
    expect((await trader.position('HYPE')).marginUsed).to.equal('51.873754');
    expect(await trader.leverage('HYPE', 10, 'cross')).to.equal('Cannot switch leverage type with open position.');
    for (const wrong of [0, -1, 11, 2.5]) {
      const refusal = await trader.leverage('HYPE', wrong, 'isolated');
      expect(refusal, String(wrong)).to.not.equal('ok');
    }
    expect(await trader.leverage('HYPE', 11, 'isolated')).to.equal('Invalid leverage value');
    expect(await trader.leverage('BTC', 50)).to.equal('Invalid leverage value');
  });

  it('EX-4.1b, EX-4.9, EX-5.2f: a cross position, ten times the example', async () => {
    await market('ETH', { bid: '1999', ask: '2000' });
    expect(await trader.leverage('ETH', 10)).to.equal('ok');
    expect(await trader.place({ coin: 'ETH', px: '2100', sz: '5', tif: 'Ioc' })).to.deep.equal(['filled 5.0 @ 2000.0']);
    const state = await trader.info('clearinghouseState');
    expect(state.marginSummary).to.deep.equal({
      accountValue: '9995.5',
      totalNtlPos: '10000.0',
      totalRawUsd: '-4.5',
      totalMarginUsed: '1000.0',
    });
    expect(state.crossMarginSummary).to.deep.equal(state.marginSummary);
    expect(state.crossMaintenanceMarginUsed).to.equal('200.0');
    expect(state.withdrawable).to.equal('8995.5');
    const { position } = state.assetPositions[0];
    expect(position).to.deep.include({ unrealizedPnl: '0.0', returnOnEquity: '0.0', liquidationPx: '0.9183673469' });
    expect(position.leverage).to.deep.equal({ type: 'cross', value: 10 });
    expect(await trader.leverage('ETH', 1)).to.match(/^Cross position does not have sufficient margin available/);
    expect(await trader.leverage('ETH', 2)).to.equal('ok');
    expect(await trader.leverage('ETH', 10)).to.equal('ok');

    await exchange.mark('ETH', '2100');
    const risen = await trader.info('clearinghouseState');
    expect(risen.marginSummary).to.deep.include({ accountValue: '10495.5', totalMarginUsed: '1050.0' });
    expect(risen.assetPositions[0].position).to.deep.include({
      unrealizedPnl: '500.0',
      returnOnEquity: '0.5',
      marginUsed: '1050.0',
    });
  });

  it('EX-5.2d: cross liquidation prices of two positions depend on each other', async () => {
    await market('BTC', { bid: '59999', ask: '60000' });
    await market('ETH', { bid: '3000', ask: '3001', mark: '3000' });
    expect(await trader.leverage('BTC', 40)).to.equal('ok');
    expect(await trader.leverage('ETH', 25)).to.equal('ok');
    await trader.place({ coin: 'BTC', px: '60000', sz: '1', tif: 'Ioc' });
    await trader.place({ coin: 'ETH', buy: false, px: '3000', sz: '20', tif: 'Ioc' });
    // Fees 27 + 27; 9946 - 750 - 1200 = 7996 available: 60000 - 7996/0.9875, 3000 + 7996/20/1.02.
    expect((await trader.position('BTC')).liquidationPx).to.equal('51902.7848101266');
    expect((await trader.position('ETH')).liquidationPx).to.equal('3391.9607843137');
    // 10 % of 60000 twice is more than the balance.
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('0.0');
  });

  it('EX-4.7c, edge 62: withdrawable with mixed leverage, ten times the example', async () => {
    await market('BTC', { bid: '49999', ask: '50000' });
    await market('SOL', { bid: '99.9', ask: '100' });
    await trader.leverage('BTC', 20);
    await trader.leverage('SOL', 5);
    await trader.place({ coin: 'BTC', px: '50000', sz: '0.2', tif: 'Ioc' });
    await trader.place({ coin: 'SOL', px: '100', sz: '60', tif: 'Ioc' });
    // 10000 - 4.5 - 2.7 - max(500, 1000) - max(1200, 600)
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('7792.8');
  });

  it('EX-4.6b, edge 53: the fee of a market order counts, a resting order may take all; a hundred times the example', async () => {
    await exchange.book('SOL', { bids: [['99.9', '5000']], asks: [['100', '5000']], mark: '100' });
    await trader.leverage('SOL', 10);
    const refused = 'Insufficient margin to place order. asset=5';
    expect(await trader.place({ coin: 'SOL', px: '101', sz: '1000', tif: 'Ioc' })).to.deep.equal([refused]);
    expect(await trader.fills()).to.deep.equal([]);
    const other = await exchange.trader();
    await other.leverage('SOL', 10);
    expect(await other.place({ coin: 'SOL', px: '101', sz: '995', tif: 'Ioc' })).to.deep.equal(['filled 995.0 @ 100.0']);
    // 10000 - 44.775 - 9950
    expect((await other.info('activeAssetData', { coin: 'SOL' })).availableToTrade[0]).to.equal('5.225');
    await other.expectConsistent();

    await exchange.book('SOL', { bids: [['99.9', '5000']], asks: [['100.1', '5000']], mark: '100' });
    expect(await trader.place({ coin: 'SOL', px: '100', sz: '1000' })).to.deep.equal(['resting']);
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('0.0');
    expect(await trader.place({ coin: 'SOL', px: '99', sz: '0.11' })).to.deep.equal([refused]);
    expect(await trader.statuses()).to.deep.equal(['perpMarginRejected', 'open', 'perpMarginRejected']);
  });

  it('EX-4.6: a resting order holds at its own price; an order that executes is charged at its fills', async () => {
    await exchange.book('BTC', { bids: [['64227', '10']], asks: [['64228', '10']], mark: '64227' });
    await trader.leverage('BTC', 2);
    await trader.place({ coin: 'BTC', px: '60000', sz: '0.05' });
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('8500.0');
    // 0.35 at 67438: 11801.65 of margin at 2x, resting; 8500 are free. The same sold at 64227 needs 11239.725 and fails too.
    const insufficient = ['Insufficient margin to place order. asset=0'];
    expect(await trader.place({ coin: 'BTC', buy: false, px: '67438', sz: '0.35' })).to.deep.equal(insufficient);
    // Sells 0.29: larger side 0.29 * 67438 / 2 = 9778.51, resting; 0.30: 10115.7.
    expect(await trader.place({ coin: 'BTC', buy: false, px: '67438', sz: '0.3' })).to.deep.equal(insufficient);
    expect(await trader.place({ coin: 'BTC', buy: false, px: '67438', sz: '0.29' })).to.deep.equal(['resting']);
    expect((await trader.info('clearinghouseState')).withdrawable).to.equal('221.49');
  });

  it('EX-4.6c, edge 55, edge 56: holds beside a position', async () => {
    await market('SOL', { bid: '94.9', ask: '95' });
    await market('AVAX', { bid: '9.9', ask: '10' });
    await trader.leverage('SOL', 5);
    await trader.leverage('AVAX', 5, 'isolated');
    await trader.place({ coin: 'SOL', px: '95', sz: '1', tif: 'Ioc' });
    // Fee 0.04275, margin 95/5 = 19.
    const free = async () => (await trader.info('clearinghouseState')).withdrawable;
    expect(await free()).to.equal('9980.95725');
    const sell = await trader.rest({ coin: 'SOL', buy: false, px: '100', sz: '1' });
    expect(await free()).to.equal('9980.95725');
    await trader.rest({ coin: 'SOL', buy: false, px: '100', sz: '1' });
    expect(await free()).to.equal('9960.95725');
    await trader.rest({ coin: 'SOL', buy: false, px: '100', sz: '1' });
    await trader.rest({ coin: 'SOL', px: '90', sz: '1' });
    expect(await free()).to.equal('9940.95725');
    expect(await trader.cancel(['SOL', sell])).to.deep.equal(['success']);
    expect(await free()).to.equal('9960.95725');
    await trader.rest({ coin: 'AVAX', px: '8', sz: '10' });
    expect(await free()).to.equal('9944.95725');
  });

  it('EX-4.8: sizes and money that a coin can still take', async () => {
    await market('HYPE', { bid: '94.016', ask: '94.018', mark: '94.017' });
    await trader.leverage('HYPE', 10);
    expect(await trader.info('activeAssetData', { coin: 'HYPE' })).to.deep.include({
      leverage: { type: 'cross', value: 10 },
      // 100000 / 94.017 = 1063.6374...
      maxTradeSzs: ['1063.63', '1063.63'],
      availableToTrade: ['10000.0', '10000.0'],
      markPx: '94.017',
    });
    await trader.place({ coin: 'HYPE', buy: false, px: '94', sz: '3', tif: 'Ioc' });
    // Sold at 94.016: fee 282.048 * 0.00045 = 0.126921; cash 10281.921079, value 9999.870079, used 28.2051, free 9971.664979.
    expect(await trader.info('activeAssetData', { coin: 'HYPE' })).to.deep.include({
      maxTradeSzs: ['1066.62', '1060.62'],
      // + 6 * 94.017 / 10
      availableToTrade: ['10028.075179', '9971.664979'],
    });
  });

  it('EX-4.10: entry price, profit and the flip', async () => {
    const at = async (px: string, side: 'B' | 'A', sz: string) => {
      await exchange.book('SOL', { bids: [[px, '500']], asks: [[String(Number(px) + 0.1), '500']], mark: px });
      if (side === 'B') await exchange.book('SOL', { bids: [[String(Number(px) - 0.1), '500']], asks: [[px, '500']] });
      return trader.place({ coin: 'SOL', buy: side === 'B', px, sz, tif: 'Ioc' });
    };
    await at('100', 'B', '2');
    await at('110', 'B', '1');
    expect((await trader.position('SOL')).entryPx).to.equal('103.3333');
    await at('120', 'A', '1');
    expect((await trader.position('SOL')).entryPx).to.equal('103.3333');
    await at('90', 'A', '3');
    expect(await trader.position('SOL')).to.deep.include({ szi: '-1.0', entryPx: '90.0' });
    const fills = (await trader.info('userFills')).reverse();
    const row = ({ startPosition, dir, closedPnl, fee, crossed }: Record<string, unknown>) =>
      [startPosition, dir, closedPnl, fee, crossed].join(' ');
    expect(fills.map(row)).to.deep.equal([
      '0.0 Open Long 0.0 0.09 true',
      '2.0 Open Long 0.0 0.0495 true',
      '3.0 Close Long 16.6667 0.054 true',
      '2.0 Long > Short -26.6666 0.1215 true',
    ]);
    // 10000 - 200 - 110 + 120 + 270 - fees 0.315; short 1 at the mark 90.
    expect((await trader.info('clearinghouseState')).marginSummary).to.deep.include({
      totalRawUsd: '10079.685',
      accountValue: '9989.685',
    });
    expect((await trader.info('userFees')).dailyUserVlm.at(-1)).to.deep.include({ userCross: '700.0', userAdd: '0.0' });
    expect(await trader.info('userRateLimit')).to.deep.include({ cumVlm: '700.0', nRequestsCap: 10_700 });
  });

  it('EX-7.2b: a flip is one fill', async () => {
    await exchange.book('SOL', { bids: [['99.9', '50']], asks: [['100', '50']], mark: '100' });
    await trader.place({ coin: 'SOL', px: '100', sz: '2', tif: 'Ioc' });
    await exchange.book('SOL', { bids: [['110', '50']], asks: [['110.1', '50']], mark: '110' });
    await trader.place({ coin: 'SOL', buy: false, px: '110', sz: '3', tif: 'Ioc' });
    const [flip, ...others] = await trader.info('userFills');
    expect(others).to.have.length(1);
    expect(flip).to.deep.include({ dir: 'Long > Short', closedPnl: '20.0', fee: '0.1485', startPosition: '2.0', sz: '3.0' });
    expect(await trader.position('SOL')).to.deep.include({ szi: '-1.0', entryPx: '110.0', unrealizedPnl: '0.0' });
  });

  it('EX-4.4, edge 63: a position grows into a tier only at a leverage that the tier allows', async () => {
    await exchange.book('INJ', { bids: [['9.99', '100000']], asks: [['10', '100000']], mark: '10' });
    await trader.leverage('INJ', 10);
    expect(await trader.place({ coin: 'INJ', px: '10', sz: '9900', tif: 'Ioc' })).to.deep.equal(['filled 9900.0 @ 10.0']);
    await exchange.book('INJ', { bids: [['299.9', '100000']], asks: [['300', '100000']], mark: '300' });
    // 2.97M and 30,000: exactly 3M still lies in the lower tier.
    const refused = 'Order would cause position to exceed margin tier limit at current leverage';
    expect(await trader.place({ coin: 'INJ', px: '300', sz: '100.1', tif: 'Ioc' })).to.deep.equal([refused]);
    expect(await trader.place({ coin: 'INJ', px: '300', sz: '100', tif: 'Ioc' })).to.deep.equal(['filled 100.0 @ 300.0']);
    expect(await trader.leverage('INJ', 5)).to.equal('ok');
    expect(await trader.place({ coin: 'INJ', px: '300', sz: '100', tif: 'Ioc' })).to.deep.equal(['filled 100.0 @ 300.0']);
    expect(await trader.leverage('INJ', 10)).to.not.equal('ok');
    // ntl 3.03M: 5x, MM 303000 - 150000.
    expect((await trader.info('clearinghouseState')).crossMaintenanceMarginUsed).to.equal('153000.0');
  });

  it('edge 54: below the initial margin reducing is accepted, opening refused; edge 64: marginCanceled', async () => {
    await market('SOL', { bid: '99.9', ask: '100' });
    await trader.leverage('SOL', 20);
    await trader.leverage('AVAX', 10);
    await trader.place({ coin: 'SOL', px: '100', sz: '1000', tif: 'Ioc' });
    await market('AVAX', { bid: '9.9', ask: '10.1', mark: '10' });
    const resting = await trader.rest({ coin: 'AVAX', px: '9.8', sz: '1000' });
    // Value 10000 - 45 - 6000 = 3955; 4700 of initial margin, 2350 of maintenance margin.
    await market('SOL', { bid: '94', ask: '94.1', mark: '94' });
    expect(await trader.place({ coin: 'SOL', px: '94.1', sz: '1', tif: 'Ioc' })).to.deep.equal([
      'Insufficient margin to place order. asset=5',
    ]);
    await exchange.trades('AVAX', ['A', '9.7', '500']);
    expect(await trader.status(resting)).to.equal('marginCanceled 1000.0/1000.0');
    expect(await trader.place({ coin: 'SOL', buy: false, px: '94', sz: '1', tif: 'Ioc' })).to.deep.equal(['filled 1.0 @ 94.0']);
    expect(await trader.place({ coin: 'SOL', buy: false, px: '95', sz: '1' })).to.deep.equal(['resting']);
    expect((await trader.position('SOL')).szi).to.equal('999.0');
  });

  it('edge 61: cross or isolated cannot change with a position, however small, and can with resting orders', async () => {
    await market('SOL', { bid: '99.9', ask: '100' });
    await trader.place({ coin: 'SOL', px: '90', sz: '1' });
    expect(await trader.leverage('SOL', 5, 'isolated')).to.equal('ok');
    expect(await trader.leverage('SOL', 5)).to.equal('ok');
    await trader.place({ coin: 'SOL', px: '100', sz: '0.11', tif: 'Ioc' });
    expect(await trader.leverage('SOL', 5, 'isolated')).to.equal('Cannot switch leverage type with open position.');
    await exchange.mark('SOL', '1');
    expect(await trader.leverage('SOL', 5, 'isolated')).to.equal('Cannot switch leverage type with open position.');
    expect(await trader.leverage('SOL', 7)).to.equal('ok');
    const { universe } = await trader.info('meta');
    const only = universe.find(({ onlyIsolated, isDelisted }: Record<string, unknown>) => onlyIsolated && !isDelisted);
    if (only) expect(await trader.leverage(only.name, 1)).to.equal('Cross margin is not allowed for this asset.');
  });

  it('edge 78, edge 80: tiny fees are cut one by one; a break-even close shows 0.0', async () => {
    await exchange.book('BTC', { bids: [['65239', '5']], asks: [['65240', '5']], mark: '65239' });
    await trader.rest({ coin: 'BTC', px: '65238', sz: '0.002' });
    await exchange.trades('BTC', ['A', '65237', '0.002']);
    expect((await trader.info('userFills'))[0]).to.deep.include({ px: '65238.0', fee: '0.019571' });
    await exchange.book('BTC', { bids: [['65238', '5']], asks: [['65239', '5']], mark: '65238' });
    await trader.place({ coin: 'BTC', buy: false, px: '65238', sz: '0.002', tif: 'Ioc' });
    // 130.476 * 0.00045 = 0.0587142
    expect((await trader.info('userFills'))[0]).to.deep.include({ closedPnl: '0.0', fee: '0.058714', dir: 'Close Long' });
    expect((await trader.info('clearinghouseState')).marginSummary.accountValue).to.equal('9999.921715');
  });
});
