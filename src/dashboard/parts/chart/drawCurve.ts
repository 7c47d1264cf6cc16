// The curve itself, drawn by lightweight-charts; loaded when a page first shows one. Its logo is switched off because the
// library makes it with innerHTML, which this page's policy forbids; the notice that its licence asks for is on the page's foot.
import { AreaSeries, createChart, type UTCTimestamp } from 'lightweight-charts';
import { chartColours } from './chartColours.ts';

/** ms since the epoch, USD. */
export type Point = readonly [timeMs: number, value: string];

/** @param frame what the chart fills */
export function drawCurve(frame: HTMLElement) {
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
  const series = chart.addSeries(AreaSeries, {
    lineColor: colours.accent,
    topColor: colours.accentArea,
    bottomColor: 'transparent',
    lineWidth: 2,
    priceLineVisible: false,
  });
  return {
    draw(points: readonly Point[]): void {
      const bySecond = new Map(points.map(([timeMs, value]) => [Math.floor(timeMs / 1_000), Number(value)]));
      series.setData([...bySecond].map(([time, value]) => ({ time: time as UTCTimestamp, value })));
      chart.timeScale().fitContent();
    },
    remove: () => chart.remove(),
  };
}
