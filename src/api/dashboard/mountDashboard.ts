// Mounts the endpoints that a dashboard reads, with an access token or an API key. They only read, so they also
// answer for an account whose trial is over.

import { type TSchema, Type } from '@sinclair/typebox';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Admission } from '../access/admission.ts';
import type { HeldBytes } from '../access/limits/heldBytes.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount } from '../account/accountParameter.ts';
import type { AccountAnswers } from '../accounts/accountAnswers.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import type { Call, Services } from '../accounts/services.ts';
import { tellMoment } from '../accounts/tellMoment.ts';
import type { AuthRouter } from '../auth/authParts.ts';
import { words } from '../contract/answerValues.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { HEAVY, LIGHT } from '../domain/requestPrice.ts';
import { exportEndpoint, mountExport } from '../export/mountExport.ts';
import { answerJson } from '../http/answerJson.ts';
import { RulesAnswer, toRulesAnswer } from '../rules/ruleFields.ts';
import { readTearsheet, type TearsheetAnswer } from '../tearsheet/figures.ts';
import { RoundTripPage, readRoundTrips } from '../tearsheet/roundTrips.ts';
import { answerSheet, tearsheetOwn } from '../tearsheet/tearsheet.ts';
import { RoundTripFigures, readRoundTripFigures, tripSumsQuery } from '../tearsheet/tripSums.ts';
import { AccountTerms, toAccountTerms } from '../terms/termsFields.ts';
import { Analytics, readAnalytics } from './analytics.ts';
import { EquityCurve, readEquityCurve } from './equityCurve.ts';
import { FillPage, readFills } from './fills.ts';
import { Group, readGroup } from './group/group.ts';
import { KeptReads } from './keptReads.ts';
import { ListedStatus, ORDER_STATUSES, OrderPage, readOpenOrders, readOrders } from './orders.ts';
import { Overview, Positions, readOverview, readPositions } from './overview.ts';
import { choiceOf, choiceParameter, INTERVALS, listParameters, periodOf, periodParameter, readListQuery } from './query.ts';
import { ReadingTurns } from './readingTurns.ts';
import { requireReader } from './requireReader.ts';

const LIST = Type.Object(listParameters);
const INTERVAL_NAMES = Object.keys(INTERVALS) as (keyof typeof INTERVALS)[];
const IntervalName = named('Interval', words(...INTERVAL_NAMES));

/** What the endpoints have in common. */
function reading(name: string, own: Pick<Endpoint, 'id' | 'summary' | 'description' | 'query' | 'answer' | 'errors'>): Endpoint {
  return {
    ...own,
    query: Type.Object({ ...own.query?.properties, account: accountParameter }),
    errors: { ...own.errors, ...ACCOUNT_ERRORS, 400: [...(own.errors?.[400] ?? []), ...ACCOUNT_ERRORS[400]] },
    method: 'get',
    path: `/v1/exchanges/:exchange/account/${name}`,
    tag: 'Dashboard',
    credential: 'either',
    scope: 'read',
    price: HEAVY,
    reachesAccount: true,
  };
}

const TOO_MANY = { 429: ['too_many_reads'], 503: ['busy'] };

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
});

const pageOf = (schema: TSchema): Endpoint['answer'] => ({ about: 'A page, newest first.', schema });
const BAD_PAGE = { 400: ['invalid_request', 'contradiction', 'invalid_cursor'], ...TOO_MANY };

/** Reads of a whole history take seconds, in pieces: two at once keep a node's time for trading. */
const HISTORY_TURNS = { atOnce: 2, atOnceOfUser: 1, waiting: 64, waitingOfUser: 4 };
/** A page of a list reads 8,192 rows at most. */
const LIST_TURNS = { atOnce: 8, atOnceOfUser: 2, waiting: 256, waitingOfUser: 8 };

const endpoints = {
  overview: reading('overview', {
    id: 'showOverview',
    summary: 'The account at this moment.',
    answer: { about: 'The account.', schema: Overview },
  }),
  positions: reading('positions', {
    id: 'listPositions',
    summary: 'Open positions.',
    answer: { about: 'The positions.', schema: Positions },
  }),
  orders: reading('orders', {
    id: 'listOrders',
    summary: 'Orders, each once as it stands, newest first.',
    query: Type.Object({ status: choiceParameter(ListedStatus, 'Absent = all.'), ...listParameters }),
    answer: pageOf(OrderPage),
    errors: BAD_PAGE,
  }),
  openOrders: reading('orders/open', {
    id: 'listOpenOrders',
    summary: 'Open orders, newest first.',
    query: LIST,
    answer: pageOf(OrderPage),
    errors: BAD_PAGE,
  }),
  fills: reading('fills', {
    id: 'listFills',
    summary: 'Executions, those of TWAP slices among them, newest first.',
    query: LIST,
    answer: pageOf(FillPage),
    errors: BAD_PAGE,
  }),
  roundTrips: reading('round-trips', {
    id: 'listRoundTrips',
    summary: 'Positions from flat to flat, newest first; a fill that flips ends one.',
    query: LIST,
    answer: pageOf(RoundTripPage),
    errors: BAD_PAGE,
  }),
  roundTripFigures: reading('round-trips/figures', {
    id: 'showRoundTripFigures',
    summary: 'What the round trips that ended in a range of time came to.',
    description:
      'It costs two look-ups, however many trips there are. Largest wins and losses, and figures by coin, are in the analytics.',
    query: tripSumsQuery,
    answer: { about: 'The figures; money in USD.', schema: RoundTripFigures },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
  }),
  analytics: reading('analytics', {
    id: 'showAnalytics',
    summary: 'What trading came to over a period.',
    query: Type.Object({ period: periodParameter }),
    answer: { about: 'The figures; money in USD.', schema: Analytics },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
  }),
  equityCurve: reading('equity-curve', {
    id: 'showEquityCurve',
    summary: 'Account value and balance over a period.',
    query: Type.Object({
      period: periodParameter,
      interval: choiceParameter(IntervalName, 'At most one point in each; absent = every point.'),
    }),
    answer: { about: 'At most 1,000 points, oldest first.', schema: EquityCurve },
    errors: { 400: ['invalid_request'], ...TOO_MANY },
  }),
  rules: reading('rules', {
    id: 'showHouseRules',
    summary: 'The house rules of the account, how far it is from them, and which are broken.',
    answer: { about: 'The rules; null = none of that kind.', schema: RulesAnswer },
  }),
  terms: reading('terms', {
    id: 'showTerms',
    summary: 'Under which terms fills of the account are: its fees, and when resting orders fill.',
    answer: { about: 'The terms.', schema: AccountTerms },
  }),
  tearsheet: reading('tearsheet', { ...tearsheetOwn.file, errors: { 400: ['invalid_request'], ...TOO_MANY } }),
  tearsheetFigures: reading('tearsheet/figures', {
    ...tearsheetOwn.figures,
    errors: { 400: ['invalid_request'], ...TOO_MANY },
  }),
};

