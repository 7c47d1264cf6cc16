// What the charts of lightweight-charts over time have in common. Its logo is switched off because the library makes it with innerHTML, which
// this page's policy forbids; the notice that its licence asks for is on the page's foot.
import { createChart, type IChartApi, type UTCTimestamp } from 'lightweight-charts';
import { drawnPoints } from '../../domain/figures/drawnPoints.ts';
import { usd } from '../../domain/numberText.ts';
import { MINUTE_MS } from '../../domain/units.ts';
import { timeZone } from '../../state/settings.ts';
import { chartColours } from './chartColours.ts';

/** ms since the epoch; USD, or a share. */
export type Point = readonly [timeMs: number, value: string];

/** An empty chart that can be neither moved nor scaled. @param frame what it fills */
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
