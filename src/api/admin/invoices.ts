// GET /v1/admin/invoices, POST …/{id}/pay, POST …/{id}/refund: the invoices of all users. Paying is for the test provider alone.
import { type TObject, Type } from '@sinclair/typebox';
import { payInvoice, refundInvoice } from '../../operators/acts/invoices.ts';
import type { Invoice, InvoiceStatus } from '../../shared/billing/invoiceStore.ts';
import { centsText } from '../../shared/domain/billing/terms.ts';
import type { RouteContext } from '../access/requestContext.ts';
import {
  BillingPeriod,
  exactly,
  InvoiceStatusName,
  IsoTime,
  orNull,
  PlanName,
  UsdText,
  UserId,
  words,
} from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { type AdminEndpoint, act, look, MAY_BE_UNKNOWN } from '../../operators/endpoints.ts';
import { PAGE_ERRORS, pageOf, pageParameters, readPage, readText } from '../../operators/acts/page.ts';

const InvoiceId = Type.String({ examples: ['inv_5f0c1d2e3a4b5c6d7e8f9a0b'] });
const STATUS = /^(?:open|paid|expired|void|refunded|disputed)$/;
const USER = /^user_[0-9a-z]{1,64}$/;
const PLACE = /^(\d{1,14})\.(inv_[0-9a-z]{1,64})$/;

const params: TObject = Type.Object({ id: InvoiceId });
const idOf = (ctx: RouteContext): string => ctx.params['id'] ?? '';

const listInvoices = look({
  id: 'listInvoicesOfAll',
  path: '/v1/admin/invoices',
  summary: 'Invoices of all users, newest first.',
  query: Type.Object({
    ...pageParameters,
    status: Type.Optional(InvoiceStatusName),
    user: Type.Optional(Type.String({ pattern: USER.source, description: 'Only those of this user: `user_…`.' })),
  }),
  answer: pageOf(
    'OperatorInvoicePage',
    named(
      'OperatorInvoice',
      exactly({
        id: InvoiceId,
        user_id: UserId,
        status: InvoiceStatusName,
        plan: PlanName,
        period: BillingPeriod,
        amount_usd: UsdText,
        discount_usd: UsdText,
        discount_code: orNull(Type.String()),
        created_at: IsoTime,
        expires_at: IsoTime,
        paid_at: orNull(IsoTime),
      }),
    ),
  ),
  errors: PAGE_ERRORS,
  audited: (ctx) => `invoices ${[statusOf(ctx), userOf(ctx)].filter(Boolean).join(' ')}`,
  read: (ctx, { operators }) =>
    readPage(ctx, {
      form: PLACE,
      read: (limit, after) =>
        operators.billing.invoices.pageOfAll({ limit, status: statusOf(ctx), userId: userOf(ctx), before: placeOf(after) }),
      placeOf: ({ _id, createdAt }) => `${createdAt.getTime()}.${_id}`,
      show,
    }),
});

const statusOf = (ctx: RouteContext) => readText(ctx, 'status', STATUS, 'a status of invoices') as InvoiceStatus | undefined;
const userOf = (ctx: RouteContext) => readText(ctx, 'user', USER, 'the id of a user');

function placeOf(text: string | undefined): Pick<Invoice, '_id' | 'createdAt'> | undefined {
  const [, ms, _id] = PLACE.exec(text ?? '') ?? [];
  return _id === undefined ? undefined : { _id, createdAt: new Date(Number(ms)) };
}

const show = (invoice: Invoice) => ({
  ...{ id: invoice._id, user_id: invoice.userId, status: invoice.status, plan: invoice.plan, period: invoice.period },
  amount_usd: centsText(invoice.amountCents),
  discount_usd: centsText(invoice.discountCents),
  discount_code: invoice.discountCode ?? null,
  created_at: invoice.createdAt.toISOString(),
  expires_at: invoice.expiresAt.toISOString(),
  paid_at: invoice.paidAt?.toISOString() ?? null,
});

const pay = act({
  id: 'payInvoiceOfUser',
  path: '/v1/admin/invoices/:id/pay',
  summary: 'Pays an invoice of the test provider.',
  params,
  answer: named('PaidInvoice', exactly({ id: InvoiceId, status: words('paid') })),
  errors: MAY_BE_UNKNOWN,
  audited: (ctx) => `pay ${idOf(ctx)}`,
  act: async ({ operators }, { ctx }) => {
    await payInvoice(operators, idOf(ctx));
    return { id: idOf(ctx), status: 'paid' };
  },
});

const refund = act({
  id: 'refundInvoice',
  path: '/v1/admin/invoices/:id/refund',
  summary: 'Gives the payment of an invoice back; the time that it paid for ends.',
  params,
  answer: named('RefundedInvoice', exactly({ id: InvoiceId, status: words('refunded') })),
  errors: MAY_BE_UNKNOWN,
  audited: (ctx) => `refund ${idOf(ctx)}`,
  act: async ({ operators }, { ctx }) => {
    await refundInvoice(operators, idOf(ctx));
    return { id: idOf(ctx), status: 'refunded' };
  },
});

export const invoiceEndpoints: readonly AdminEndpoint[] = [listInvoices, pay, refund];
