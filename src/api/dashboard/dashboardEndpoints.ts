// The endpoints that a dashboard reads.

import { type TSchema, Type } from '@sinclair/typebox';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Admission } from '../access/admission.ts';
import type { HeldBytes } from '../access/limits/heldBytes.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { requireReader } from '../account/requireReader.ts';
import { AccountTerms, toAccountTerms } from '../account/termsFields.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import { EquityCurve, readEquityCurve } from '../accounts/equityCurve.ts';
import type { Call, Services } from '../accounts/services.ts';
import { words } from '../contract/answerValues.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { HEAVY, LIGHT } from '../domain/requestPrice.ts';
import { exportEndpoint } from '../export/exportEndpoint.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint, type MountedEndpoint } from '../http/endpoint.ts';
import {
  choiceOf,
  choiceParameter,
  INTERVALS,
  listParameters,
  periodOf,
  periodParameter,
  readListQuery,
} from '../http/listQuery.ts';
import { RulesAnswer, toRulesAnswer } from '../rules/ruleFields.ts';
import { readTearsheet, type TearsheetAnswer } from '../tearsheet/figures.ts';
import { RoundTripPage, readRoundTrips } from '../tearsheet/roundTrips.ts';
import { answerSheet, tearsheetOwn } from '../tearsheet/tearsheet.ts';
import { RoundTripFigures, readRoundTripFigures, tripSumsQuery } from '../tearsheet/tripSums.ts';
import { Group, readGroup } from './accounts.ts';
import { Analytics, readAnalytics } from './analytics.ts';
import { FillPage, readFills } from './fills.ts';
import { ListedStatus, ORDER_STATUSES, OrderPage, readOpenOrders, readOrders } from './orders.ts';
import { Overview, Positions, readOverview, readPositions } from './overview.ts';
import { type AccountReads, type ReadingParts, reading, TOO_MANY, tellSource } from './reading.ts';

const LIST = Type.Object(listParameters);
const INTERVAL_NAMES = Object.keys(INTERVALS) as (keyof typeof INTERVALS)[];
const IntervalName = named('Interval', words(...INTERVAL_NAMES));

export interface DashboardParts extends ReadingParts {
  readonly admission: Pick<Admission, 'addWeight'>;
  readonly mongo: MongoConnection;
  readonly held: HeldBytes;
}

/** Of all accounts of the user. */
const groupEndpoint = endpoint({
  id: 'showGroup',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/group',
  tag: 'Dashboard',
  summary: 'All accounts of the user, and their totals: a transfer between them changes none.',
  answer: { about: 'The accounts, the master first.', schema: Group },
  errors: { ...TOO_MANY, 403: ['bound_key'] },
  credential: 'either',
  scope: 'read',
  price: HEAVY,
  reachesAccount: true,
  handle:
    ({ services, admission, reads }: DashboardParts) =>
    async (ctx) => {
      tellSource(ctx, services);
      const call = requireReader(ctx);
      // The answer costs what asking for each account does.
      const onCount = (accounts: number) => admission.addWeight(ctx.state.request, LIGHT * accounts);
      answerJson(ctx, await reads.list(call, () => readGroup(services, call, onCount)));
    },
});

const pageOf = (schema: TSchema): Endpoint['answer'] => ({ about: 'A page, newest first.', schema });
const BAD_PAGE = { 400: ['invalid_request', 'contradiction', 'invalid_cursor'], ...TOO_MANY };

export const dashboardEndpoints: readonly MountedEndpoint<DashboardParts>[] = [
  reading({
    name: 'overview',
    id: 'showOverview',
    summary: 'The account at this moment.',
    answer: { about: 'The account.', schema: Overview },
    read: readOverview,
  }),
  reading({
    name: 'positions',
    id: 'listPositions',
    summary: 'Open positions.',
    answer: { about: 'The positions.', schema: Positions },
    read: readPositions,
  }),
  reading({
    name: 'orders',
    id: 'listOrders',
    summary: 'Orders, each once as it stands, newest first.',
    query: Type.Object({ status: choiceParameter(ListedStatus, 'Absent = all.'), ...listParameters }),
    answer: pageOf(OrderPage),
    errors: BAD_PAGE,
    read: (seen, call, { ctx, reads }) => {
      const query = { ...readListQuery(ctx), status: choiceOf(ctx, 'status', ORDER_STATUSES) };
      return reads.list(call, () => readOrders(seen, call, query));
    },
  }),
  reading({
    name: 'orders/open',
    id: 'listOpenOrders',
    summary: 'Open orders, newest first.',
    query: LIST,
    answer: pageOf(OrderPage),
    errors: BAD_PAGE,
    read: (seen, call, { ctx, reads }) => {
      const query = readListQuery(ctx);
      return reads.list(call, () => readOpenOrders(seen, call, query));
    },
  }),
  reading({
    name: 'fills',
    id: 'listFills',
    summary: 'Executions, those of TWAP slices among them, newest first.',
    query: LIST,
    answer: pageOf(FillPage),
    errors: BAD_PAGE,
    read: (seen, call, { ctx, reads }) => {
      const query = readListQuery(ctx);
      return reads.list(call, () => readFills(seen.history, call, query));
    },
  }),
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
  reading({
    name: 'rules',
    id: 'showHouseRules',
    summary: 'The house rules of the account, how far it is from them, and which are broken.',
    answer: { about: 'The rules; null = none of that kind.', schema: RulesAnswer },
    read: async (seen, call) => toRulesAnswer((await askAccount(call, seen, { kind: 'houseRules' })).house),
  }),
  reading({
    name: 'terms',
    id: 'showTerms',
    summary: 'Under which terms fills of the account are: its fees, and when resting orders fill.',
    answer: { about: 'The terms.', schema: AccountTerms },
    read: async (seen, call) => toAccountTerms((await askAccount(call, seen, { kind: 'summary' })).summary.terms),
  }),
  reading({
    ...tearsheetOwn.file,
    name: 'tearsheet',
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: readSheet,
    write: answerSheet,
  }),
  reading({
    ...tearsheetOwn.figures,
    name: 'tearsheet/figures',
    errors: { 400: ['invalid_request'], ...TOO_MANY },
    read: readSheet,
  }),
  groupEndpoint,
  exportEndpoint,
];

function readSheet(
  seen: Services,
  call: Call,
  { ctx, reads }: { ctx: RouteContext; reads: AccountReads },
): Promise<TearsheetAnswer> {
  const period = periodOf(ctx);
  return reads.history(seen, call, `tearsheet ${period}`, () => readTearsheet(seen, call, period));
}
