// A value over time. Readers get a sentence made from the data, and the rows as a table on demand.
import { useEffect, useRef, useState } from 'preact/hooks';
import { usd } from '../../domain/numberText.ts';
import { theme } from '../../state/settings.ts';
import { DataTable } from '../DataTable.tsx';
import { Moment, Usd } from '../numbers.tsx';
import type { Point } from './drawCurve.ts';

interface Drawn {
  draw(points: readonly Point[]): void;
  remove(): void;
}

export function CurveChart({ label, points }: { readonly label: string; readonly points: readonly Point[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<Drawn | undefined>(undefined);
  const [isTable, setIsTable] = useState(false);
  const colours = theme.value;

  useEffect(() => {
    let isGone = false;
    void import('./drawCurve.ts').then(({ drawCurve }) => {
      if (isGone || frame.current === null) return;
      chart.current = drawCurve(frame.current);
      chart.current.draw(points);
    });
    return () => {
      isGone = true;
      chart.current?.remove();
      chart.current = undefined;
    };
  }, [colours, isTable]);
  useEffect(() => chart.current?.draw(points), [points]);

  return (
    <figure class="chart">
      {isTable ? (
        <DataTable
          caption={label}
          columns={[
            { head: 'Time', cell: ([timeMs]) => <Moment at={timeMs} /> },
            { head: 'USD', isNumber: true, cell: ([, value]) => <Usd value={value} /> },
          ]}
          rows={points}
          keyOf={([timeMs]) => timeMs}
          empty="No point yet."
        />
      ) : (
        <div ref={frame} class="canvas" role="img" aria-label={sentence(label, points)} />
      )}
      <figcaption>
        <button type="button" class="small" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}

function sentence(label: string, points: readonly Point[]): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `${label}: no point yet.`;
  return `${label}: from ${usd(first[1])} to ${usd(last[1])} USD over ${points.length} points.`;
}
