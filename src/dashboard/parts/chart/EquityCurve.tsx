// The account value over a period, up to now. Its last point is the figure beside it: both are one number.
import { useMemo } from 'preact/hooks';
import type { EquityCurve as Curve } from '../../api/contract.ts';
import { type CurvePoint, gainOf, returnOf, upToNow } from '../../domain/figures/curve.ts';
import { percent, usd } from '../../domain/numberText.ts';
import { account } from '../../state/account.ts';
import { accountPath } from '../../state/paths.ts';
import { Usd } from '../numbers.tsx';
import type { Period } from '../PeriodTabs.tsx';
import { type Asked, useAnswer } from '../useAnswer.ts';
import { CurveChart } from './CurveChart.tsx';

const FIVE_MINUTES_MS = 300_000;

/** The answer, asked again every five minutes. @param period undefined asks nothing */
export const useCurve = (period: Period | undefined): Asked<Curve> =>
  useAnswer<Curve>(period && accountPath(`equity-curve?period=${period}`), { everyMs: FIVE_MINUTES_MS, hidesOthers: true });

/** Its points up to now, oldest first; undefined until the answer is there. */
export function useCurvePoints({ answer }: Asked<Curve>): readonly CurvePoint[] | undefined {
  const read = useMemo(
    () =>
      answer?.body.points.map(({ time, equity, net_deposits }) => ({
        timeMs: Date.parse(time),
        equity,
        netDeposits: net_deposits,
      })),
    [answer],
  );
  const now = account.value;
  return useMemo(() => read && upToNow(read, answer?.seq, now), [read, now]);
}

export function EquityChart({ points, period }: { readonly points: readonly CurvePoint[]; readonly period: Period }) {
  const [first, last] = [points[0], points.at(-1)];
  const drawn = useMemo(() => points.map(({ timeMs, equity }) => [timeMs, equity] as const), [points]);
  const sentence =
    first === undefined || last === undefined
      ? 'no point yet.'
      : `from ${usd(first.equity)} to ${usd(last.equity)} USD, ${usd(gainOf(points), { isSigned: true })} USD or ${percent(returnOf(points), { isSigned: true })} without deposits.`;
  return <CurveChart label={`Equity, ${period}`} sentence={sentence} points={drawn} cell={(value) => <Usd value={value} />} />;
}
