// GET /v1/billing/invoices `?limit&cursor`: the caller's invoices, newest first.

import { Type } from '@sinclair/typebox';
import type { Invoice } from '../../shared/billing/invoiceStore.ts';
import { RequestError } from '../../shared/errors.ts';
import { requireUser } from '../auth/parts/authParts.ts';
import { Cursor, exactly } from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitParameter, readLimit } from '../http/requestReader.ts';
import type { BillingRouteParts } from './billingRoutes.ts';
import { InvoiceAnswer, toInvoiceAnswer } from './invoiceAnswer.ts';

const CURSOR_FORM = /^(\d{1,14})\.(inv_[0-9a-f]{1,64})$/;

type Place = Pick<Invoice, '_id' | 'createdAt'>;

export const listInvoicesEndpoint = endpoint({
  id: 'listInvoices',
  method: 'get',
  path: '/v1/billing/invoices',
  tag: 'Billing',
  summary: 'The caller’s invoices, newest first.',
  credential: 'token',
  price: CHEAP,
  query: Type.Object({
    limit: limitParameter,
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  }),
  answer: {
    about: 'A page of invoices.',
    schema: named('InvoicePage', exactly({ items: Type.Array(InvoiceAnswer), next_cursor: Cursor })),
  },
  errors: { 400: ['invalid_request', 'invalid_cursor'] },
  handle: (parts: BillingRouteParts) => async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const limit = readLimit(ctx.query['limit']);
    const before = readCursor(ctx.query['cursor']);
    const found = await parts.billing.invoices.page(userId, { limit: limit + 1, ...(before && { before }) });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    answerJson(ctx, {
      items: items.map((invoice) => toInvoiceAnswer(ctx, parts.config, invoice)),
      next_cursor: found.length > limit && last ? toCursor(last) : null,
    });
  },
});

const toCursor = ({ _id, createdAt }: Place): string => Buffer.from(`${createdAt.getTime()}.${_id}`).toString('base64url');

function readCursor(text: string | string[] | undefined): Place | undefined {
  if (text === undefined) return undefined;
  const [, ms, id] = (typeof text === 'string' && CURSOR_FORM.exec(Buffer.from(text, 'base64url').toString())) || [];
  if (ms === undefined || id === undefined)
    throw new RequestError(400, 'invalid_cursor', 'cursor must be a next_cursor of before.');
  return { _id: id, createdAt: new Date(Number(ms)) };
}
