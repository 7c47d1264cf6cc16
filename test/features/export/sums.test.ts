// Sums of exported rows against numbers worked out by hand: fees, funding, transfers, a liquidation that the book takes in part and
// the house the rest.
import { expect } from 'chai';
import { rowsOf } from '../../../src/actors/core/history/rowsOfEvents.ts';
import { balanceOf } from '../../../src/actors/core/margin/margin.ts';
import { writeEntry } from '../../../src/actors/core/messages/entry.ts';
import type { AccountHistory } from '../../../src/api/accounts/services.ts';
import { ROW_KINDS, type RowKind } from '../../../src/features/export/exportedRows.ts';
import { exportRows, type RowFormat } from '../../../src/features/export/rowExport.ts';
import { hourOf } from '../../../src/market/domain/fundingRecords.ts';
import { verifyLines } from '../../../src/operators/archive/verifyJournal.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { HOUR_MS } from '../../../src/shared/domain/units.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { journalLines } from '../../support/journalFiles.ts';
import { book, deposit, leverage, mark, place, Scenario, type Step } from '../../support/scenario.ts';

const [BTC, ETH] = [0, 1];
const OTHER = `0x${'bb'.repeat(20)}`;
const CLOID = `0x${'e'.repeat(32)}`;

/** BTC at 60,000 and ETH at 3,000. */
function life(): Scenario {
  const market = new FixtureMarket([
    { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, mark: '60000', bids: [['59999', '20']], asks: [['60000', '20']] },
    { coin: 'ETH', sizeDecimals: 4, maxLeverage: 25, mark: '3000', bids: [['2999.9', '100']], asks: [['3000', '100']] },
  ]);
  const hourMs = hourOf(market.nowMs) + HOUR_MS;
  const order = (asset: number, side: 'buy' | 'sell', limitPrice: string, size: string): Step =>
    place({ asset, side, limitPrice, size, tif: 'ioc', ...(side === 'sell' && { cloid: CLOID }) });
  return new Scenario(market).given(
    deposit('10000'),
    { type: 'receiveTransfer', from: OTHER, number: 1, after: 0, usd: '500' },
    { type: 'sendTransfer', to: OTHER, usd: '200' },
    order(ETH, 'buy', '3000', '2'),
    (at) => {
      at.nowMs = hourMs + 1000;
      at.setPrices('BTC', { mark: '60000' });
      return at.setPrices('ETH', { mark: '3000' });
    },
    { type: 'settleFunding', throughMs: hourMs, hours: [{ hourMs, coins: { ETH: ['0.0000125', '3000'] } }] },
    book('ETH', [['2999.9', '100']], [['3000', '100']]),
    order(ETH, 'sell', '2999.9', '2'),
    book('BTC', [['59999', '20']], [['60000', '20']]),
    leverage(BTC, 20, 'isolated'),
    order(BTC, 'buy', '60000', '1'),
    { type: 'updateIsolatedMargin', asset: BTC, usd: '27' },
    book('BTC', [['57399', '0.4'], ['57025', '5']], []), // biome-ignore format: one line reads as a book
    mark('BTC', '57400'),
  );
}

