// Reads the query parameters of the dashboard's endpoints: paging, filters and periods. A wrong one is refused by
// name.
import { type TSchema, Type } from '@sinclair/typebox';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { QUERY_TIME, queryTime } from '../contract/requestValues.ts';
import { limitParameter, readLimit } from './requestReader.ts';

const TEXT_MAX = 300;
const TIME = new RegExp(QUERY_TIME);
const MILLISECONDS = /^\d+$/;

export const PERIODS = { '1d': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, all: Number.POSITIVE_INFINITY } as const;
export type Period = keyof typeof PERIODS;

export const INTERVALS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': DAY_MS,
} as const;

/** Filters and page of a list. Both times are included. */
export interface ListQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly coin: string | undefined;
  readonly startMs: number;
  readonly endMs: number | undefined;
}

/** What lists take, for the published contract. */
export const listParameters = {
  limit: limitParameter,
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.', minLength: 1, maxLength: TEXT_MAX })),
  coin: Type.Optional(Type.String({ description: 'Only of this coin.', minLength: 1, maxLength: TEXT_MAX, examples: ['BTC'] })),
  start_time: queryTime('ISO 8601 or milliseconds; included.'),
  end_time: queryTime('ISO 8601 or milliseconds; included.'),
};

/** One of some words that may be left out, for the published contract. */
export const choiceParameter = (choice: TSchema, description: string) => Type.Optional(described(choice, description));

export const PeriodName = named('Period', words(...(Object.keys(PERIODS) as Period[])));
export const periodParameter = choiceParameter(PeriodName, 'Absent = all.');

/** @throws {RequestError} 400 naming the parameter that cannot be read */
export function readListQuery(ctx: RouteContext): ListQuery {
  const limit = readLimit(parameter(ctx, 'limit'));
  const startMs = timeOf(ctx, 'start_time') ?? 0;
  const endMs = timeOf(ctx, 'end_time');
  if (endMs !== undefined && endMs < startMs)
    throw new RequestError(400, 'contradiction', 'end_time must not be before start_time.');
  return { limit, cursor: parameter(ctx, 'cursor'), coin: parameter(ctx, 'coin'), startMs, endMs };
}

/** One of some words, or nothing. @throws {RequestError} 400 for any other */
export function choiceOf<Word extends string>(ctx: RouteContext, name: string, words: readonly Word[]): Word | undefined {
  const text = parameter(ctx, name);
  if (text === undefined) return undefined;
  const word = words.find((one) => one === text);
  if (word === undefined) throw unreadable(name, `one of ${words.join(', ')}`);
  return word;
}

export const periodOf = (ctx: RouteContext): Period => choiceOf(ctx, 'period', Object.keys(PERIODS) as Period[]) ?? 'all';

/** Start of a period that ends now, ms. */
export const startOf = (period: Period, nowMs: number): number => Math.max(0, nowMs - PERIODS[period]);

function parameter(ctx: RouteContext, name: string): string | undefined {
  const value = ctx.query[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) || value === '' || value.length > TEXT_MAX) throw unreadable(name, 'given once, and short');
  return value;
}

/** ISO 8601, or milliseconds since the epoch, which nothing here is before. */
export function timeOf(ctx: RouteContext, name: string): number | undefined {
  const text = parameter(ctx, name);
  if (text === undefined) return undefined;
  if (!TIME.test(text)) throw unreadable(name, 'an ISO 8601 time or milliseconds since the epoch');
  return Math.max(0, MILLISECONDS.test(text) ? Number(text) : Date.parse(text.replace(' ', '+')));
}

const unreadable = (name: string, expected: string): RequestError =>
  new RequestError(400, 'invalid_request', `${name} must be ${expected}.`);
