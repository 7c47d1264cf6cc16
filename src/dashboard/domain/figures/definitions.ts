// The figures of `account/analytics`, in the order in which the page shows them, with what each means (docs/analytics.md).

/** How a figure is shown. `gain` has a sign and a colour; `cost` is money without one. */
export type FigureKind = 'gain' | 'cost' | 'share' | 'ratio' | 'count' | 'points' | 'seconds';

export interface FigureDefinition<Name extends string = string> {
  readonly name: Name;
  readonly title: string;
  readonly kind: FigureKind;
  readonly help: string;
}

/** Figures that are there for the account, each direction and each coin. */
export const TRADE_FIGURES = [
  {
    name: 'net_pnl',
    title: 'Net PnL',
    kind: 'gain',
    help: 'Gross PnL less fees, plus funding. Open positions are not in it.',
  },
  {
    name: 'gross_pnl',
    title: 'Gross PnL',
    kind: 'gain',
    help: 'Sum of the closed PnL of all fills: the result of closing, before fees.',
  },
  { name: 'fees', title: 'Fees', kind: 'cost', help: 'Fees of all fills.' },
  { name: 'funding', title: 'Funding', kind: 'gain', help: 'Funding received less funding paid.' },
  { name: 'volume', title: 'Volume', kind: 'cost', help: 'Price times size of all fills.' },
  { name: 'fills', title: 'Fills', kind: 'count', help: 'Number of fills, those of TWAP slices among them.' },
  {
    name: 'trades',
    title: 'Trades',
    kind: 'count',
    help: 'Fills that close a position or a part of it. A fill that flips is one trade; a fill that only opens is none.',
  },
  { name: 'wins', title: 'Wins', kind: 'count', help: 'Trades whose closed PnL is above 0. A trade at exactly 0 is neither.' },
  {
    name: 'losses',
    title: 'Losses',
    kind: 'count',
    help: 'Trades whose closed PnL is below 0. A trade at exactly 0 is neither.',
  },
  { name: 'win_rate', title: 'Win rate', kind: 'share', help: 'Wins divided by trades.' },
  {
    name: 'profit_factor',
    title: 'Profit factor',
    kind: 'ratio',
    help: 'Sum of wins divided by the sum of losses, without its sign.',
  },
  { name: 'average_win', title: 'Average win', kind: 'gain', help: 'Mean closed PnL of the wins.' },
  { name: 'average_loss', title: 'Average loss', kind: 'gain', help: 'Mean closed PnL of the losses; negative.' },
  { name: 'expectancy', title: 'Expectancy', kind: 'gain', help: 'Gross PnL divided by trades.' },
  { name: 'largest_win', title: 'Largest win', kind: 'gain', help: 'Highest closed PnL of a trade.' },
  { name: 'largest_loss', title: 'Largest loss', kind: 'gain', help: 'Lowest closed PnL of a trade; negative.' },
  { name: 'maker_share', title: 'Maker share', kind: 'share', help: 'Share of the volume that rested in the book.' },
  {
    name: 'slippage',
    title: 'Slippage',
    kind: 'cost',
    help: 'What taker fills cost beyond the middle of the best bid and ask at that moment. Negative = better than mid.',
  },
  {
    name: 'slippage_bps',
    title: 'Slippage, bps',
    kind: 'points',
    help: 'Slippage divided by the size of the taker fills at mid, in basis points.',
  },
] as const satisfies readonly FigureDefinition[];

/** Figures of the account alone. */
export const EQUITY_FIGURES = [
  {
    name: 'max_drawdown',
    title: 'Largest drawdown',
    kind: 'share',
    help: 'Largest fall of the equity from a peak, as a share of the peak. Deposits are no gain.',
  },
  {
    name: 'sharpe_ratio',
    title: 'Sharpe ratio',
    kind: 'ratio',
    help: 'Mean of daily returns divided by their standard deviation, times the root of 365; the risk-free rate is 0. Needs two days.',
  },
  {
    name: 'sortino_ratio',
    title: 'Sortino ratio',
    kind: 'ratio',
    help: 'The same, divided by the root mean square of the negative daily returns over all days.',
  },
  { name: 'exposure_time', title: 'Time with a position', kind: 'seconds', help: 'Time with a position open.' },
  {
    name: 'exposure_share',
    title: 'Share of the period',
    kind: 'share',
    help: 'Time with a position open, as a share of the period.',
  },
] as const satisfies readonly FigureDefinition[];
