// The chart of a market: candles as they come, own fills on them, lines for the position and the open orders.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Candle, INTERVALS, type Interval } from '../../domain/market/candles.ts';
import { chartSentence } from '../../domain/market/marketTexts.ts';
import type { OpenPosition } from '../../domain/wire/accountState.ts';
import { type Fill, type FillItem, readFillItem } from '../../domain/wire/fill.ts';
import type { OpenOrder } from '../../domain/wire/openOrder.ts';
import { account } from '../../state/account.ts';
import { fills as newestFills } from '../../state/fills.ts';
import { followCandles } from '../../state/market/candles.ts';
import { chartInterval } from '../../state/market/chartInterval.ts';
import { market } from '../../state/market/market.ts';
import { marks } from '../../state/marks.ts';
import { accountPath } from '../../state/paths.ts';
import { CandleChart } from '../chart/CandleChart.tsx';
import type { PriceLine } from '../chart/drawCandles.ts';
import { ErrorState } from '../states.tsx';
import { Tabs } from '../Tabs.tsx';
import { useAnswer } from '../useAnswer.ts';

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

/** Own fills of the coin: those of before, and those that come. */
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
