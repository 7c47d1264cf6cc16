// An invoice as its user sees it.
import type { Context } from 'koa';
import type { Invoice } from '../../shared/billing/invoiceStore.ts';
import type { Config } from '../../shared/config.ts';
import { centsText } from '../../shared/domain/billing/cents.ts';

/** @param ctx of the request that asks: a page of ours is named by the address it came to */
export function toInvoiceAnswer(
  ctx: Pick<Context, 'host' | 'protocol'>,
  { PUBLIC_URL }: Config,
  invoice: Invoice,
): Record<string, unknown> {
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
