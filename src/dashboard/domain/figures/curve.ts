// An equity curve as people read it: it ends with what the account is worth now, deposits are no gain, and falls are measured from
// the peak before them. Money stays the server's text; shares are numbers that the page has computed.
import { decimalsOf, fromUnits, toUnits } from '../exactSums.ts';

/** A point of `account/equity-curve`. USD, decimal text. */
export interface CurvePoint {
  readonly timeMs: number;
  readonly equity: string;
  readonly netDeposits: string;
}

/** The account as the stream has it at the moment. */
export interface NowPoint {
  readonly seq: number;
  readonly timeMs: number;
  readonly accountValue: string;
}

/**
 * The curve up to now: its last point is what the account's figures show, so that curve and figure never disagree.
 * @param seq journal entry of the curve's answer; a state of an earlier one does not continue it
 */
export function upToNow(
  points: readonly CurvePoint[],
  seq: number | undefined,
  now: NowPoint | undefined,
): readonly CurvePoint[] {
  const last = points.at(-1);
  if (last === undefined || now === undefined || now.seq < (seq ?? 0) || now.timeMs < last.timeMs) return points;
  // A deposit that came later is not known: it counts as a gain until the page asks again.
  return [...points.slice(0, -1), { ...last, timeMs: now.timeMs, equity: now.accountValue }];
}

/** The gain of the period, USD: account value at its end less account value at its beginning, less deposits. Exact. */
export function gainOf(points: readonly CurvePoint[]): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '0';
  return difference([last.equity, first.netDeposits], [first.equity, last.netDeposits]);
}

/** A sum less another. Exact. */
function difference(plus: readonly string[], minus: readonly string[]): string {
  const decimals = Math.max(...[...plus, ...minus].map(decimalsOf));
  const sum = (texts: readonly string[]): bigint => texts.reduce((total, text) => total + toUnits(text, decimals), 0n);
  return fromUnits(sum(plus) - sum(minus), decimals);
}

/** Value of one unit that was invested at the start, at each point: the server's way (docs/analytics.md). */
function indexOf(points: readonly CurvePoint[]): readonly number[] {
  let index = 1;
  return points.map((point, i) => {
    const before = points[i - 1];
    const value = Number(before?.equity);
    if (before !== undefined && value > 0) index *= Math.max(0, 1 + Number(gainOf([before, point])) / value);
    return index;
  });
}

/** Return of the period as a share. */
export const returnOf = (points: readonly CurvePoint[]): number => (indexOf(points).at(-1) ?? 1) - 1;

/** How far below the highest point before it each point is, as a share, 0 or negative. */
export function underwater(points: readonly CurvePoint[]): readonly (readonly [timeMs: number, share: number])[] {
  let peak = 0;
  return indexOf(points).map((index, i) => {
    peak = Math.max(peak, index);
    return [(points[i] as CurvePoint).timeMs, peak > 0 ? Math.min(0, index / peak - 1) : 0] as const;
  });
}

/** A calendar month, UTC. */
export interface MonthResult {
  /** `2026-11`. */
  readonly month: string;
  /** USD, exact. */
  readonly gain: string;
  readonly share: number;
  /** Account value at its end, or now. */
  readonly equity: string;
}

/** Months that the curve covers, newest first. A month begins with the last point before it. */
export function months(points: readonly CurvePoint[]): readonly MonthResult[] {
  const results: MonthResult[] = [];
  let start = 0;
  points.forEach((point, i) => {
    const next = points[i + 1];
    const month = monthOf(point.timeMs);
    if (next !== undefined && monthOf(next.timeMs) === month) return;
    const own = points.slice(start, i + 1);
    results.unshift({ month, gain: gainOf(own), share: returnOf(own), equity: point.equity });
    start = i;
  });
  return results;
}

const UTC_DAY = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC' });
const monthOf = (timeMs: number): string => UTC_DAY.format(timeMs).slice(0, 7);
