// `historicalOrders`: the log of status changes of all orders, newest first; one oid can be in it more than once.
import { latestRows } from './accountRows.ts';
import { accountType } from './infoType.ts';
import { toStatusChange } from './orderShapes.ts';

const ROWS_MAX = 2000;

export const historicalOrders = accountType('historicalOrders', {}, async (_request, call, services) =>
  (await latestRows(call, services, { kind: 'orders', limit: ROWS_MAX })).map(toStatusChange),
);
