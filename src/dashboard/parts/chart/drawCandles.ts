// The candles of a coin, drawn by lightweight-charts: volume below, own fills as marks that lead to their evidence, lines for what
// the account has at a price.
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IPriceLine,
  LineStyle,
  type SeriesMarker,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { type Candle, candleAt } from '../../domain/market/candles.ts';
import { decimalsOf } from '../../domain/market/exactSums.ts';
import { moment, type TimeZone } from '../../domain/timeText.ts';
import type { Fill } from '../../domain/wire/fill.ts';
import { chartColours } from './chartColours.ts';

/** A price at which the account has something. */
export interface PriceLine {
  readonly price: string;
  readonly label: string;
  readonly kind: 'entry' | 'liquidation' | 'buy' | 'sell';
}

export interface Drawing {
  readonly candles: readonly Candle[];
  readonly fills: readonly Fill[];
  readonly lines: readonly PriceLine[];
}

interface Options {
  readonly zone: TimeZone;
  /** A mark was chosen. */
  readonly onFill: (tid: string) => void;
}

const toTime = (timeMs: number): UTCTimestamp => (timeMs / 1_000) as UTCTimestamp;

/** @param frame what the chart fills */
export function drawCandles(frame: HTMLElement, { zone, onFill }: Options) {
  const colours = chartColours();
  const textOf = (time: Time): string => moment(Number(time) * 1_000, { zone, nowMs: Date.now() });
  const chart = createChart(frame, {
    autoSize: true,
    layout: { attributionLogo: false, background: { color: 'transparent' }, textColor: colours.text, fontFamily: colours.font },
    grid: { vertLines: { color: colours.line }, horzLines: { color: colours.line } },
    rightPriceScale: { borderVisible: false },
    localization: { timeFormatter: textOf },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      secondsVisible: false,
      rightOffset: 4,
      tickMarkFormatter: (time: Time, type: TickMarkType) => {
        const [day = '', hour = ''] = textOf(time).split(' ');
        return type === TickMarkType.Time || type === TickMarkType.TimeWithSeconds ? hour.slice(0, 5) : day;
      },
    },
  });
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: colours.up,
    downColor: colours.down,
    wickUpColor: colours.up,
    wickDownColor: colours.down,
    borderVisible: false,
  });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    color: colours.line,
    lastValueVisible: false,
    priceLineVisible: false,
  });
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.85, bottom: 0 } });
  const marks = createSeriesMarkers(candles, []);
  chart.subscribeClick(({ hoveredInfo }) => {
    if (typeof hoveredInfo?.objectId === 'string') onFill(hoveredInfo.objectId);
  });
  const colourOf = { entry: colours.accent, liquidation: colours.old, buy: colours.up, sell: colours.down };
  let lines: readonly IPriceLine[] = [];
  let drawn: readonly Candle[] = [];
  let shown: { readonly fills: readonly Fill[]; readonly lines: readonly PriceLine[]; readonly candles: number } | undefined;

  const drawRows = (rows: readonly Candle[]): void => {
    const isContinued = drawn.length > 0 && rows[0]?.timeMs === drawn[0]?.timeMs;
    const from = isContinued ? Math.max(0, drawn.length - 1) : 0;
    const bars = rows.slice(from).map((row) => ({
      bar: { time: toTime(row.timeMs), open: +row.open, high: +row.high, low: +row.low, close: +row.close },
      sum: { time: toTime(row.timeMs), value: +row.volume },
    }));
    if (isContinued) {
      for (const { bar, sum } of bars) {
        candles.update(bar);
        volume.update(sum);
      }
    } else {
      const decimals = Math.max(0, ...rows.slice(-50).map(({ close }) => decimalsOf(close.replace(/\.0$/, ''))));
      candles.applyOptions({ priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals } });
      candles.setData(bars.map(({ bar }) => bar));
      volume.setData(bars.map(({ sum }) => sum));
      chart.timeScale().setVisibleLogicalRange({ from: rows.length - 120, to: rows.length + 4 });
    }
    drawn = rows;
  };
  return {
    draw({ candles: rows, fills, lines: wanted }: Drawing): void {
      if (rows !== drawn) drawRows(rows);
      const isMarked = shown?.fills === fills && shown.candles === rows.length;
      if (!isMarked) marks.setMarkers(marksOf(rows, fills, colours));
      const isLined = shown?.lines === wanted;
      shown = { fills, lines: wanted, candles: rows.length };
      if (isLined) return;
      for (const line of lines) candles.removePriceLine(line);
      lines = wanted.map(({ price, label, kind }) =>
        candles.createPriceLine({
          price: +price,
          title: label,
          color: colourOf[kind],
          lineWidth: 1,
          lineStyle: kind === 'entry' ? LineStyle.Solid : LineStyle.Dashed,
          axisLabelVisible: true,
        }),
      );
    },
    remove: () => chart.remove(),
  };
}

function marksOf(rows: readonly Candle[], fills: readonly Fill[], { up, down }: { up: string; down: string }) {
  return fills
    .flatMap((fill): SeriesMarker<Time>[] => {
      const candle = candleAt(rows, fill.timeMs);
      if (candle === undefined) return [];
      const isBuy = fill.side === 'buy';
      return [
        {
          id: String(fill.tid),
          time: toTime(candle.timeMs),
          position: isBuy ? 'belowBar' : 'aboveBar',
          shape: isBuy ? 'arrowUp' : 'arrowDown',
          color: isBuy ? up : down,
        },
      ];
    })
    .sort((a, b) => Number(a.time) - Number(b.time));
}
