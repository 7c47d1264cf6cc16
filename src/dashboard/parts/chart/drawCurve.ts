// The curve itself, drawn by lightweight-charts; loaded when a page first shows one.
import { AreaSeries, BaselineSeries } from 'lightweight-charts';
import { percent } from '../../domain/numberText.ts';
import { MONEY, type Point, seriesData, timeChart } from './timeChart.ts';

/** Money above nothing, or a fall as a share below 0. */
export type Drawing = 'money' | 'fall';

/** @param frame what the chart fills */
export function drawCurve(frame: HTMLElement, drawing: Drawing) {
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
