// Pictures of values over time. The equity curve ends now: its last point is the figure beside it, and both are one number.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EquityCurve as Curve } from '../../api/contract.ts';
import { type CurvePoint, gainOf, returnOf, upToNow } from '../../domain/figures/curve.ts';
import { percent, usd } from '../../domain/texts.ts';
import { account } from '../../state/account.ts';
import { accountPath } from '../../state/chosenAccount.ts';
import { theme, timeZone } from '../../state/settings.ts';
import { type PolledAnswer, useAnswer } from '../answers.tsx';
import { type Column, DataTable } from '../DataTable.tsx';
import { Moment, Usd } from '../numbers.tsx';
import type { Period } from '../Tabs.tsx';
import type { CurveDrawing, Point } from './draw.ts';

const FIVE_MINUTES_MS = 300_000;

/** The answer, asked again every five minutes. @param period undefined asks nothing */
export const useCurve = (period: Period | undefined): PolledAnswer<Curve> =>
  useAnswer<Curve>(period && accountPath(`equity-curve?period=${period}`), { everyMs: FIVE_MINUTES_MS, hidesOthers: true });

/** Its points up to now, oldest first; undefined until the answer is there. */
export function useCurvePoints({ answer }: PolledAnswer<Curve>): readonly CurvePoint[] | undefined {
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

interface Drawn {
  draw(points: readonly Point[]): void;
  remove(): void;
}

interface Props {
  readonly label: string;
  readonly sentence: string;
  readonly points: readonly Point[];
  readonly drawing?: CurveDrawing;
  /** Of the value's column. */
  readonly head?: string;
  readonly cell: (value: string) => ComponentChildren;
}

/** A value over time. */
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

interface FigureProps<Row> {
  readonly label: string;
  /** A description of the picture for screen readers, beside the label. */
  readonly sentence: string;
  readonly columns: readonly Column<Row>[];
  /** Oldest first. */
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Below the picture and the table. */
  readonly legend?: ComponentChildren;
  /** The picture, whose name is the given one. */
  readonly children: (name: string) => ComponentChildren;
}

/** A picture of rows over time: readers get a sentence made from the data, and the rows as a table on demand. */
export function ChartFigure<Row>({ label, sentence, columns, rows, keyOf, legend, children }: FigureProps<Row>) {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure class="chart">
      {isTable ? (
        <DataTable caption={label} columns={columns} rows={rows.toReversed()} keyOf={keyOf} empty="No point yet." />
      ) : (
        children(`${label}: ${sentence}`)
      )}
      {legend}
      <figcaption class="row">
        <span class="quiet">{sentence}</span>
        <button type="button" class="small" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}
