// Charts as lightweight-charts draws them: candles, a curve, several lines. They are one script, because the library is nearly all of it.
import {
  AreaSeries,
  BaselineSeries,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  LineSeries,
  LineStyle,
  type SeriesMarker,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Fill } from '../../domain/account/wireAccount.ts';
import { decimalsOf } from '../../domain/exactSums.ts';
import { drawnPoints } from '../../domain/figures/drawnPoints.ts';
import { type Candle, candleAt } from '../../domain/market/candles.ts';
import { moment, percent, type TimeZone, usd } from '../../domain/texts.ts';
import { MINUTE_MS } from '../../domain/units.ts';
import { timeZone } from '../../state/settings.ts';

/** A price at which the account has something. */
export interface PriceLine {
  readonly price: string;
  readonly label: string;
  readonly kind: 'entry' | 'liquidation' | 'buy' | 'sell';
}

export interface CandleDrawing {
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

/**
 * Draws the candles of a coin: volume below, own fills as marks that lead to their evidence, lines for the account's position and
 * orders.
 * @param frame the element that the chart fills
 */
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
    draw({ candles: rows, fills, lines: wanted }: CandleDrawing): void {
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

/** Money above nothing, or a fall as a share below 0. */
export type CurveDrawing = 'money' | 'fall';

/**
 * Draws a curve.
 * @param frame the element that the chart fills
 */
export function drawCurve(frame: HTMLElement, drawing: CurveDrawing) {
  const { chart, colours } = timeChart(frame);
  const line = { lineWidth: 2, priceLineVisible: false } as const;
  const series =
    drawing === 'money'
      ? chart.addSeries(AreaSeries, {
          ...line,
          lineColor: colours.accent,
          topColor: colours.accentArea,
          bottomColor: 'transparent',
          priceFormat: MONEY,
        })
      : chart.addSeries(BaselineSeries, {
          ...line,
          baseValue: { type: 'price', price: 0 },
          bottomLineColor: colours.down,
          bottomFillColor1: 'transparent',
          bottomFillColor2: 'transparent',
          topLineColor: colours.down,
          priceFormat: { type: 'custom', minMove: 0.0001, formatter: (value: number) => percent(value) },
        });
  return {
    draw(points: readonly Point[]): void {
      series.setData(seriesData(points));
      chart.timeScale().fitContent();
    },
    remove: () => chart.remove(),
  };
}

export interface Line {
  readonly colour: string;
  /** The sum stands out among its parts. */
  readonly isThick: boolean;
  readonly points: readonly Point[];
}

/**
 * Draws several curves in one picture.
 * @param frame the element that the chart fills
 */
export function drawLines(frame: HTMLElement, lines: readonly Line[]): { remove(): void } {
  const { chart } = timeChart(frame);
  for (const { colour, isThick, points } of lines) {
    const series = chart.addSeries(LineSeries, {
      color: colour,
      lineWidth: isThick ? 3 : 1,
      priceLineVisible: false,
      lastValueVisible: isThick,
      priceFormat: MONEY,
    });
    series.setData(seriesData(points));
  }
  chart.timeScale().fitContent();
  return { remove: () => chart.remove() };
}

/** ms since the epoch; USD, or a share. */
export type Point = readonly [timeMs: number, value: string];

/**
 * An empty chart over time that can be neither moved nor scaled. The library's logo is switched off because the library makes it
 * with innerHTML, which this page's policy forbids; the notice that its licence asks for is on the page's foot.
 * @param frame the element that the chart fills
 */
export function timeChart(frame: HTMLElement): { readonly chart: IChartApi; readonly colours: ReturnType<typeof chartColours> } {
  const colours = chartColours();
  const chart = createChart(frame, {
    autoSize: true,
    layout: { attributionLogo: false, background: { color: 'transparent' }, textColor: colours.text, fontFamily: colours.font },
    grid: { vertLines: { visible: false }, horzLines: { color: colours.line } },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false },
    handleScroll: false,
    handleScale: false,
  });
  return { chart, colours };
}

/** How amounts of USD stand on the scale. */
export const MONEY = { type: 'custom', minMove: 0.01, formatter: (value: number) => usd(String(value)) } as const;

/** The points as the library takes them, oldest first. */
export const seriesData = (points: readonly Point[]): { time: UTCTimestamp; value: number }[] =>
  drawnPoints(points, shiftMs).map(([second, value]) => ({ time: second as UTCTimestamp, value }));

/** The library draws UTC: moments are moved where the reader looks at local ones. */
const shiftMs = (timeMs: number): number => (timeZone.peek() === 'utc' ? 0 : -new Date(timeMs).getTimezoneOffset() * MINUTE_MS);

/** The style sheet's colours for what is drawn on a canvas. */
export function chartColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('quiet'),
    line: of('line'),
    accent: of('accent'),
    accentArea: of('accent-area'),
    up: of('up'),
    down: of('down'),
    old: of('old'),
    font: style.fontFamily,
  };
}
