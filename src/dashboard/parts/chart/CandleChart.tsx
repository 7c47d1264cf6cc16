// The candles of a coin with what the account did and has there. Readers get a sentence made from the data, and the rows as a
// table on demand.
import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../../state/route.ts';
import { theme, timeZone } from '../../state/settings.ts';
import { DataTable } from '../DataTable.tsx';
import { Digits, Moment } from '../numbers.tsx';
import type { Drawing, drawCandles } from './drawCandles.ts';

/** Candles in the table, the newest. */
const ROWS_SHOWN = 50;

interface Props extends Drawing {
  /** Changes when other candles are shown: the chart is then drawn anew. */
  readonly name: string;
  readonly sentence: string;
}

export function CandleChart({ name, sentence, candles, fills, lines }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<ReturnType<typeof drawCandles> | undefined>(undefined);
  const newest = useRef<Drawing>({ candles, fills, lines });
  newest.current = { candles, fills, lines };
  const [isTable, setIsTable] = useState(false);
  const [colours, zone] = [theme.value, timeZone.value];

  useEffect(() => {
    let isGone = false;
    void import('./draw.ts').then(({ drawCandles: draw }) => {
      if (isGone || frame.current === null) return;
      chart.current = draw(frame.current, { zone, onFill: (tid) => navigate(`/fills/${tid}`) });
      chart.current.draw(newest.current);
    });
    return () => {
      isGone = true;
      chart.current?.remove();
      chart.current = undefined;
    };
  }, [name, colours, zone, isTable]);
  useEffect(() => chart.current?.draw({ candles, fills, lines }), [candles, fills, lines]);

  return (
    <figure class="chart candles">
      {isTable ? (
        <DataTable
          caption={`${name}, the newest ${ROWS_SHOWN} candles`}
          columns={[
            { head: 'Opens', cell: ({ timeMs }) => <Moment at={timeMs} /> },
            { head: 'Open', isNumber: true, cell: ({ open }) => <Digits value={open} /> },
            { head: 'High', isNumber: true, cell: ({ high }) => <Digits value={high} /> },
            { head: 'Low', isNumber: true, cell: ({ low }) => <Digits value={low} /> },
            { head: 'Close', isNumber: true, cell: ({ close }) => <Digits value={close} /> },
            { head: 'Volume', isNumber: true, cell: ({ volume }) => <Digits value={volume} /> },
            { head: 'Own fills', isNumber: true, cell: ({ timeMs }) => countOf(timeMs, { candles, fills }) },
          ]}
          rows={candles.slice(-ROWS_SHOWN).reverse()}
          keyOf={({ timeMs }) => timeMs}
          empty="No candle yet."
        />
      ) : (
        <div ref={frame} class="canvas" role="img" aria-label={sentence} />
      )}
      <figcaption>
        <button type="button" class="small" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}

/** Fills in the candle that opens then. */
function countOf(timeMs: number, { candles, fills }: Pick<Drawing, 'candles' | 'fills'>): number {
  const next = candles.find((candle) => candle.timeMs > timeMs)?.timeMs ?? Number.POSITIVE_INFINITY;
  return fills.filter((fill) => fill.timeMs >= timeMs && fill.timeMs < next).length;
}
