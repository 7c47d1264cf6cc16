// The equity of several accounts and their sum over time: exact sums of the server's texts. An account is worth nothing before its first
// point, and what its newest point says between two.
import { decimalsOf, fromUnits, toUnits } from '../exactSums.ts';
import type { CurvePoint } from './curve.ts';

export interface AccountsPoint {
  readonly timeMs: number;
  /** Of each account, in the order of the curves; undefined before its first point. */
  readonly values: readonly (string | undefined)[];
  readonly sum: string;
}

/** @param curves points of each account, oldest first @returns one point for each time that any of them has, oldest first */
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