/** For the published contract. */
export const dashboardEndpoints: readonly Endpoint[] = [...Object.values(endpoints), groupEndpoint, exportEndpoint];

export interface DashboardParts {
  readonly services: Services;
  readonly answers: Pick<AccountAnswers, 'read'>;
  readonly admission: Pick<Admission, 'addWeight'>;
  readonly mongo: MongoConnection;
  readonly held: HeldBytes;
}

export function mountDashboard(router: AuthRouter, { services, answers, admission, mongo, held }: DashboardParts): void {
  const lists = new ReadingTurns(LIST_TURNS);
  const histories = new ReadingTurns(HISTORY_TURNS);
  const kept = new KeptReads(services.now);
  const readHistory = <Answer>({ gateway }: Services, call: Call, name: string, read: () => Promise<Answer>): Promise<Answer> =>
    kept.read(gateway, call, name, () => histories.run(call.caller.userId, read));
  const readList = <Answer>(call: Call, read: () => Promise<Answer>): Promise<Answer> => lists.run(call.caller.userId, read);
  const tellSource = ({ res }: RouteContext): void => {
    const { market, config } = services;
    res.setHeader('X-Market-Source', market.status?.source ?? config.MARKET_SOURCE);
  };
  const mount = <Answer>(
    { path }: Endpoint,
    read: (reading: Services, call: Call, ctx: RouteContext) => Promise<Answer>,
    answer: (ctx: RouteContext, answer: Answer) => void = answerJson,
  ): void => {
    router.get(path, async (ctx) => {
      tellSource(ctx);
      const call = await callOfAccount(ctx, requireReader(ctx), services.ownAccounts);
      const { data, first } = await answers.read((reading) => read(reading, call, ctx), { withHash: false });
      tellMoment(ctx, first);
      answer(ctx, data);
    });
  };
  mount(endpoints.overview, readOverview);
  mount(endpoints.positions, readPositions);
  mount(endpoints.rules, async (reading, call) => toRulesAnswer((await askAccount(call, reading, { kind: 'houseRules' })).house));
  mount(endpoints.terms, async (reading, call) =>
    toAccountTerms((await askAccount(call, reading, { kind: 'summary' })).summary.terms),
  );
  mount(endpoints.orders, (reading, call, ctx) => {
    const query = { ...readListQuery(ctx), status: choiceOf(ctx, 'status', ORDER_STATUSES) };
    return readList(call, () => readOrders(reading, call, query));
  });
  mount(endpoints.openOrders, (reading, call, ctx) => {
    const query = readListQuery(ctx);
    return readList(call, () => readOpenOrders(reading, call, query));
  });
  mount(endpoints.fills, (reading, call, ctx) => {
    const query = readListQuery(ctx);
    return readList(call, () => readFills(reading.history, call, query));
  });
  mount(endpoints.roundTrips, (reading, call, ctx) => {
    const query = readListQuery(ctx);
    return readList(call, () => readRoundTrips(reading, call, query));
  });
  mount(endpoints.roundTripFigures, (reading, call, ctx) => {
    const query = readListQuery(ctx);
    return readList(call, () => readRoundTripFigures(reading, call, query));
  });
  mount(endpoints.analytics, (reading, call, ctx) => {
    const period = periodOf(ctx);
    return readHistory(reading, call, `analytics ${period}`, () => readAnalytics(reading, call, period));
  });
  mount(endpoints.equityCurve, (reading, call, ctx) => {
    const period = periodOf(ctx);
    const interval = choiceOf(ctx, 'interval', INTERVAL_NAMES);
    const read = () => readEquityCurve(reading, call, { period, interval });
    return readHistory(reading, call, `equity-curve ${period} ${interval}`, read);
  });
  const readSheet = (reading: Services, call: Call, ctx: RouteContext): Promise<TearsheetAnswer> => {
    const period = periodOf(ctx);
    return readHistory(reading, call, `tearsheet ${period}`, () => readTearsheet(reading, call, period));
  };
  mount(endpoints.tearsheet, readSheet, answerSheet);
  mount(endpoints.tearsheetFigures, readSheet);
  mountExport(router, { services, mongo, held, turns: histories });
  router.get(groupEndpoint.path, async (ctx) => {
    tellSource(ctx);
    const call = requireReader(ctx);
    // The answer costs what asking for each account does.
    const onCount = (accounts: number) => admission.addWeight(ctx.state.request, LIGHT * accounts);
    answerJson(ctx, await lists.run(call.caller.userId, () => readGroup(services, call, onCount)));
  });
}
