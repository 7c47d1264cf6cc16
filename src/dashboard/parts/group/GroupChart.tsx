// The equity of each account and of all together. Readers get a sentence made from the data, and the rows as a table on demand.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { GroupPoint } from '../../domain/figures/group/groupCurve.ts';
import { usd } from '../../domain/numberText.ts';
import { theme, timeZone } from '../../state/settings.ts';
import type { Line } from '../chart/drawLines.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Moment, Usd } from '../numbers.tsx';

interface Props {
  readonly label: string;
  /** In the order of the points' values. */
  readonly names: readonly string[];
  readonly points: readonly GroupPoint[];
}

export function GroupChart({ label, names, points }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [isTable, setIsTable] = useState(false);
  const look = `${theme.value} ${timeZone.value}`;
  const lines = useMemo(() => linesOf(points, names), [points, names.join('\n'), look]);
  useEffect(() => {
    let chart: { remove(): void } | undefined;
    let isGone = false;
    void import('../chart/draw.ts').then(({ drawLines }) => {
      if (!isGone && frame.current !== null) chart = drawLines(frame.current, lines);
    });
    return () => {
      isGone = true;
      chart?.remove();
    };
  }, [lines, isTable]);
  const [first, last] = [points[0], points.at(-1)];
  const sentence =
    first === undefined || last === undefined
      ? 'no point yet.'
      : `${names.length} ${names.length === 1 ? 'account' : 'accounts'}, together from ${usd(first.sum)} to ${usd(last.sum)} USD.`;
  return (
    <figure class="chart">
      {isTable ? (
        <DataTable
          caption={label}
          columns={columnsOf(names)}
          rows={points.toReversed()}
          keyOf={({ timeMs }) => timeMs}
          empty="No point yet."
        />
      ) : (
        <div ref={frame} class="canvas" role="img" aria-label={`${label}: ${sentence}`} />
      )}
      <ul class="legend">
        {['All', ...names].map((name, i) => (
          <li key={name}>
            <span aria-hidden="true" class="swatch" style={{ background: lines[i]?.colour }} /> <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <figcaption class="row">
        <span class="quiet">{sentence}</span>
        <button type="button" class="small" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}

/** The sum first, then each account in a colour of its own. */
function linesOf(points: readonly GroupPoint[], names: readonly string[]): readonly Line[] {
  const isDark = theme.peek() === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.peek() === 'dark';
  const lightness = isDark ? 68 : 38;
  const all: Line = {
    colour: isDark ? '#ffffff' : '#000000',
    isThick: true,
    points: points.map(({ timeMs, sum }) => [timeMs, sum]),
  };
  const each = names.map((_, i) => ({
    // Steps of the golden angle: neighbours differ, however many there are.
    colour: `hsl(${Math.round(210 + i * 137.508) % 360}, 70%, ${lightness}%)`,
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
