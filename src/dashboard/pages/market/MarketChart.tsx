// The chart of a market: candles as they come, own fills on them, lines for the position and the open orders.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Fill, type FillItem, type OpenOrder, type OpenPosition, readFillItem } from '../../domain/account/wireAccount.ts';
import { type Candle, INTERVALS, type Interval } from '../../domain/market/candles.ts';
import { chartSentence } from '../../domain/market/marketTexts.ts';
import { ErrorState, useAnswer } from '../../parts/answers.tsx';
import type { CandleDrawing, drawCandles, PriceLine } from '../../parts/chart/draw.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { Digits, Moment } from '../../parts/numbers.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { account } from '../../state/account.ts';
import { followCandles } from '../../state/candles.ts';
import { accountPath } from '../../state/chosenAccount.ts';
import { fills as newestFills } from '../../state/fills.ts';
import { market } from '../../state/market.ts';
import { marks } from '../../state/marks.ts';
import { navigate } from '../../state/route.ts';
import { kept, theme, timeZone } from '../../state/settings.ts';

/** Fills of the coin from before this visit. */
const EARLIER_FILLS = 100;
/** Lines of open orders; more would hide the candles. */
const LINES_MAX = 20;

interface Props {
  readonly coin: string;
  /** Of the coin. */
  readonly orders: readonly OpenOrder[];
}

export function MarketChart({ coin, orders }: Props) {
  const position = account.value?.positions.find((one) => one.coin === coin);
  const interval = chartInterval.value;
  const [candles, setCandles] = useState<readonly Candle[]>([]);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    setCandles([]);
    setError(undefined);
    return followCandles({ coin, interval, onChange: setCandles, onError: setError });
  }, [coin, interval]);
  const fills = useFillsOf(coin);
  const lines = useMemo(() => linesOf(position, orders), [position?.entryPrice, position?.liquidationPrice, orders]);
  const context = market.value.context;
  const price = candles.at(-1)?.close ?? marks.peek()[coin];
  return (
    <>
      <div class="row">
        <Tabs
          legend="Length of a candle"
          choices={Object.keys(INTERVALS) as Interval[]}
          chosen={interval}
          onChoose={(next) => {
            chartInterval.value = next;
          }}
        />
      </div>
      {error !== undefined && <ErrorState error={error} />}
      <CandleChart
        name={`${coin} ${interval}`}
        sentence={chartSentence({ coin, interval, price, earlierPrice: context?.earlierPrice, fills: fills.length })}
        candles={candles}
        fills={fills}
        lines={lines}
      />
    </>
  );
}

/** Own fills of the coin: earlier fills, and fills that come. */
function useFillsOf(coin: string): readonly Fill[] {
  const path = accountPath(`fills?coin=${encodeURIComponent(coin)}&limit=${EARLIER_FILLS}`);
  const earlier = useAnswer<{ readonly items: readonly FillItem[] }>(path).answer?.body.items;
  const newest = newestFills.value?.rows;
  return useMemo(() => {
    const byTid = new Map<number, Fill>();
    for (const item of earlier ?? []) byTid.set(item.tid, readFillItem(item, Date.parse(item.time)));
    for (const { row } of newest ?? []) byTid.set(row.tid, row);
    return [...byTid.values()].filter((fill) => fill.coin === coin);
  }, [coin, earlier, newest]);
}

function linesOf(position: OpenPosition | undefined, orders: readonly OpenOrder[]): readonly PriceLine[] {
  const lines: PriceLine[] = [];
  if (position !== undefined)
    lines.push({ price: position.entryPrice, label: `${position.side} ${position.size}`, kind: 'entry' });
  if (position?.liquidationPrice != null)
    lines.push({ price: position.liquidationPrice, label: 'liquidation', kind: 'liquidation' });
  for (const { side, sizeLeft, limitPrice, triggerPrice, type } of orders.slice(0, LINES_MAX)) {
    const label = triggerPrice === null ? `${side} ${sizeLeft}` : type;
    lines.push({ price: triggerPrice ?? limitPrice, label, kind: side });
  }
  return lines;
}

/** Candles in the table, the newest. */
const ROWS_SHOWN = 50;

interface CandlesProps extends CandleDrawing {
  /** Changes when other candles are shown: the chart is then drawn again. */
  readonly name: string;
  readonly sentence: string;
}

/**
 * The candles of a coin with the account's fills, position and orders. Readers get a sentence made from the data, and the rows as
 * a table on demand.
 */
function CandleChart({ name, sentence, candles, fills, lines }: CandlesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<ReturnType<typeof drawCandles> | undefined>(undefined);
  const newest = useRef<CandleDrawing>({ candles, fills, lines });
  newest.current = { candles, fills, lines };
  const [isTable, setIsTable] = useState(false);
  const [colours, zone] = [theme.value, timeZone.value];

  useEffect(() => {
    let isGone = false;
    void import('../../parts/chart/draw.ts').then(({ drawCandles: draw }) => {
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
function countOf(timeMs: number, { candles, fills }: Pick<CandleDrawing, 'candles' | 'fills'>): number {
  const next = candles.find((candle) => candle.timeMs > timeMs)?.timeMs ?? Number.POSITIVE_INFINITY;
  return fills.filter((fill) => fill.timeMs >= timeMs && fill.timeMs < next).length;
}

/** The length of a candle on the chart, kept for the next visit. */
const chartInterval = kept<Interval>('chartInterval', '15m', Object.keys(INTERVALS) as Interval[]);
