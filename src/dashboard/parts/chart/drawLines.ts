// Several curves in one picture, drawn by lightweight-charts; loaded when a page first shows them.
import { createChart, LineSeries, type UTCTimestamp } from 'lightweight-charts';
import { usd } from '../../domain/numberText.ts';
import { timeZone } from '../../state/settings.ts';
import { chartColours } from './chartColours.ts';
import type { Point } from './drawCurve.ts';

export interface Line {
  readonly colour: string;
  /** The sum stands out among its parts. */
  readonly isThick: boolean;
  readonly points: readonly Point[];
}

/** @param frame what the chart fills */
export function drawLines(frame: HTMLElement, lines: readonly Line[]): { remove(): void } {
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
  for (const { colour, isThick, points } of lines) {
    const series = chart.addSeries(LineSeries, {
      color: colour,
      lineWidth: isThick ? 3 : 1,
      priceLineVisible: false,
      lastValueVisible: isThick,
      priceFormat: { type: 'custom', minMove: 0.01, formatter: (value: number) => usd(String(value)) },
    });
    const bySecond = new Map(points.map(([timeMs, value]) => [Math.floor((timeMs + shiftMs(timeMs)) / 1_000), Number(value)]));
    series.setData([...bySecond].map(([time, value]) => ({ time: time as UTCTimestamp, value })));
  }
  chart.timeScale().fitContent();
  return { remove: () => chart.remove() };
}

/** The library draws UTC: moments are moved where the reader looks at local ones. */
const shiftMs = (timeMs: number): number => (timeZone.peek() === 'utc' ? 0 : -new Date(timeMs).getTimezoneOffset() * 60_000);
