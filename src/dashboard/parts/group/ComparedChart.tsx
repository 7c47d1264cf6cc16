// The equity of two accounts in one picture.
import { useMemo } from 'preact/hooks';
import type { CurvePoint } from '../../domain/figures/curve.ts';
import { type GroupPoint, groupCurve } from '../../domain/figures/group/groupCurve.ts';
import { usd } from '../../domain/numberText.ts';
import { theme, timeZone } from '../../state/settings.ts';
import type { Line } from '../chart/drawLines.ts';
import { accountColour, LinesChart } from '../chart/LinesChart.tsx';
import type { Column } from '../DataTable.tsx';
import { Moment, Usd } from '../numbers.tsx';

interface Props {
  readonly names: readonly [string, string];
  readonly curves: readonly [readonly CurvePoint[], readonly CurvePoint[]];
}

export function ComparedChart({ names, curves }: Props) {
  const look = `${theme.value} ${timeZone.value}`;
  const rows = useMemo(() => groupCurve(curves), [curves]);
  const lines = useMemo(() => curves.map(lineOf), [curves, look]);
  const told = names.map((name, i) => {
    const value = curves[i]?.at(-1)?.equity;
    return value === undefined ? `${name} not begun` : `${name} ${usd(value)} USD`;
  });
  const columns: readonly Column<GroupPoint>[] = [
    { head: 'Time', cell: ({ timeMs }) => <Moment at={timeMs} /> },
    ...names.map(
      (name, i): Column<GroupPoint> => ({
        head: name,
        isNumber: true,
        cell: ({ values }) => (values[i] === undefined ? <span class="none">–</span> : <Usd value={values[i]} />),
      }),
    ),
  ];
  const sentence = `now ${told.join(', ')}.`;
  return <LinesChart label="Equity of both" {...{ sentence, names, lines, columns, rows }} />;
}

const lineOf = (points: readonly CurvePoint[], i: number): Line => ({
  colour: accountColour(i),
  isThick: i === 0,
  points: points.map(({ timeMs, equity }) => [timeMs, equity] as const),
});
