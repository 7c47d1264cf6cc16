// Figures over several accounts: their equity and its sum over time, the accounts that can be compared, and whether two of them gain and
// lose at the same times. Money stays the server's text; correlations are numbers for reading.
import { decimalsOf, fromUnits, toUnits } from '../exactSums.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../units.ts';
import { type CurvePoint, gainOf } from './curve.ts';

export interface AccountsPoint {
  readonly timeMs: number;
  /** Of each account, in the order of the curves; undefined before its first point. */
  readonly values: readonly (string | undefined)[];
  readonly sum: string;
}

/**
 * The exact sums of several accounts' equity. An account is worth nothing before its first point, and what its newest point says between two.
 * @param curves points of each account, oldest first @returns one point for each time that any of them has, oldest first
 */
export function accountsCurve(curves: readonly (readonly CurvePoint[])[]): readonly AccountsPoint[] {
  const changes = curves
    .flatMap((points, account) => points.map(({ timeMs, equity }) => ({ timeMs, equity, account })))
    .sort((a, b) => a.timeMs - b.timeMs);
  const decimals = Math.max(0, ...changes.map(({ equity }) => decimalsOf(equity)));
  const values: (string | undefined)[] = curves.map(() => undefined);
  const shown: AccountsPoint[] = [];
  let sum = 0n;
  changes.forEach(({ timeMs, equity, account }, i) => {
    sum += toUnits(equity, decimals) - toUnits(values[account] ?? '0', decimals);
    values[account] = equity;
    if (changes[i + 1]?.timeMs !== timeMs) shown.push({ timeMs, values: [...values], sum: fromUnits(sum, decimals) });
  });
  return shown;
}

interface MayBeFork {
  readonly address: string;
  readonly fork: { readonly of: string } | null;
}

/**
 * The accounts beside which an account can stand, because the two have an entry in common: the account that it was forked from, over several
 * forks too, which comes first, and other forks of that account.
 */
export function partnersOf<Account extends MayBeFork>(accounts: readonly Account[], account: Account): readonly Account[] {
  const related = accounts.filter((one) => one !== account && firstOf(accounts, one) === firstOf(accounts, account));
  const isSource = ({ address }: Account): boolean => address === account.fork?.of;
  return [...related.filter(isSource), ...related.filter((one) => !isSource(one))];
}

/** The account at which its forks began. */
function firstOf<Account extends MayBeFork>(accounts: readonly Account[], account: Account): string {
  let first = account;
  for (const _ of accounts) {
    const before = accounts.find(({ address }) => address === first.fork?.of);
    if (before === undefined) return first.fork?.of ?? first.address;
    first = before;
  }
  return first.address;
}

/**
 * @param wanted addresses that the reader has named, perhaps of no account
 * @returns undefined when there is no fork that can be compared
 */
export function comparedPair<Account extends MayBeFork>(
  accounts: readonly Account[],
  wanted: { readonly fork: string | null; readonly other: string | null },
): { readonly fork: Account; readonly other: Account } | undefined {
  const forks = accounts.filter((one) => one.fork !== null && partnersOf(accounts, one).length > 0);
  const fork = forks.find(({ address }) => address === wanted.fork) ?? forks[0];
  const partners = fork === undefined ? [] : partnersOf(accounts, fork);
  const other = partners.find(({ address }) => address === wanted.other) ?? partners[0];
  return fork === undefined || other === undefined ? undefined : { fork, other };
}

/** The steps that a period is cut into, ms: about a hundred of it, days of all of it. */
export const STEPS_MS = { '1d': 15 * MINUTE_MS, '7d': 2 * HOUR_MS, '30d': 8 * HOUR_MS, all: DAY_MS } as const;

/** Fewer returns say nothing. */
export const RETURNS_MIN = 10;

/**
 * The times from the first point to the last point of all curves: multiples of the step, so that all curves have the same times.
 */
export function stepsOf(curves: readonly (readonly CurvePoint[])[], stepMs: number): readonly number[] {
  const times = curves.flatMap((points) => [points[0], points.at(-1)].flatMap((point) => (point ? [point.timeMs] : [])));
  if (times.length === 0) return [];
  const first = Math.ceil(Math.min(...times) / stepMs);
  const count = Math.floor(Math.max(...times) / stepMs) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * stepMs);
}

/**
 * The return of each step, as a share of the equity before it. A curve stands still between its points.
 * @param steps ms, rising
 * @returns one fewer than steps; undefined where the account was not there yet, or had nothing
 */
export function returnsOf(points: readonly CurvePoint[], steps: readonly number[]): readonly (number | undefined)[] {
  let next = 0;
  const atSteps = steps.map((timeMs) => {
    while ((points[next]?.timeMs ?? Number.POSITIVE_INFINITY) <= timeMs) next += 1;
    return points[next - 1];
  });
  return atSteps.slice(1).map((after, i) => {
    const before = atSteps[i];
    if (before === undefined || after === undefined || !(Number(before.equity) > 0)) return undefined;
    return Number(gainOf([before, after])) / Number(before.equity);
  });
}

/** Returns that differ by less than this share of the largest are the same: the rest is the rounding of binary fractions. */
const SAME_SHARE = 1e-12;

/** `value` is undefined with fewer than RETURNS_MIN returns, and where all returns of either account are the same. */
interface Correlation {
  readonly value: number | undefined;
  /** Steps of which both have a return. */
  readonly returns: number;
}

/** Pearson's correlation. Deposits and transfers are no return. @param a returns of the same steps as `b` */
export function correlation(a: readonly (number | undefined)[], b: readonly (number | undefined)[]): Correlation {
  const pairs = a.flatMap((x, i) => {
    const y = b[i];
    return x === undefined || y === undefined ? [] : [[x, y] as const];
  });
  const returns = pairs.length;
  if (returns < RETURNS_MIN) return { value: undefined, returns };
  const meanX = pairs.reduce((sum, [x]) => sum + x, 0) / returns;
  const meanY = pairs.reduce((sum, [, y]) => sum + y, 0) / returns;
  const isSame = (values: readonly number[]): boolean =>
    Math.max(...values) - Math.min(...values) <= SAME_SHARE * Math.max(...values.map(Math.abs));
  if (isSame(pairs.map(([x]) => x)) || isSame(pairs.map(([, y]) => y))) return { value: undefined, returns };
  let [both, ofX, ofY] = [0, 0, 0];
  for (const [x, y] of pairs) {
    both += (x - meanX) * (y - meanY);
    ofX += (x - meanX) ** 2;
    ofY += (y - meanY) ** 2;
  }
  return { value: Math.max(-1, Math.min(1, both / Math.sqrt(ofX * ofY))), returns };
}
