// The equity of each account and of all together.
import { useMemo } from 'preact/hooks';
import type { GroupPoint } from '../../domain/figures/group/groupCurve.ts';
import { usd } from '../../domain/numberText.ts';
import { theme, timeZone } from '../../state/settings.ts';
import type { Line } from '../chart/drawLines.ts';
import { accountColour, LinesChart, strongColour } from '../chart/LinesChart.tsx';
import type { Column } from '../DataTable.tsx';
import { Moment, Usd } from '../numbers.tsx';

interface Props {
  readonly label: string;
  /** In the order of the points' values. */
  readonly names: readonly string[];
  readonly points: readonly GroupPoint[];
}

export function GroupChart({ label, names, points }: Props) {
  const look = `${theme.value} ${timeZone.value}`;
  const lines = useMemo(() => linesOf(points, names), [points, names.join('\n'), look]);
  const [first, last] = [points[0], points.at(-1)];
  const sentence =
    first === undefined || last === undefined
      ? 'no point yet.'
      : `${names.length} ${names.length === 1 ? 'account' : 'accounts'}, together from ${usd(first.sum)} to ${usd(last.sum)} USD.`;
  return (
    <LinesChart
      label={label}
      sentence={sentence}
      names={['All', ...names]}
      lines={lines}
      columns={columnsOf(names)}
      rows={points}
    />
  );
}

/** The sum first, then each account in a colour of its own. */
function linesOf(points: readonly GroupPoint[], names: readonly string[]): readonly Line[] {
  const all: Line = { colour: strongColour(), isThick: true, points: points.map(({ timeMs, sum }) => [timeMs, sum]) };
  const each = names.map((_, i) => ({
    colour: accountColour(i),
    isThick: false,
    points: points.flatMap(({ timeMs, values }) => {
      const value = values[i];
      return value === undefined ? [] : [[timeMs, value] as const];
    }),
  }));
  return [all, ...each];
}

const columnsOf = (names: readonly string[]): readonly Column<GroupPoint>[] => [
  { head: 'Time', cell: ({ timeMs }) => <Moment at={timeMs} /> },
  { head: 'All', isNumber: true, cell: ({ sum }) => <Usd value={sum} /> },
  ...names.map((name, i) => ({
    head: name,
    isNumber: true,
    cell: ({ values }: GroupPoint) => {
      const value = values[i];
      return value === undefined ? <span class="none">–</span> : <Usd value={value} />;
    },
  })),
];
