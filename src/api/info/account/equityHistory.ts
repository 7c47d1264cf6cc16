// One period of `portfolio`: the part of an equity curve within the period, thinned to few enough points to draw.
import type { EquityPoint } from '../../../actors/core/history/equityCurve.ts';
import type { FillRow } from '../../../actors/core/messages/historyRows.ts';
import { Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';

/** The two histories share their times; PnL starts at 0. */
export interface PeriodHistory {
  readonly accountValueHistory: readonly (readonly [number, string])[];
  readonly pnlHistory: readonly (readonly [number, string])[];
  readonly vlm: string;
}

/** Points of one history, the last one included; the venue has 13 to 76. */
const POINTS_MAX = 60;

/** @param startMs start of the period: it begins with the newest point up to then */
export function toPeriodHistory(points: readonly EquityPoint[], fills: readonly FillRow[], startMs: number): PeriodHistory {
  const before = points.findLast((point) => point.timeMs <= startMs) ?? points[0];
  const within = thin(points.filter((point) => point.timeMs > startMs));
  const shown = before ? [{ ...before, timeMs: Math.max(startMs, before.timeMs) }, ...within] : within;
  const base = shown[0]?.pnl ?? ZERO;
  return {
    accountValueHistory: shown.map(({ timeMs, accountValue }) => [timeMs, toUsd(accountValue)] as const),
    pnlHistory: shown.map(({ timeMs, pnl }) => [timeMs, toUsd(pnl.minus(base))] as const),
    vlm: toUsd(volumeSince(fills, startMs)),
  };
}

function volumeSince(fills: readonly FillRow[], startMs: number): Decimal {
  return fills.reduce(
    (total, { timeMs, price, size }) => (timeMs > startMs ? total.plus(new Decimal(price).times(size)) : total),
    ZERO,
  );
}

/** Evenly fewer points, the last one always kept. */
function thin(points: readonly EquityPoint[]): EquityPoint[] {
  const every = Math.ceil(points.length / (POINTS_MAX - 1));
  return every <= 1 ? [...points] : points.filter((_, i) => (points.length - 1 - i) % every === 0);
}

const toUsd = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
