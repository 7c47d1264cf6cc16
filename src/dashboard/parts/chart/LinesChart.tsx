// Several curves in one picture, each with its name.
import { useEffect, useRef } from 'preact/hooks';
import { theme } from '../../state/settings.ts';
import type { Column } from '../DataTable.tsx';
import { ChartFigure } from './CurveChart.tsx';
import type { Line } from './draw.ts';

interface Props<Row extends { readonly timeMs: number }> {
  readonly label: string;
  readonly sentence: string;
  /** In the order of the lines. */
  readonly names: readonly string[];
  readonly lines: readonly Line[];
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

export function LinesChart<Row extends { readonly timeMs: number }>({
  label,
  sentence,
  names,
  lines,
  columns,
  rows,
}: Props<Row>) {
  const legend = (
    <ul class="legend">
      {names.map((name, i) => (
        <li key={i}>
          <span aria-hidden="true" class="swatch" style={{ background: lines[i]?.colour }} /> <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
  return (
    <ChartFigure {...{ label, sentence, columns, rows, legend }} keyOf={({ timeMs }) => timeMs}>
      {(name) => <Picture {...{ name, lines }} />}
    </ChartFigure>
  );
}

function Picture({ name, lines }: { readonly name: string; readonly lines: readonly Line[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let chart: { remove(): void } | undefined;
    let isGone = false;
    void import('./draw.ts').then(({ drawLines }) => {
      if (!isGone && frame.current !== null) chart = drawLines(frame.current, lines);
    });
    return () => {
      isGone = true;
      chart?.remove();
    };
  }, [lines]);
  return <div ref={frame} class="canvas" role="img" aria-label={name} />;
}

const isDark = (): boolean =>
  theme.peek() === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.peek() === 'dark';

/** The colour of a sum. */
export const strongColour = (): string => (isDark() ? '#ffffff' : '#000000');

/** A colour for each account. Steps of the golden angle: neighbours differ, however many there are. */
export const accountColour = (i: number): string => `hsl(${Math.round(210 + i * 137.508) % 360}, 70%, ${isDark() ? 68 : 38}%)`;
