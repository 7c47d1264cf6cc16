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
    help: 'Round trips that ended: a position from flat to flat. A fill that flips ends one and begins the next.',
  },
  { name: 'wins', title: 'Wins', kind: 'count', help: 'Trades that brought more than 0, net of fees and funding.' },
  { name: 'losses', title: 'Losses', kind: 'count', help: 'Trades that brought less than 0, net of fees and funding.' },
  { name: 'win_rate', title: 'Win rate', kind: 'share', help: 'Wins divided by trades.' },
  {
    name: 'profit_factor',
    title: 'Profit factor',
    kind: 'ratio',
    help: 'Sum of wins divided by the sum of losses, without its sign; net of fees and funding.',
  },
  { name: 'average_win', title: 'Average win', kind: 'gain', help: 'Mean net result of the wins.' },
  { name: 'average_loss', title: 'Average loss', kind: 'gain', help: 'Mean net result of the losses; negative.' },
  { name: 'expectancy', title: 'Expectancy', kind: 'gain', help: 'Mean net result of a trade.' },
  { name: 'largest_win', title: 'Largest win', kind: 'gain', help: 'Highest net result of a trade.' },
  { name: 'largest_loss', title: 'Largest loss', kind: 'gain', help: 'Lowest net result of a trade; negative.' },
  { name: 'average_hold', title: 'Average hold', kind: 'seconds', help: 'Mean time from the first fill of a trade to its last.' },
  {
    name: 'fill_trades',
    title: 'Closing fills',
    kind: 'count',
    help: 'Fills that close a position or a part of it. A fill that flips is one; a fill that only opens is none.',
  },
  { name: 'fill_wins', title: 'Closing fills that won', kind: 'count', help: 'Their PnL is above 0, before fees.' },
  { name: 'fill_losses', title: 'Closing fills that lost', kind: 'count', help: 'Their PnL is below 0, before fees.' },
  {
    name: 'fill_win_rate',
    title: 'Win rate of closing fills',
    kind: 'share',
    help: 'Those that won divided by all, before fees.',
  },
  {
    name: 'fill_profit_factor',
    title: 'Profit factor of closing fills',
    kind: 'ratio',
    help: 'What they won divided by what they lost, before fees.',
  },
  { name: 'fill_average_win', title: 'Average win of a closing fill', kind: 'gain', help: 'Mean PnL of those that won.' },
  { name: 'fill_average_loss', title: 'Average loss of a closing fill', kind: 'gain', help: 'Mean PnL of those that lost.' },
  { name: 'fill_expectancy', title: 'Expectancy of a closing fill', kind: 'gain', help: 'Gross PnL divided by closing fills.' },
  { name: 'fill_largest_win', title: 'Largest win of a closing fill', kind: 'gain', help: 'Highest PnL of one.' },
  { name: 'fill_largest_loss', title: 'Largest loss of a closing fill', kind: 'gain', help: 'Lowest PnL of one; negative.' },
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
