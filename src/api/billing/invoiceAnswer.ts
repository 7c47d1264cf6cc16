// An invoice as its user sees it.

import { Type } from '@sinclair/typebox';
import type { Context } from 'koa';
import type { Invoice } from '../../shared/billing/invoiceStore.ts';
import type { Config } from '../../shared/config/config.ts';
import { centsText } from '../../shared/domain/billing/terms.ts';
import { type AnswerFor, exactly, IsoTime, orNull, PlanName, UsdText, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';

export const BillingPeriod = named('BillingPeriod', words('month', 'year'));

export const InvoiceStatusName = named('InvoiceStatus', words('open', 'paid', 'expired', 'void', 'refunded', 'disputed'));

export const InvoiceAnswer = named(
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
export function toInvoiceAnswer(
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
