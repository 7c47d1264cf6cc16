// A value for each day of a period.
import { useMemo } from 'preact/hooks';
import { type DayValue, dayLine } from '../../domain/figures/dayLine.ts';
import { ChartFigure } from '../../parts/chart/CurveChart.tsx';

const [WIDTH, HEIGHT] = [720, 160];

interface Props {
  readonly label: string;
  readonly values: readonly DayValue[];
  readonly write: (value: string) => string;
  /** Said where there is nothing to draw. */
  readonly empty: string;
}

export function DayChart({ label, values, write, empty }: Props) {
  const line = useMemo(() => dayLine(values, { width: WIDTH, height: HEIGHT }), [values]);
  if (line === undefined) return <p class="quiet">{empty}</p>;
  const { first, last, lowest, highest } = line;
  const textOf = ({ day, value }: DayValue): string => `${write(value ?? '')} on ${day}`;
  if (first === last) return <p class="quiet">{textOf(first)}. A line needs two days.</p>;
  const sentence = `from ${textOf(first)} to ${textOf(last)}; lowest ${textOf(lowest)}, highest ${textOf(highest)}.`;
  const stroke = { fill: 'none', 'stroke-linecap': 'round', 'vector-effect': 'non-scaling-stroke' } as const;
  return (
    <ChartFigure
      {...{ label, sentence }}
      columns={[
        { head: 'Day', cell: ({ day }) => day },
        {
          head: 'Value',
          isNumber: true,
          cell: ({ value }) => <span class="number">{value === null ? '–' : write(value)}</span>,
        },
      ]}
      rows={values}
      keyOf={({ day }) => day}
    >
      {(name) => (
        <svg
          class="canvas"
          width="100%"
          viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={name}
        >
          <path d={`M0 ${line.zero}H${WIDTH}`} stroke="currentColor" stroke-opacity="0.3" {...stroke} />
          {line.paths.map((path) => (
            <path key={path} d={path} stroke="var(--accent)" stroke-width="2" {...stroke} />
          ))}
        </svg>
      )}
    </ChartFigure>
  );
}