describe('exported rows come to what was worked out by hand', () => {
  const scenario = life();
  const all = scenario.entries.flatMap(rowsOf);
  const history = {
    page: async (_past: unknown, kind: string, { before, limit }: { before?: number; limit: number }) => {
      const rows = all.filter((row) => row.kind === kind);
      const read = rows.filter(({ number }) => number < (before ?? rows.length)).slice(-limit);
      return { rows: read.toReversed(), next: null, total: rows.length, first: 0 };
    },
  } as unknown as AccountHistory;

  async function exported(kind: RowKind, format: RowFormat): Promise<Record<string, string>[]> {
    const { pieces, end } = await exportRows(history, new ExchangeInMemory().call, { kind, format, from: undefined });
    let text = '';
    for await (const piece of pieces) text += piece;
    const lines = text.split(/\r?\n/).slice(0, -1);
    if (format === 'csv') {
      const [names = [], ...records] = lines.map((line) => line.split(','));
      expect(end()).to.match(new RegExp(`^end,complete,${records.length},`));
      return records.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
    }
    const objects: Record<string, unknown>[] = lines.slice(1).map((line) => JSON.parse(line));
    expect(JSON.parse(end()).end).to.include({ complete: true, rows: objects.length });
    return objects.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])));
  }
  const sum = (rows: readonly Record<string, string>[], name: string): string =>
    rows.reduce((total, row) => total.plus(row[name] === '' ? 0 : (row[name] ?? 0)), new Decimal(0)).toFixed();

  it('to the balance, by fees, exact PnL, funding and ledger', async () => {
    const [fills, funding, ledger, equity] = await Promise.all(
      (['fills', 'funding', 'ledger', 'equity'] as const).map((kind) => exported(kind, 'jsonl')),
    );
    expect(
      fills?.map(({ direction, size, price, fee, closed_pnl, liquidation }) => [
        direction,
        size,
        price,
        fee,
        closed_pnl,
        liquidation,
      ]),
    ).to.deep.equal([
      ['Open Long', '2', '3000', '2.7', '0', ''],
      // 0.1 less for each of 2; 0.045 % of 5,999.8.
      ['Close Long', '2', '2999.9', '2.69991', '-0.2', ''],
      ['Open Long', '1', '60000', '27', '0', ''],
      // 0.4 x -2,601 and 0.045 % of 22,959.6; then 34,210.73182 for 0.6 that have cost 36,000.
      ['Close Long', '0.4', '57399', '10.33182', '-1040.4', 'market'],
      // At 57,017.8863666667 each, shown on the tick.
      ['Liquidated Isolated Long', '0.6', '57018', '0', '-1789.2', 'backstop'],
    ]);
    // 2 x 3,000 x 0.0000125.
    expect(funding?.map(({ coin, usd, position, rate, hours }) => [coin, usd, position, rate, hours])).to.deep.equal([
      ['ETH', '-0.075', '2', '0.0000125', '1'],
    ]);
    expect(ledger?.map(({ type, usd, with: other }) => [type, usd, other])).to.deep.equal([
      ['deposit', '10000', ''],
      ['transfer', '500', OTHER],
      ['transfer', '-200', OTHER],
      ['liquidation', '', ''],
    ]);
    const sums = [sum(ledger ?? [], 'usd'), sum(fills ?? [], 'exact_pnl'), sum(fills ?? [], 'fee'), sum(funding ?? [], 'usd')];
    expect(sums).to.deep.equal(['10300', '-2829.86818', '42.73173', '-0.075']);
    // 10,300 - 2,829.86818 - 42.73173 - 0.075
    const balance = '7427.32509';
    expect(balanceOf(scenario.account).toFixed()).to.equal(balance);
    expect(equity?.at(-1)).to.include({ balance, account_value: balance, net_deposits: '10300.0', open_positions: '0' });
    const lines = journalLines(scenario.entries.map((entry) => writeEntry(entry, NEWEST_FORMAT)));
    expect(await verifyLines([Buffer.from(lines.join(''))])).to.include({
      balance_usd: balance,
      entries: scenario.entries.length,
    });
  });

  it('of each kind CSV has the same values', async () => {
    for (const kind of ROW_KINDS) {
      const csv = await exported(kind, 'csv');
      expect(csv, kind).to.have.lengthOf.above(0);
      expect(csv, kind).to.deep.equal(await exported(kind, 'jsonl'));
    }
  });

  it('orders: what was filled of each at its last change', async () => {
    const last = new Map((await exported('orders', 'jsonl')).map((row) => [row['oid'], row]));
    expect(
      [...last.values()].map(({ coin, status, size, filled_size, filled_usd, cloid }) => [
        coin,
        status,
        size,
        filled_size,
        filled_usd,
        cloid,
      ]),
    ).to.deep.equal([
      ['ETH', 'filled', '2', '2', '6000', ''],
      ['ETH', 'filled', '2', '2', '5999.8', CLOID],
      ['BTC', 'filled', '1', '1', '60000', ''],
      ['BTC', 'canceled', '1', '0.4', '22959.6', ''],
    ]);
  });
});
