// The endpoints of what trading came to: round trips, figures over a period, the curve of equity, and the tearsheet.
import { Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { type AccountReads, BAD_PAGE, LIST, pageOf, type ReadingParts, reading, TOO_MANY } from '../../api/account/reading.ts';
import { EquityCurve, readEquityCurve } from '../../api/accounts/equityCurve.ts';
import type { Call, Services } from '../../api/accounts/services.ts';
import { words } from '../../api/contract/answerValues.ts';
import { named } from '../../api/contract/named.ts';
import type { MountedEndpoint } from '../../api/http/endpoint.ts';
import { choiceOf, choiceParameter, INTERVALS, periodOf, periodParameter, readListQuery } from '../../api/http/listQuery.ts';
import { Analytics, readAnalytics } from './analytics.ts';
import { readTearsheet, Tearsheet, type TearsheetAnswer } from './figures.ts';
import { RoundTripFigures, RoundTripPage, readRoundTripFigures, readRoundTrips, tripSumsQuery } from './roundTrips.ts';
import { SHEET_HEADERS, sheetOf } from './sheet.ts';

const INTERVAL_NAMES = Object.keys(INTERVALS) as (keyof typeof INTERVALS)[];
const IntervalName = named('Interval', words(...INTERVAL_NAMES));

export const analyticsEndpoints: readonly MountedEndpoint<ReadingParts>[] = [
  reading({
    name: 'round-trips',
    id: 'listRoundTrips',
    summary: 'Positions from flat to flat, newest first; a fill that flips ends one.',
    query: LIST,
    answer: pageOf(RoundTripPage),
    errors: BAD_PAGE,
    read: (seen, call, { ctx, reads }) => {
      const query = readListQuery(ctx);
      return reads.list(call, () => readRoundTrips(seen, call, query));
    },
  }),
  reading({
    name: 'round-trips/figures',
    id: 'showRoundTripFigures',
    summary: 'What the round trips that ended in a range of time came to.',
    description:
      'It costs two look-ups, however many trips there are. Largest wins and losses, and figures by coin, are in the analytics.',
    query: tripSumsQuery,
    answer: { about: 'The figures; money in USD.', schema: RoundTripFigures },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: (seen, call, { ctx, reads }) => {
      const query = readListQuery(ctx);
      return reads.list(call, () => readRoundTripFigures(seen, call, query));
    },
  }),
  reading({
    name: 'analytics',
    id: 'showAnalytics',
    summary: 'What trading came to over a period.',
    query: Type.Object({ period: periodParameter }),
    answer: { about: 'The figures; money in USD.', schema: Analytics },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: (seen, call, { ctx, reads }) => {
      const period = periodOf(ctx);
      return reads.history(seen, call, `analytics ${period}`, () => readAnalytics(seen, call, period));
    },
  }),
  reading({
    name: 'equity-curve',
    id: 'showEquityCurve',
    summary: 'Account value and balance over a period.',
    query: Type.Object({
      period: periodParameter,
      interval: choiceParameter(IntervalName, 'At most one point in each; absent = every point.'),
    }),
    answer: { about: 'At most 1,000 points, oldest first.', schema: EquityCurve },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: (seen, call, { ctx, reads }) => {
      const period = periodOf(ctx);
      const interval = choiceOf(ctx, 'interval', INTERVAL_NAMES);
      const read = () => readEquityCurve(seen, call, { period, interval });
      return reads.history(seen, call, `equity-curve ${period} ${interval}`, read);
    },
  }),
];

/**
 * The results of an account as one HTML file to keep or to send, and the figures of that file. Both are one reading, which has the bound and
 * the turn of analytics.
 */
export const tearsheetEndpoints: readonly MountedEndpoint<ReadingParts>[] = [
  reading({
    name: 'tearsheet',
    id: 'showTearsheet',
    summary: 'The results of a period as one HTML file.',
    description:
      'Months, drawdown, rolling Sharpe ratio, statistics and list of trades, from the figures of docs/analytics.md. The file has no script and ' +
      'loads nothing; it is below 512 kB.',
    query: Type.Object({ period: periodParameter }),
    answer: { about: 'The file.', schema: Type.String(), contentType: 'text/html' },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: readSheet,
    write: answerSheet,
  }),
  reading({
    name: 'tearsheet/figures',
    id: 'showTearsheetFigures',
    summary: 'What the tearsheet of a period is made of.',
    query: Type.Object({ period: periodParameter }),
    answer: { about: 'The figures, by months and days, and the newest trades.', schema: Tearsheet },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: readSheet,
  }),
];

function readSheet(
  seen: Services,
  call: Call,
  { ctx, reads }: { ctx: RouteContext; reads: AccountReads },
): Promise<TearsheetAnswer> {
  const period = periodOf(ctx);
  return reads.history(seen, call, `tearsheet ${period}`, () => readTearsheet(seen, call, period));
}

/** Answers with the file. */
function answerSheet(ctx: RouteContext, figures: TearsheetAnswer): void {
  ctx.set(SHEET_HEADERS);
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  ctx.set('Content-Disposition', `attachment; filename="${figures.account}-tearsheet-${figures.figures.period}.html"`);
  ctx.body = sheetOf(figures);
}
