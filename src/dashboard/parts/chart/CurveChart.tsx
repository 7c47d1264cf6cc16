// A value over time.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { theme, timeZone } from '../../state/settings.ts';
import { Moment } from '../numbers.tsx';
import { ChartFigure } from './ChartFigure.tsx';
import type { Drawing } from './drawCurve.ts';
import type { Point } from './timeChart.ts';

interface Drawn {
  draw(points: readonly Point[]): void;
  remove(): void;
}

interface Props {
  readonly label: string;
  readonly sentence: string;
  readonly points: readonly Point[];
  readonly drawing?: Drawing;
  /** Of the value's column. */
  readonly head?: string;
  readonly cell: (value: string) => ComponentChildren;
}

export function CurveChart({ label, sentence, points, drawing = 'money', head = 'USD', cell }: Props) {
  return (
    <ChartFigure
      {...{ label, sentence }}
      columns={[
        { head: 'Time', cell: ([timeMs]) => <Moment at={timeMs} /> },
        { head, isNumber: true, cell: ([, value]) => cell(value) },
      ]}
      rows={points}
      keyOf={([timeMs]) => timeMs}
    >
      {(name) => <Picture {...{ name, points, drawing }} />}
    </ChartFigure>
  );
}

function Picture({ name, points, drawing }: Required<Pick<Props, 'points' | 'drawing'>> & { readonly name: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<Drawn | undefined>(undefined);
  const newest = useRef(points);
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
  }, [look, drawing]);
  useEffect(() => chart.current?.draw(points), [points]);

  return <div ref={frame} class="canvas" role="img" aria-label={name} />;
}
