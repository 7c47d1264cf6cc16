// The tables of a tearsheet. Readers see rounded values, and programs find the exact text beside (`<data value>`).
import { escaped } from '../../api/http/pages.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import type { TearsheetAnswer } from './figures.ts';

type Figures = TearsheetAnswer['figures'];
type TradeFigure = keyof Figures['long'];
type EquityFigure = 'max_drawdown' | 'sharpe_ratio' | 'sortino_ratio' | 'exposure_time' | 'exposure_share';

const EQUITY: Readonly<Record<EquityFigure, readonly [title: string, kind: Kind]>> = {
  max_drawdown: ['Largest drawdown', 'share'],
  sharpe_ratio: ['Sharpe ratio', 'ratio'],
  sortino_ratio: ['Sortino ratio', 'ratio'],
  exposure_time: ['Time with a position', 'seconds'],
  exposure_share: ['Share of the period', 'share'],
};

const TRADES: Readonly<Record<TradeFigure, readonly [title: string, kind: Kind]>> = {
  net_pnl: ['Net PnL', 'gain'],
  gross_pnl: ['Gross PnL', 'gain'],
  fees: ['Fees', 'cost'],
  funding: ['Funding', 'gain'],
  volume: ['Volume', 'cost'],
  fills: ['Fills', 'count'],
  trades: ['Trades', 'count'],
  wins: ['Wins', 'count'],
  losses: ['Losses', 'count'],
  win_rate: ['Win rate', 'share'],
  profit_factor: ['Profit factor', 'ratio'],
  average_win: ['Average win', 'gain'],
  average_loss: ['Average loss', 'gain'],
  expectancy: ['Expectancy', 'gain'],
  largest_win: ['Largest win', 'gain'],
  largest_loss: ['Largest loss', 'gain'],
  average_hold: ['Average hold', 'seconds'],
  fill_trades: ['Closing fills', 'count'],
  fill_wins: ['Closing fills that won', 'count'],
  fill_losses: ['Closing fills that lost', 'count'],
  fill_win_rate: ['Win rate of closing fills', 'share'],
  fill_profit_factor: ['Profit factor of closing fills', 'ratio'],
  fill_average_win: ['Average win of a closing fill', 'gain'],
  fill_average_loss: ['Average loss of a closing fill', 'gain'],
  fill_expectancy: ['Expectancy of a closing fill', 'gain'],
  fill_largest_win: ['Largest win of a closing fill', 'gain'],
  fill_largest_loss: ['Largest loss of a closing fill', 'gain'],
  maker_share: ['Maker share', 'share'],
  slippage: ['Slippage', 'cost'],
  slippage_bps: ['Slippage, bps', 'ratio'],
};

const entries = <Name extends string>(of: Readonly<Record<Name, readonly [string, Kind]>>) =>
  Object.entries(of) as [Name, readonly [string, Kind]][];

export const equityTable = (figures: Figures): string =>
  table(
    'Risk and return',
    [],
    entries(EQUITY).map(([name, [title, kind]]) => row(title, [cell(kind, figures[name])])),
  );

export const tradeTable = (figures: Figures): string =>
  table(
    'Statistics of trades',
    ['Figure', 'All', 'Long', 'Short'],
    entries(TRADES).map(([name, [title, kind]]) =>
      row(
        title,
        [figures, figures.long, figures.short].map((of) => cell(kind, of[name])),
      ),
    ),
  );

const OF_COIN = ['net_pnl', 'volume', 'trades', 'win_rate', 'profit_factor', 'fees', 'funding'] as const;

export const coinTable = ({ by_coin: coins }: Figures): string =>
  coins.length === 0
    ? '<p>No fill in the period.</p>'
    : table(
        'Results by coin',
        ['Coin', ...OF_COIN.map((name) => TRADES[name][0])],
        coins.map((coin) =>
          row(
            coin.coin,
            OF_COIN.map((name) => cell(TRADES[name][1], coin[name])),
          ),
        ),
      );

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A row for each year: its months, and the year as far as its months are here. */
export function monthTable(months: TearsheetAnswer['months']): string {
  const years = new Map<string, Map<number, string>>();
  for (const { month, return: share } of months) {
    const [year = '', number] = month.split('-');
    years.set(year, (years.get(year) ?? new Map()).set(Number(number), share));
  }
  const rows = [...years].map(([year, of]) => {
    const shares = MONTHS.map((_, i) => cell('return', of.get(i + 1) ?? null));
    return row(year, [...shares, cell('return', chained([...of.values()]))]);
  });
  return table('Return of each month', ['Year', ...MONTHS, 'Year'], rows);
}

/** Returns one after the other, to six decimals. */
const chained = (shares: readonly string[]): string =>
  shares
    .reduce((product, share) => product.times(new Decimal(share).plus(1)), new Decimal(1))
    .minus(1)
    .toDecimalPlaces(6)
    .toFixed();

