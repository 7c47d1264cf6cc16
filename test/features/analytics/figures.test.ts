import { expect } from 'chai';
import { readTearsheet, TRADES_MAX } from '../../../src/features/analytics/figures.ts';
import { sheetOf } from '../../../src/features/analytics/sheet.ts';
import { exportRows } from '../../../src/features/export/rowExport.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

const DAY_MS = 86_400_000;
const COIN = 'SOL';

/** To six decimals, as answers have ratios. */
const rounded = (value: number): number => Number(value.toFixed(6));

describe('tearsheet: one reading of an account, worked out by hand', () => {
  let exchange: ExchangeInMemory;
  const { call } = new ExchangeInMemory();

  beforeEach(() => {
    exchange = new ExchangeInMemory();
    exchange.nowMs = Date.parse('2026-11-29T12:00:00Z');
    show('100');
    exchange.upstreamAnswers.set('candleSnapshot', []);
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
    expect([figures.gross_pnl, figures.fees, figures.net_pnl]).to.deep.equal(['32.0', '0.6507', '31.3493']);
    expect([trades, figures.trades, figures.fill_trades, figures.fill_win_rate], 'still open').to.deep.equal([[], 0, 1, '1.0']);
    // 6 at 109, fee 0.2943: the round trip is 10 at 101 for 10 at 109, less 0.4545, 0.1962 and 0.2943.
    exchange.nowMs += 1000;
    await trade(false, '6', '109');
    const closed = await read();
    expect(closed.trades).to.deep.equal([
      {
        ...{ coin: COIN, direction: 'long', opened: '2026-11-30T12:00:00.000Z', closed: '2026-12-01T12:00:01.000Z', whole: true },
        ...{ fills: 3, size: '10.0', entry_price: '101.0', exit_price: '109.0', pnl: '80.0', fees: '0.945', funding: '0.0' },
        ...{ net_pnl: '79.055', tid: closed.trades[0]?.tid, ended_by: 'Close Long' },
        ...{ mfe: null, mae: null, mfe_share: null, mae_share: null, resolution: null, excursion_missing: 'later' },
      },
    ]);
    expect(closed.figures).to.include({ trades: 1, wins: 1, win_rate: '1.0', expectancy: '79.055', average_hold: '86401.0' });
    expect(closed.figures).to.include({ net_pnl: '79.055', fill_trades: 2, fill_expectancy: '40.0', profit_factor: null });
    const html = sheetOf(closed);
    for (const cell of [
      '<data value="-0.001045">−0.10 %</data>',
      `<data value="${closed.months.at(-1)?.return}">`,
      '<data value="79.055">+79.06</data>',
      '<data value="109.0">109.0</data>',
    ])
      expect(html, cell).to.include(cell);
  });

  it('months, drawdowns, rolling Sharpe ratios and trades are what the exported rows come to, by the formulas of docs/analytics.md', async () => {
    // 45 days: 10 bought and 6 sold in turn, at prices that fall and rise.
    for (let day = 0; day < 45; day++) {
      exchange.nowMs += DAY_MS;
      const price = 100 + ((day * 7) % 13);
      show(String(price));
      await (day % 2 === 0 ? trade(true, '10', String(price + 1)) : trade(false, '6', String(price - 1)));
    }
    const { months, drawdowns, days, trades, figures } = await read();
    const points = await exported('equity');
    expect(points).to.have.lengthOf.at.least(45);
    const [opened, ...rest] = points.map((row) => ({
      ...{ day: row['time']?.slice(0, 10) ?? '', value: Number(row['account_value']), deposits: Number(row['net_deposits']) },
    }));
    if (opened === undefined) throw new Error('no point');
    const byDay = new Map<string, number>();
    let [index, peak, deepest, before] = [1, 1, 0, opened];
    for (const point of rest) {
      const growth = 1 + (point.value - before.value - (point.deposits - before.deposits)) / before.value;
      byDay.set(point.day, (byDay.get(point.day) ?? 1) * growth);
      index *= growth;
      peak = Math.max(peak, index);
      deepest = Math.max(deepest, 1 - index / peak);
      before = point;
    }
    const returns = days.map(({ day }) => (byDay.get(day) ?? 1) - 1);
    expect(days.map(({ return: share }) => Number(share))).to.deep.equal(returns.map(rounded));
    const sharpes = returns.map((_, at) => {
      const window = returns.slice(Math.max(0, at - 29), at + 1);
      if (window.length < 30) return null;
      const mean = window.reduce((sum, one) => sum + one, 0) / 30;
      const variance = window.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 29;
      return (mean / Math.sqrt(variance)) * Math.sqrt(365);
    });
    expect(sharpes.filter((sharpe) => sharpe !== null)).to.have.lengthOf.at.least(16);
    for (const [at, sharpe] of sharpes.entries()) {
      const told = days[at]?.rolling_sharpe;
      if (sharpe === null) expect(told).to.equal(null);
      else expect(Number(told)).to.be.closeTo(sharpe, 1.1e-6);
    }
    expect(deepest).to.be.above(0.001);
    expect(Number(figures.max_drawdown)).to.be.closeTo(deepest, 1.1e-6);
    expect(drawdowns[0]?.depth).to.equal(figures.max_drawdown);
    let valueBefore = opened.value;
    for (const { month, return: share, gain, equity } of months) {
      const growth = returns.filter((_, at) => days[at]?.day.startsWith(month)).reduce((all, one) => all * (1 + one), 1);
      expect(Number(share), month).to.be.closeTo(growth - 1, 1.1e-6);
      const end = rest.findLast(({ day }) => day.startsWith(month))?.value ?? valueBefore;
      expect([Number(gain), Number(equity)], month).to.deep.equal([rounded(end - valueBefore), end]);
      valueBefore = end;
    }
    expect(trades, 'bought more than sold: never flat').to.deep.equal([]);
    const closing = (await exported('fills')).filter(({ direction = '' }) => direction.startsWith('Close'));
    expect([closing.length, figures.fill_trades]).to.deep.equal([22, 22]);
    const html = sheetOf(await read());
    const told = [figures.max_drawdown, ...months.map((one) => one.return)];
    for (const value of told) expect(html, String(value)).to.include(`<data value="${value}">`);
  });

  /** Rows of an export, each value as text. */
  async function exported(kind: 'equity' | 'fills'): Promise<Record<string, string>[]> {
    const { pieces, end } = await exportRows(exchange.services.history, call, { kind, format: 'jsonl', from: undefined });
    let text = '';
    for await (const piece of pieces) text += piece;
    const lines = text.trimEnd().split('\n').slice(1);
    expect(JSON.parse(end()).end).to.include({ complete: true, rows: lines.length });
    return lines.map((line) => {
      const row: Record<string, unknown> = JSON.parse(line);
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
    });
  }

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
