// The weight that the venue counts for a question: wire-format 7.3. Rows are not known before the answer, so as many are reckoned
// as the question can get.

import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

const LIGHT_WEIGHT = 2;
const WEIGHT = 20;
const LIGHT_TYPES: ReadonlySet<unknown> = new Set([
  ...['l2Book', 'allMids', 'exchangeStatus'],
  ...['clearinghouseState', 'spotClearinghouseState', 'orderStatus'],
]);
const CANDLES_PER_WEIGHT = 60;
const ROWS_PER_WEIGHT = 20;
const CANDLES_MAX = 5000;
const FUNDINGS_MAX = 500;
const TRADES_MAX = 10;
/** Shortest length of candles by the unit in their name. */
const UNIT_MS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 168 * HOUR_MS,
  M: 672 * HOUR_MS,
};

/** The weight of the heaviest question that clients can have asked: 5,000 candles. */
export const WEIGHT_MAX = WEIGHT + Math.ceil(CANDLES_MAX / CANDLES_PER_WEIGHT);

interface Question {
  readonly type?: unknown;
  readonly startTime?: unknown;
  readonly endTime?: unknown;
  readonly req?: { readonly interval?: unknown; readonly startTime?: unknown; readonly endTime?: unknown };
}

/** @param question body of an `info` request */
export function requestWeight(question: object, nowMs: number): number {
  const { type, req, startTime, endTime } = question as Question;
  if (LIGHT_TYPES.has(type)) return LIGHT_WEIGHT;
  if (type === 'candleSnapshot' && req !== undefined) {
    const rows = rowsOf({ ...req, everyMs: lengthOf(req.interval), nowMs });
    return WEIGHT + Math.ceil(Math.min(CANDLES_MAX, rows) / CANDLES_PER_WEIGHT);
  }
  if (type === 'fundingHistory') {
    const rows = rowsOf({ startTime, endTime, everyMs: HOUR_MS, nowMs });
    return WEIGHT + Math.ceil(Math.min(FUNDINGS_MAX, rows) / ROWS_PER_WEIGHT);
  }
  if (type === 'recentTrades') return WEIGHT + Math.ceil(TRADES_MAX / ROWS_PER_WEIGHT);
  return WEIGHT;
}

function rowsOf(span: { startTime?: unknown; endTime?: unknown; everyMs: number; nowMs: number }): number {
  const { startTime, endTime, everyMs, nowMs } = span;
  const untilMs = typeof endTime === 'number' ? endTime : nowMs;
  const fromMs = typeof startTime === 'number' ? startTime : 0;
  return Math.max(0, Math.floor((untilMs - fromMs) / everyMs)) + 1;
}

function lengthOf(interval: unknown): number {
  const text = String(interval);
  return (UNIT_MS[text.slice(-1)] ?? MINUTE_MS) * (Number.parseInt(text, 10) || 1);
}
