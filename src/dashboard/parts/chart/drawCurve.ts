// The curve itself, drawn by lightweight-charts; loaded when a page first shows one. Its logo is switched off because the
// library makes it with innerHTML, which this page's policy forbids; the notice that its licence asks for is on the page's foot.
import { AreaSeries, BaselineSeries, createChart, type UTCTimestamp } from 'lightweight-charts';
import { percent, usd } from '../../domain/numberText.ts';
import { timeZone } from '../../state/settings.ts';
import { chartColours } from './chartColours.ts';

/** ms since the epoch; USD, or a share. */
export type Point = readonly [timeMs: number, value: string];

/** Money above nothing, or a fall as a share below 0. */
export type Drawing = 'money' | 'fall';

/** @param frame what the chart fills */
export function drawCurve(frame: HTMLElement, drawing: Drawing) {
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
  const line = { lineWidth: 2, priceLineVisible: false } as const;
  const series =
    drawing === 'money'
      ? chart.addSeries(AreaSeries, {
          ...line,
          lineColor: colours.accent,
          topColor: colours.accentArea,
          bottomColor: 'transparent',
          priceFormat: { type: 'custom', minMove: 0.01, formatter: (value: number) => usd(String(value)) },
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
      const bySecond = new Map(points.map(([timeMs, value]) => [Math.floor((timeMs + shiftMs(timeMs)) / 1_000), Number(value)]));
      series.setData([...bySecond].map(([time, value]) => ({ time: time as UTCTimestamp, value })));
      chart.timeScale().fitContent();
    },
    remove: () => chart.remove(),
  };
}

/** The library draws UTC: moments are moved where the reader looks at local ones. */
const shiftMs = (timeMs: number): number => (timeZone.peek() === 'utc' ? 0 : -new Date(timeMs).getTimezoneOffset() * 60_000);
