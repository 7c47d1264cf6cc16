// Several curves in one picture, drawn by lightweight-charts; loaded when a page first shows them.
import { LineSeries } from 'lightweight-charts';
import { MONEY, type Point, seriesData, timeChart } from './timeChart.ts';

export interface Line {
  readonly colour: string;
  /** The sum stands out among its parts. */
  readonly isThick: boolean;
  readonly points: readonly Point[];
}

/** @param frame what the chart fills */
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
