// How an account's equity came about, from its rows alone: each fill, payment and deposit is a step. What was open at a
// past moment is not known afterwards, so past points are cash and only the last one has the open positions in it.
import { type Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../shared/domain/decimal.ts';

/** What changed the account's cash at one moment, USD. */
export interface EquityStep {
  readonly timeMs: number;
  /** Change of cash by trading: closed PnL less fee, or funding. */
  readonly pnl: Decimal;
  readonly deposit: Decimal;
  /** Notional traded. */
  readonly notional: Decimal;
}

export interface EquityNow {
  readonly timeMs: number;
  readonly openedAtMs: number;
  readonly accountValue: Decimal;
  readonly unrealizedPnl: Decimal;
}

/** One period of `portfolio`. The two histories share their times; PnL starts at 0. */
export interface PeriodHistory {
  readonly accountValueHistory: readonly (readonly [number, string])[];
  readonly pnlHistory: readonly (readonly [number, string])[];
  readonly vlm: string;
}

interface Point {
  readonly timeMs: number;
  readonly value: Decimal;
  readonly pnl: Decimal;
}

/** Points of one history, the last one included; the venue has 13 to 76. */
const POINTS_MAX = 60;

/**
 * @param steps oldest first
 * @param sinceMs start of the period; the account's opening when that is later
 */
export function toPeriodHistory(steps: readonly EquityStep[], now: EquityNow, sinceMs: number): PeriodHistory {
  const startMs = Math.max(sinceMs, now.openedAtMs);
  const points = toPoints(steps, now);
  const before = points.findLast((point) => point.timeMs <= startMs) ?? points[0];
  const within = thin(points.filter((point) => point.timeMs > startMs));
  const shown = before ? [{ ...before, timeMs: startMs }, ...within] : within;
  const base = shown[0]?.pnl ?? ZERO;
  return {
    accountValueHistory: shown.map(({ timeMs, value }) => [timeMs, toUsd(value)] as const),
    pnlHistory: shown.map(({ timeMs, pnl }) => [timeMs, toUsd(pnl.minus(base))] as const),
    vlm: toUsd(steps.reduce((total, step) => (step.timeMs > startMs ? total.plus(step.notional) : total), ZERO)),
  };
}

/** Cash after each moment, found backwards from what is known for certain: the present. */
function toPoints(steps: readonly EquityStep[], now: EquityNow): Point[] {
  const last: Point = { timeMs: now.timeMs, value: now.accountValue, pnl: ZERO };
  const points: Point[] = [last];
  let value = now.accountValue.minus(now.unrealizedPnl);
  let pnl = now.unrealizedPnl.neg();
  for (const step of steps.toReversed()) {
    if (points.at(-1)?.timeMs !== step.timeMs) points.push({ timeMs: step.timeMs, value, pnl });
    value = value.minus(step.pnl).minus(step.deposit);
    pnl = pnl.minus(step.pnl);
  }
  return points.toReversed();
}

/** Evenly fewer points, the last one always kept. */
function thin(points: readonly Point[]): Point[] {
  const every = Math.ceil(points.length / (POINTS_MAX - 1));
  return every <= 1 ? [...points] : points.filter((_, i) => (points.length - 1 - i) % every === 0);
}

const toUsd = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
