import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  DAYS_MAX,
  MONTHS_MAX,
  readTearsheet,
  type TearsheetAnswer,
  TRADES_MAX,
} from '../../../src/features/analytics/figures.ts';
import { chart, SHEET_HEADERS, sheetOf } from '../../../src/features/analytics/sheet.ts';
import { shown } from '../../../src/features/analytics/sheetTables.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

/** 512 kB, as the contract says. */
const BYTES_MAX = 512 * 1024;
/** More than any venue lists. */
const COINS = 400;

describe('tearsheet: the file', () => {
  let sheet: TearsheetAnswer;
  before(async () => {
    const { services, call } = new ExchangeInMemory();
    sheet = await readTearsheet(services, call, 'all');
  });
  const trade: TearsheetAnswer['trades'][number] = {
    ...{ coin: 'BTC', direction: 'long', opened: '2026-11-20T12:00:00.000Z', closed: '2026-11-21T12:00:00.000Z', whole: true },
    ...{ fills: 2, size: '0.5', entry_price: '65000.0', exit_price: '64975.0', pnl: '-12.5', fees: '14.625', funding: '0.0' },
    ...{ net_pnl: '-27.125', tid: 1, ended_by: 'Close Long' },
    ...{ mfe: '40.0', mae: '-20.5', mfe_share: '0.001231', mae_share: '-0.000631', resolution: '1m', excursion_missing: null },
  };

  it('has no script, loads nothing, and forbids both to who opens it', () => {
    const html = sheetOf(sheet);
    expect(html).to.not.match(
      /<script|\son\w+=|javascript:|\ssrc=|href=|url\(|@import|<(?:img|link|iframe|object|embed|form|base)\b/i,
    );
    expect(html).to.not.match(/https?:/);
    const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = SHEET_HEADERS['Content-Security-Policy'];
    expect(policy).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
    );
    expect(SHEET_HEADERS).to.include({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
    expect(html).to.include(`content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;;`);
  });

  it('shows names as text, whatever they are', () => {
    const markup = `"><img src=x onerror=alert(1)>'&`;
    const html = sheetOf({
      ...sheet,
      name: markup,
      trades: [{ ...trade, coin: markup }],
      figures: { ...sheet.figures, by_coin: [{ ...sheet.figures.long, coin: markup }] },
    });
    expect(html).to.not.include('<img');
    const text = '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;';
    expect(html).to.include(`<h1>Tearsheet: <bdi>${text}</bdi></h1>`).and.include(`<title>Tearsheet of ${text}</title>`);
    expect(html.split(`<td>${text}</td>`)).to.have.length(2);
    expect(html).to.include(`<th scope="row">${text}</th>`);
  });

  it('is below its bound with as much as an answer can have', () => {
    const long = '-123456789012.123456';
    const days = Array.from({ length: DAYS_MAX }, (_, i) => ({
      day: new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10),
      ...{ return: '-0.123456', growth: '-0.123456', drawdown: '0.123456', rolling_sharpe: i % 2 === 0 ? '-12.123456' : null },
    }));
    const html = sheetOf({
      ...sheet,
      name: '&'.repeat(16),
      days,
      months: Array.from({ length: MONTHS_MAX }, (_, i) => ({
        month: `${2000 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
        ...{ return: '-0.123456', gain: long, equity: long },
      })),
      trades: Array.from({ length: TRADES_MAX }, () => ({
        ...trade,
        ...{
          coin: 'COIN-OF-16-CHARS',
          whole: false,
          ...{ size: long, entry_price: long, exit_price: long, fees: long, funding: long, net_pnl: long },
        },
      })),
      figures: {
        ...sheet.figures,
        by_coin: Array.from({ length: COINS }, (_, i) => ({
          ...sheet.figures.long,
          ...{ coin: `COIN-OF-16-C${i}`, net_pnl: long, volume: long, fees: long, funding: long },
        })),
      },
    });
    expect(Buffer.byteLength(html)).to.be.within(BYTES_MAX / 4, BYTES_MAX);
  });

  const months: TearsheetAnswer['months'] = [
    { month: '2025-12', return: '0.1', gain: '1000.0', equity: '11000.0' },
    { month: '2026-01', return: '-0.5', gain: '-5500.0', equity: '5500.0' },
    { month: '2026-03', return: '0.2', gain: '1100.0', equity: '6600.0' },
  ];
  it('has a row for each year, with its months chained: -50 % and +20 % are -40 %', () => {
    const table = /<table><caption>Return of each month[\s\S]*?<\/table>/.exec(sheetOf({ ...sheet, months }))?.[0] ?? '';
    const rows = table.split('<tr>').slice(2);
    expect(rows.map((row) => /scope="row">(\d+)</.exec(row)?.[1])).to.deep.equal(['2025', '2026']);
    const cells = (row = ''): string[] => [...row.matchAll(/<td[^>]*>(?:<data[^>]*>)?([^<]*)/g)].map(([, text = '']) => text);
    expect(cells(rows[0])).to.deep.equal([...Array(11).fill('–'), '+10.00 %', '+10.00 %']);
    expect(cells(rows[1])).to.deep.equal(['−50.00 %', '–', '+20.00 %', ...Array(9).fill('–'), '−40.00 %']);
  });

  it('writes values rounded half up, with a comma at each thousand', () => {
    const cases: [Parameters<typeof shown>, string][] = [
      [['gain', '1234567.125'], '+1,234,567.13'],
      [['gain', '-1234.5'], '−1,234.50'],
      [['gain', '0.0'], '0.00'],
      [['cost', '999.995'], '1,000.00'],
      [['share', '0.25'], '25.00 %'],
      [['return', '-0.123456'], '−12.35 %'],
      [['ratio', '18.783858'], '18.78'],
      [['number', '-0.00001'], '−0.00001'],
      [['seconds', '93784'], '1 d 2 h 3 min'],
    ];
    for (const [given, want] of cases) expect(shown(...given)).to.equal(want);
  });

  it('draws days where there is a value, and a gap where there is none', () => {
    const drawn = chart(
      [null, '1', '-1', null, '0.5'].map((value, i) => ({ day: `2026-11-0${i + 1}`, value })),
      { label: 'Ratio', kind: 'ratio', empty: 'none' },
    );
    // 720 wide and 160 high with 4 beside: 1 is at the top, -1 at the bottom, 0.5 a quarter of the way down.
    expect(drawn).to.include('d="M180.0 4.0L360.0 156.0"').and.include('d="M720.0 42.0h0"').and.include('d="M0 80.0H720"');
    expect(drawn).to.include(
      'aria-label="Ratio: from 1.00 on 2026-11-02 to 0.50 on 2026-11-05; lowest −1.00 on 2026-11-03, highest 1.00 on 2026-11-02."',
    );
    const words = { label: 'Ratio', kind: 'ratio', empty: 'too <few' } as const;
    expect(chart([{ day: '2026-11-01', value: null }], words)).to.equal('<p>too &lt;few</p>');
    expect(chart([{ day: '2026-11-01', value: '-0.5' }], words)).to.equal(
      '<p>Ratio: −0.50 on 2026-11-01. A line needs two days.</p>',
    );
  });
});
