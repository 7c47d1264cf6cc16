// Length of a candle on the chart, kept for the next visit.
import { INTERVALS, type Interval } from '../../domain/market/candles.ts';
import { kept } from '../settings.ts';

export const chartInterval = kept<Interval>('chartInterval', '15m', Object.keys(INTERVALS) as Interval[]);
