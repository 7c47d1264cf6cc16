// Users subscribe, which makes an invoice, and see their invoices.

import { type Static, Type } from '@sinclair/typebox';
import type { Context } from 'koa';
import type { RouteContext } from '../../../api/access/requestContext.ts';
import { requireUser } from '../../../api/auth/acts/userChecks.ts';
import {
  type AnswerFor,
  BillingPeriod,
  Cursor,
  exactly,
  InvoiceStatusName,
  IsoTime,
  orNull,
  PlanName,
  UsdText,
} from '../../../api/contract/answerValues.ts';
import { described, named } from '../../../api/contract/named.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { audited } from '../../../api/http/audited.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { absentOr, compileReader, limitParameter, readLimit } from '../../../api/http/requestReader.ts';
import type { Invoice } from '../../../shared/billing/invoiceStore.ts';
import type { Config } from '../../../shared/config/config.ts';
import { centsText } from '../../../shared/domain/billing/terms.ts';
import { RequestError } from '../../../shared/errors.ts';
import { subscribe } from '../subscribe.ts';
import { type BillingRouteParts, countWish, DiscountCode, refusalOf } from './billingRoutes.ts';

/** An invoice as its user sees it. */
const InvoiceAnswer = named(
  'Invoice',
  exactly({
    id: Type.String({ examples: ['inv_5f0c1d2e3a4b5c6d7e8f9a0b'] }),
    status: InvoiceStatusName,
    plan: PlanName,
    period: BillingPeriod,
    amount_usd: UsdText,
    discount_usd: UsdText,
    pay_url: described(
      orNull(Type.String()),
      'Where an open invoice is paid; null while the provider has not said, and when it is over.',
    ),
    created_at: IsoTime,
    expires_at: IsoTime,
    paid_at: orNull(IsoTime),
  }),
);

/** @param ctx the request: the address of a page of ours begins with the address that the request came to */
function toInvoiceAnswer(
  ctx: Pick<Context, 'host' | 'protocol'>,
  { PUBLIC_URL }: Config,
  invoice: Invoice,
): AnswerFor<typeof InvoiceAnswer> {
  const { _id: id, status, plan, period, amountCents, discountCents, payment, createdAt, expiresAt, paidAt } = invoice;
  const ours = ctx.host === '' ? PUBLIC_URL : `${ctx.protocol}://${ctx.host}`;
  const payUrl = payment?.payUrl.startsWith('/') ? ours + payment.payUrl : payment?.payUrl;
  return {
    ...{ id, status, plan, period },
    amount_usd: centsText(amountCents),
    discount_usd: centsText(discountCents),
    pay_url: status === 'open' ? (payUrl ?? null) : null,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    paid_at: paidAt?.toISOString() ?? null,
  };
}

// POST /v1/billing/subscribe `{plan, period, discount_code?, confirm_data_loss?}`: makes an invoice for the wanted plan. The
// plan begins when the invoice is paid.

const SubscribeBody = Type.Object(
  {
    plan: { ...PlanName, expected: 'basic or pro' },
    period: { ...BillingPeriod, expected: 'month or year' },
    discount_code: absentOr(DiscountCode),
    confirm_data_loss: described(
      absentOr(Type.Boolean({ expected: 'true or false' })),
      'Said when a plan that keeps less history is wanted.',
    ),
  },
  { expected: 'an object' },
);

const readBody = compileReader(SubscribeBody);

export const subscribeEndpoint = endpoint({
  id: 'subscribe',
  method: 'post',
  path: '/v1/billing/subscribe',
  tag: 'Billing',
  summary: 'An invoice for a plan, which holds when it is paid.',
  credential: 'token',
  price: CHEAP,
  body: { schema: SubscribeBody, examples: { pro: { plan: 'pro', period: 'month' } } },
  answer: { about: 'The invoice.', schema: InvoiceAnswer },
  errors: {
    400: ['confirm_data_loss', 'discount_unknown', 'discount_expired'],
    409: ['discount_used_up', 'discount_already_used', 'discount_busy'],
  },
  isIdempotent: true,
  handle: (parts: BillingRouteParts) => async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const body = await parts.readBody(ctx);
    const wish = readBody(body);
    const asked = { scope: `subscribe:${userId}`, body };
    answerJson(ctx, await parts.idempotency.run(ctx, asked, (seed) => makeInvoice(ctx, parts, { userId, wish, seed })));
  },
});

async function makeInvoice(
  ctx: RouteContext,
  parts: BillingRouteParts,
  { userId, wish, seed }: { userId: string; wish: Static<typeof SubscribeBody>; seed: string },
): Promise<AnswerFor<typeof InvoiceAnswer>> {
  await countWish(ctx, parts, { kind: 'invoice', userId });
  const { plan, period, discount_code, confirm_data_loss } = wish;
  const row = { userId, action: 'invoice.created', detail: `${plan} ${period}` } as const;
  const invoice = await audited(ctx, parts, row, async (row) => {
    const made = await subscribe(parts.billing, userId, {
      ...{ plan, period, invoiceId: `inv_${seed}`, confirmsDataLoss: confirm_data_loss === true },
      discountCode: discount_code ?? undefined,
    });
    if (typeof made === 'string') throw refusalOf(made);
    row.detail = `${made._id} ${plan} ${period}`;
    return made;
  });
  return toInvoiceAnswer(ctx, parts.config, invoice);
}

// GET /v1/billing/invoices `?limit&cursor`: the caller's invoices, newest first.

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