export const drawdownTable = (falls: TearsheetAnswer['drawdowns']): string =>
  falls.length === 0
    ? '<p>Never below an earlier peak.</p>'
    : table(
        'Deepest drawdowns',
        ['Depth', 'Peak', 'Deepest', 'Recovered'],
        falls.map(
          ({ depth, peak, deepest, recovered }) =>
            `<tr>${cell('share', depth)}${timeCell(peak)}${timeCell(deepest)}${timeCell(recovered)}</tr>`,
        ),
      );

type ExcursionFigure = Exclude<keyof TearsheetAnswer['excursions'], 'trades'>;

const EXCURSIONS: Readonly<Record<ExcursionFigure, readonly [title: string, kind: Kind]>> = {
  average_mfe: ['Average best', 'gain'],
  average_mae: ['Average worst', 'gain'],
  average_mfe_share: ['Average best, of the entry', 'share'],
  average_mae_share: ['Average worst, of the entry', 'share'],
  largest_mfe: ['Largest best', 'gain'],
  largest_mae: ['Largest worst', 'gain'],
};

/** How far the results of the listed trades went on their way. */
export const excursionTable = (excursions: TearsheetAnswer['excursions'], trades: TearsheetAnswer['trades']): string =>
  excursions.trades === 0
    ? ''
    : table(
        `Excursions of ${excursions.trades} of the ${trades.length} newest trades`,
        [],
        entries(EXCURSIONS).map(([name, [title, kind]]) => row(title, [cell(kind, excursions[name])])),
      );

export const tradeList = (trades: TearsheetAnswer['trades']): string =>
  trades.length === 0
    ? '<p>No trade in the period.</p>'
    : table(
        'Newest trades',
        ['Opened, UTC', 'Closed, UTC', 'Coin', 'Side', 'Size', 'Entry', 'Exit', 'Fees', 'Funding', 'Best', 'Worst', 'Net PnL'],
        trades.map(({ opened, closed, coin, direction, whole, size, ...of }) =>
          [
            `<tr>${timeCell(opened)}${timeCell(closed)}${textCell(coin)}${textCell(whole ? direction : `${direction}, from before`)}`,
            `${cell('number', size)}${cell('number', of.entry_price)}${cell('number', of.exit_price)}`,
            `${cell('number', of.fees)}${cell('gain', of.funding)}${cell('gain', of.mfe)}${cell('gain', of.mae)}${cell('gain', of.net_pnl)}</tr>`,
          ].join(''),
        ),
      );

function table(caption: string, heads: readonly string[], rows: readonly string[]): string {
  const head =
    heads.length === 0 ? '' : `<thead><tr>${heads.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>`;
  return `<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>${head}<tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

const row = (name: string, cells: readonly string[]): string => `<tr><th scope="row">${escaped(name)}</th>${cells.join('')}</tr>`;

/** How a value is shown. `gain` has a sign, `cost` is money without one. */
type Kind = 'gain' | 'cost' | 'share' | 'return' | 'ratio' | 'count' | 'number' | 'seconds';

const NONE = '<td class="n">–</td>';

/** A cell of a table. @param value decimal text or a count; null = there is none */
function cell(kind: Kind, value: string | number | null): string {
  if (value === null) return NONE;
  const exact = String(value);
  const isLoss = (kind === 'gain' || kind === 'return') && exact.startsWith('-');
  return `<td class="n${isLoss ? ' loss' : ''}"><data value="${escaped(exact)}">${escaped(shown(kind, exact))}</data></td>`;
}

const textCell = (text: string): string => `<td>${escaped(text)}</td>`;

/** A moment to the second, UTC. @param iso ISO 8601 */
const timeCell = (iso: string | null): string =>
  iso === null ? '<td>–</td>' : `<td><time datetime="${escaped(iso)}">${escaped(iso.slice(0, 19).replace('T', ' '))}</time></td>`;

export function shown(kind: Kind, exact: string): string {
  switch (kind) {
    case 'gain':
      return signed(exact, fixed(exact, 2));
    case 'cost':
      return fixed(exact, 2);
    case 'share':
      return `${fixed(new Decimal(exact).times(100), 2)} %`;
    case 'return':
      return `${signed(exact, fixed(new Decimal(exact).times(100), 2))} %`;
    case 'ratio':
      return fixed(exact, 2);
    case 'count':
    case 'number':
      return exact.replace('-', '−');
    case 'seconds':
      return duration(Number(exact));
  }
}

/** Half up, with a comma at each thousand. */
function fixed(value: string | Decimal, decimals: number): string {
  const [whole = '', rest] = new Decimal(value).toDecimalPlaces(decimals, Decimal.ROUND_HALF_UP).toFixed(decimals).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${rest}`.replace('-', '−');
}

const signed = (exact: string, text: string): string => (Number(exact) > 0 ? `+${text}` : text);

function duration(seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  return `${days} d ${hours} h ${minutes} min`;
}
