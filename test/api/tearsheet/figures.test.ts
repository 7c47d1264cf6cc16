import { expect } from 'chai';
import { readTearsheet, TRADES_MAX } from '../../../src/api/tearsheet/figures.ts';
import { sheetOf } from '../../../src/api/tearsheet/sheet.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

const DAY_MS = 86_400_000;
const COIN = 'SOL';

describe('tearsheet: one reading of an account, worked out by hand', () => {
  let exchange: ExchangeInMemory;
  const { call } = new ExchangeInMemory();

  beforeEach(() => {
    exchange = new ExchangeInMemory();
    exchange.nowMs = Date.parse('2026-11-29T12:00:00Z');
    show('100');
  });

  const show = (price: string): void => {
    const mid = Number(price);
    exchange.setMarket(COIN, { mark: price, bids: [[String(mid - 1), '500']], asks: [[String(mid + 1), '500']] });
  };
  const trade = (isBuy: boolean, size: string, price: string): Promise<unknown> =>
    exchange.exchange({
      type: 'order',
      orders: [{ a: exchange.assetId(COIN), b: isBuy, p: price, s: size, r: false, t: { limit: { tif: 'Ioc' } } }],
      grouping: 'na',
    });
  const read = () => readTearsheet(exchange.services, call, 'all');

  it('an account without a trade has its days, a month and nothing else', async () => {
    const { figures, months, drawdowns, days, trades, name } = await read();
    expect([figures.trades, drawdowns, trades, name]).to.deep.equal([0, [], [], null]);
    expect([days.at(0)?.day, days.at(-1)?.day, days.length]).to.deep.equal(['2026-11-18', '2026-11-29', 12]);
    expect(months).to.deep.equal([{ month: '2026-11', return: '0', gain: '0.0', equity: '10000.0' }]);
    expect(new Set(days.map(({ return: share }) => share))).to.deep.equal(new Set(['0']));
  });

  it('a purchase on one day, a sale on the second, and a month that ends between', async () => {
    exchange.nowMs = Date.parse('2026-11-30T12:00:00Z');
    show('100');
    // 10 at 101, fee 0.4545, at a mark of 100: 10,000 - 0.4545 - 10 = 9,989.5455.
    await trade(true, '10', '101');
    exchange.nowMs += DAY_MS;
    show('110');
    // 4 at 109, fee 0.1962: 32 gained, 6 left with 54 unrealized: 10,085.3493.
    await trade(false, '4', '109');
    const { figures, months, drawdowns, days, trades, account } = await read();
    expect(account).to.equal(call.caller.accountId);
    const [november, december] = months.slice(-2);
    // -10.4545 / 10,000 and 95.8038 / 9,989.5455.
    expect(november).to.deep.equal({ month: '2026-11', return: '-0.001045', gain: '-10.4545', equity: '9989.5455' });
    expect(december).to.deep.equal({ month: '2026-12', return: '0.00959', gain: '95.8038', equity: '10085.3493' });
    expect(days.slice(-2)).to.deep.equal([
      { day: '2026-11-30', return: '-0.001045', growth: '-0.001045', drawdown: '0.001045', rolling_sharpe: null },
      { day: '2026-12-01', return: '0.00959', growth: '0.008535', drawdown: '0', rolling_sharpe: null },
    ]);
    expect(drawdowns.map(({ depth, recovered }) => [depth, recovered])).to.deep.equal([['0.001045', '2026-12-01T12:00:00.000Z']]);
    expect(figures.max_drawdown).to.equal('0.001045');
    expect(trades.map(({ direction, size, price, closed_pnl, fee }) => [direction, size, price, closed_pnl, fee])).to.deep.equal([
      ['Close Long', '4.0', '109.0', '32.0', '0.1962'],
    ]);
    expect([figures.gross_pnl, figures.fees, figures.net_pnl]).to.deep.equal(['32.0', '0.6507', '31.3493']);
    const html = sheetOf(await read());
    for (const cell of [
      '<data value="-0.001045">−0.10 %</data>',
      '<data value="0.00959">+0.96 %</data>',
      '<data value="32.0">+32.00</data>',
      '<data value="31.3493">+31.35</data>',
      '<data value="109.0">109.0</data>',
    ])
      expect(html, cell).to.include(cell);
  });

  it('lists the newest trades, of TWAP slices too, and says of how many', async () => {
    for (let i = 0; i <= TRADES_MAX; i++) {
      exchange.nowMs += 1000;
      show('100');
      await trade(true, '1', '101');
      await trade(false, '1', '99');
    }
    const slice = exchange.rows.findLast(({ kind }) => kind === 'fills');
    if (slice?.kind === 'fills') Object.assign(slice, { kind: 'twapFills', row: { ...slice.row, twapId: 7 } });
    const { trades, figures } = await read();
    expect([trades.length, figures.trades]).to.deep.equal([TRADES_MAX, TRADES_MAX + 1]);
    const tids = trades.map(({ tid }) => tid);
    expect(tids).to.deep.equal(tids.toSorted((a, b) => b - a));
    expect(tids[0]).to.equal(slice?.kind === 'twapFills' && slice.row.tid);
  });
});
