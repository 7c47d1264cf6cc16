// The equity curve of an account, from its rows and the present alone (trading-rules 4.11). Cash is exact at every
// time, because each fill, payment and deposit is known. A position is valued at the last price at which the account
// traded its coin; only the present knows marks.
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { FillRow, FundingRow, LedgerRow } from '../messages/historyRows.ts';

/** Rows of an account, oldest first, none missing between the oldest and now. */
export interface EquityRows {
  readonly fills: readonly FillRow[];
  readonly funding: readonly FundingRow[];
  readonly ledger: readonly LedgerRow[];
}

export interface EquityNow {
  readonly timeMs: number;
  /** Cash and isolated margins, USD (`totalRawUsd`). */
  readonly rawUsd: Decimal;
  /** Signed notional at mark by coin, USD. */
  readonly positions: ReadonlyMap<string, Decimal>;
  readonly netDepositsUsd: Decimal;
}

export interface EquityPoint {
  readonly timeMs: number;
  /** USD. */
  readonly accountValue: Decimal;
  /** Account value less all deposits so far, USD: the PnL of a window is the difference of its ends. */
  readonly pnl: Decimal;
}

/** One point after each moment at which something happened, and one for now. */
export function equityCurve(rows: EquityRows, now: EquityNow): EquityPoint[] {
  const steps = stepsOf(rows);
  let rawUsd = steps.reduce((left, step) => left.minus(step.rawUsd), now.rawUsd);
  let depositsUsd = steps.reduce((left, step) => left.minus(step.depositUsd), now.netDepositsUsd);
  const worth = valueBefore(rows.fills, now);
  let positionsUsd = sum(worth.values());

  const points: EquityPoint[] = [];
  steps.forEach((step, index) => {
    rawUsd = rawUsd.plus(step.rawUsd);
    depositsUsd = depositsUsd.plus(step.depositUsd);
    if (step.position) {
      const { coin, value } = step.position;
      positionsUsd = positionsUsd.minus(worth.get(coin) ?? ZERO).plus(value);
      worth.set(coin, value);
    }
    const { timeMs } = step;
    if (steps[index + 1]?.timeMs !== timeMs) points.push(point({ timeMs, rawUsd, positionsUsd, depositsUsd }));
  });
  const { timeMs, netDepositsUsd } = now;
  points.push(point({ timeMs, rawUsd, positionsUsd: sum(now.positions.values()), depositsUsd: netDepositsUsd }));
  return points;
}

/**
 * The largest loss from one point to a later one, as a share of the account value at the first: each pair has its own
 * denominator. 0 when nothing was lost; pairs that start at zero or below do not count.
 */
export function largestLossShare(points: readonly EquityPoint[]): Decimal {
  let largest = ZERO;
  points.forEach((start, index) => {
    if (!start.accountValue.gt(0)) return;
    const lowest = Decimal.min(...points.slice(index).map(({ pnl }) => pnl));
    largest = Decimal.max(largest, start.pnl.minus(lowest).div(start.accountValue));
  });
  return largest;
}

interface Step {
  readonly timeMs: number;
  /** Change of cash and isolated margins. */
  readonly rawUsd: Decimal;
  readonly depositUsd: Decimal;
  /** The position that a fill leaves, at the fill's price. */
  readonly position?: { readonly coin: string; readonly value: Decimal };
}

function stepsOf({ fills, funding, ledger }: EquityRows): Step[] {
  const steps: Step[] = [
    ...fills.map(stepOfFill),
    ...funding.map(({ timeMs, usd }) => ({ timeMs, rawUsd: new Decimal(usd), depositUsd: ZERO })),
    ...ledger.flatMap((row) => {
      if (row.kind === 'liquidation') return [{ timeMs: row.timeMs, rawUsd: new Decimal(row.paidUsd ?? 0), depositUsd: ZERO }];
      const usd = new Decimal(row.usd);
      return [{ timeMs: row.timeMs, rawUsd: usd, depositUsd: usd }];
    }),
  ];
  return steps.sort((a, b) => a.timeMs - b.timeMs);
}

function stepOfFill({ timeMs, coin, side, price, size, fee, startPosition, liquidation }: FillRow): Step {
  const bought = side === 'buy' ? new Decimal(size) : new Decimal(size).neg();
  const rawUsd = new Decimal(liquidation?.usd ?? bought.times(price).neg()).minus(fee);
  return { timeMs, rawUsd, depositUsd: ZERO, position: { coin, value: bought.plus(startPosition).times(price) } };
}

/** The value of positions before the first row, at the first known price of their coin. */
function valueBefore(fills: readonly FillRow[], { positions }: EquityNow): Map<string, Decimal> {
  const worth = new Map(positions);
  for (const { coin, startPosition, price } of fills.toReversed()) worth.set(coin, new Decimal(startPosition).times(price));
  return worth;
}

function point(at: { timeMs: number; rawUsd: Decimal; positionsUsd: Decimal; depositsUsd: Decimal }): EquityPoint {
  const accountValue = at.rawUsd.plus(at.positionsUsd);
  return { timeMs: at.timeMs, accountValue, pnl: accountValue.minus(at.depositsUsd) };
}

const sum = (values: Iterable<Decimal>): Decimal => [...values].reduce((total, value) => total.plus(value), ZERO);
