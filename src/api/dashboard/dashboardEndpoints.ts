// The endpoints that a dashboard reads.

import { Type } from '@sinclair/typebox';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Admission } from '../access/admission.ts';
import type { HeldBytes } from '../access/limits/heldBytes.ts';
import { requireReader } from '../account/owner.ts';
import { BAD_PAGE, LIST, pageOf, type ReadingParts, reading, TOO_MANY, tellSource } from '../account/reading.ts';
import { HEAVY, LIGHT } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint, type MountedEndpoint } from '../http/endpoint.ts';
import { choiceOf, choiceParameter, listParameters, readListQuery } from '../http/listQuery.ts';
import { Group, readGroup } from './accounts.ts';
import { FillPage, readFills } from './fills.ts';
import { ListedStatus, ORDER_STATUSES, OrderPage, readOpenOrders, readOrders } from './orders.ts';
import { Overview, Positions, readOverview, readPositions } from './overview.ts';

export interface DashboardParts extends ReadingParts {
  readonly admission: Pick<Admission, 'addWeight'>;
  readonly mongo: MongoConnection;
  readonly held: HeldBytes;
}

/** Of all accounts of the user. */
export const groupEndpoint = endpoint({
  id: 'showGroup',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/group',
  tag: 'Dashboard',
  summary: 'All accounts of the user, and their totals: a transfer between them changes none.',
  answer: { about: 'The accounts, the master first.', schema: Group },
  errors: TOO_MANY,
  credential: 'either',
  scope: 'read',
  asks: ['unboundKey'],
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
];
