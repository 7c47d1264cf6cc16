// The invoices of all users: operators see them, pay those of the test provider, and give payments back.

import { type TObject, Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
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
} from '../../api/contract/answerValues.ts';
import { named } from '../../api/contract/named.ts';
import type { Invoice, InvoiceStatus } from '../../shared/billing/invoiceStore.ts';
import { payTestInvoice, takeBackPayment } from '../../shared/billing/payments.ts';
import { centsText } from '../../shared/domain/billing/terms.ts';
import { operatorAct, operatorLook } from './operatorAct.ts';
import { type OperatorParts, Refused, Unknown, UsageError } from './operatorParts.ts';
import { MAY_BE_UNKNOWN, PAGE_ERRORS, pageOf, pageParameters, readPage, readText } from './page.ts';

const InvoiceId = Type.String({ examples: ['inv_5f0c1d2e3a4b5c6d7e8f9a0b'] });
const STATUS = /^(?:open|paid|expired|void|refunded|disputed)$/;
const USER = /^user_[0-9a-z]{1,64}$/;
const PLACE = /^(\d{1,14})\.(inv_[0-9a-z]{1,64})$/;

const params: TObject = Type.Object({ id: InvoiceId });
const idOf = (ctx: RouteContext): string => ctx.params['id'] ?? '';

/** @throws {UsageError} */
function requireId([id]: readonly string[]): string {
  if (id === undefined) throw new UsageError('Which invoice? inv_….');
  return id;
}

/** For the API alone. */
export const listInvoices = operatorLook<RouteContext, unknown>({
  look: ({ billing }, ctx) =>
    readPage(ctx, {
      form: PLACE,
      read: (limit, after) =>
        billing.invoices.pageOfAll({ limit, status: statusOf(ctx), userId: userOf(ctx), before: placeOf(after) }),
      placeOf: ({ _id, createdAt }) => `${createdAt.getTime()}.${_id}`,
      show: toRow,
    }),
  endpoint: {
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
    ask: (ctx) => ctx,
    audited: (ctx) => `invoices ${[statusOf(ctx), userOf(ctx)].filter(Boolean).join(' ')}`,
  },
});

const statusOf = (ctx: RouteContext) => readText(ctx, 'status', STATUS, 'a status of invoices') as InvoiceStatus | undefined;
const userOf = (ctx: RouteContext) => readText(ctx, 'user', USER, 'the id of a user');

function placeOf(text: string | undefined): Pick<Invoice, '_id' | 'createdAt'> | undefined {
  const [, ms, _id] = PLACE.exec(text ?? '') ?? [];
  return _id === undefined ? undefined : { _id, createdAt: new Date(Number(ms)) };
}

const toRow = (invoice: Invoice) => ({
  ...{ id: invoice._id, user_id: invoice.userId, status: invoice.status, plan: invoice.plan, period: invoice.period },
  amount_usd: centsText(invoice.amountCents),
  discount_usd: centsText(invoice.discountCents),
  discount_code: invoice.discountCode ?? null,
  created_at: invoice.createdAt.toISOString(),
  expires_at: invoice.expiresAt.toISOString(),
  paid_at: invoice.paidAt?.toISOString() ?? null,
});

const WHY_NOT = {
  closed: 'This invoice can no longer be paid: it is expired, void or refunded.',
  'not a test': 'Invoices are paid at the payment provider here: there are no test payments.',
} as const;

/** Pays an invoice of the test provider, as its page would. A second call changes nothing. */
export const payInvoice = operatorAct<string, string, void>({
  check: (_parts, id) => id,
  act: async ({ billing }, id) => {
    const outcome = await payTestInvoice(billing, id, 'operator');
    if (outcome === 'unknown') throw new Unknown('There is no such invoice.');
    if (outcome !== 'paid') throw new Refused(WHY_NOT[outcome]);
  },
  command: {
    name: 'invoice pay',
    takes: 'inv_…',
    does: 'pays an invoice of the test provider',
    ask: requireId,
    data: (id) => ({ id, status: 'paid' }),
    lines: (_done, id) => [`${id} is paid.`],
  },
  endpoint: {
    id: 'payInvoiceOfUser',
    path: '/v1/admin/invoices/:id/pay',
    summary: 'Pays an invoice of the test provider.',
    params,
    answer: named('PaidInvoice', exactly({ id: InvoiceId, status: words('paid') })),
    errors: MAY_BE_UNKNOWN,
    ask: idOf,
    audited: (id) => `pay ${id}`,
  },
});

/**
 * Gives a payment back at the provider, and ends the time that it paid for. A call that is repeated after a crash goes on where it ended:
 * the provider gives a payment back once.
 */
export const refundInvoice = operatorAct<string, Invoice, void>({
  check: requirePaid,
  act: async ({ billing }, { _id: id, payment }) => {
    if (payment !== undefined) await billing.provider.refund(payment.ref);
    await takeBackPayment(billing, id, { how: 'refunded', seenBy: 'operator' });
  },
  command: {
    name: 'invoice refund',
    takes: 'inv_…',
    does: 'gives the payment back at the provider; the time that it paid for ends',
    ask: requireId,
    data: ({ _id: id }) => ({ id, status: 'refunded' }),
    lines: (_done, { _id: id }) => [`${id} is refunded; the time that it paid for has ended.`],
  },
  endpoint: {
    id: 'refundInvoice',
    path: '/v1/admin/invoices/:id/refund',
    summary: 'Gives the payment of an invoice back; the time that it paid for ends.',
    params,
    answer: named('RefundedInvoice', exactly({ id: InvoiceId, status: words('refunded') })),
    errors: MAY_BE_UNKNOWN,
    ask: idOf,
    audited: (id) => `refund ${id}`,
  },
});

/** @throws {Unknown} when there is no such invoice, {Refused} when it has no payment to give back */
async function requirePaid({ billing }: OperatorParts, id: string): Promise<Invoice> {
  const invoice = await billing.invoices.find(id);
  if (invoice === null) throw new Unknown('There is no such invoice.');
  if (invoice.status !== 'paid') throw new Refused(`The invoice is ${invoice.status}: there is no payment to give back.`);
  return invoice;
}
