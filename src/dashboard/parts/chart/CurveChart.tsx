// A value over time. Readers get a sentence made from the data, and the rows as a table on demand.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { theme, timeZone } from '../../state/settings.ts';
import { DataTable } from '../DataTable.tsx';
import { Moment } from '../numbers.tsx';
import type { Drawing, Point } from './drawCurve.ts';

interface Drawn {
  draw(points: readonly Point[]): void;
  remove(): void;
}

interface Props {
  readonly label: string;
  /** For readers, beside the label: what the curve shows. */
  readonly sentence: string;
  readonly points: readonly Point[];
  readonly drawing?: Drawing;
  /** Of the value's column. */
  readonly head?: string;
  readonly cell: (value: string) => ComponentChildren;
}

export function CurveChart({ label, sentence, points, drawing = 'money', head = 'USD', cell }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<Drawn | undefined>(undefined);
  const newest = useRef(points);
  const [isTable, setIsTable] = useState(false);
  const look = `${theme.value} ${timeZone.value}`;
  newest.current = points;

  useEffect(() => {
    let isGone = false;
    void import('./draw.ts').then(({ drawCurve }) => {
      if (isGone || frame.current === null) return;
      chart.current = drawCurve(frame.current, drawing);
      chart.current.draw(newest.current);
    });
    return () => {
      isGone = true;
      chart.current?.remove();
      chart.current = undefined;
    };
  }, [look, isTable, drawing]);
  useEffect(() => chart.current?.draw(points), [points]);

  return (
    <figure class="chart">
      {isTable ? (
        <DataTable
          caption={label}
          columns={[
            { head: 'Time', cell: ([timeMs]) => <Moment at={timeMs} /> },
            { head, isNumber: true, cell: ([, value]) => cell(value) },
          ]}
          rows={points.toReversed()}
          keyOf={([timeMs]) => timeMs}
          empty="No point yet."
        />
      ) : (
        <div ref={frame} class="canvas" role="img" aria-label={`${label}: ${sentence}`} />
      )}
      <figcaption class="row">
        <span class="quiet">{sentence}</span>
        <button type="button" class="small" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}
