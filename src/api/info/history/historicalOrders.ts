// `historicalOrders`: the log of status changes of all orders, newest first. One oid may occur more than once.

import { Type } from '@sinclair/typebox';
import type { OrderRow } from '../../../actors/core/messages/historyRows.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import { StatusChange } from '../../contract/venueForms.ts';
import { QUESTION_OF_ROWS } from '../../domain/requestPrice.ts';
import { JsonText } from '../../domain/wireText.ts';
import { accountType } from '../infoType.ts';
import { toStatusChange } from '../wireOrders.ts';
import { latestRows } from './accountRows.ts';

/** Of an answer and of the channel's first message. */
export const CHANGES_MAX = 2000;

const CONTRACT = {
  about: 'Status changes of all orders, newest first, at most 2,000; one oid can be in it more than once.',
  price: QUESTION_OF_ROWS,
  fields: {},
  answers: Type.Array(StatusChange),
};

/** Rows that are kept beside a view are written once. */
const changesText = rememberFor((rows: readonly OrderRow[]) => JsonText.of(rows.map(toStatusChange)));

export const historicalOrders = accountType('historicalOrders', CONTRACT, async (_request, call, services) =>
  changesText(await latestRows(call, services, { kind: 'orders', limit: CHANGES_MAX })),
);
