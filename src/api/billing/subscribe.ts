// POST /v1/billing/subscribe `{plan, period, discount_code?, confirm_data_loss?}`: an invoice for what the caller wants. The
// plan holds when the invoice is paid.
import { type Static, Type } from '@sinclair/typebox';
import { subscribe } from '../../shared/billing/subscribe.ts';
import { requireUser } from '../auth/authParts.ts';
import { answerJson } from '../jsonAnswer.ts';
import { noteAct } from '../noteAct.ts';
import { absentOr, compileReader } from '../requestReader.ts';
import type { VisitContext } from '../visit.ts';
import { type BillingRouteParts, type BillingRouter, refusalOf } from './billingRoutes.ts';
import { DiscountCode } from './discountCode.ts';
import { toInvoiceAnswer } from './invoiceAnswer.ts';

const SubscribeBody = Type.Object(
  {
    plan: Type.Union([Type.Literal('basic'), Type.Literal('pro')], { expected: 'basic or pro' }),
    period: Type.Union([Type.Literal('month'), Type.Literal('year')], { expected: 'month or year' }),
    discount_code: absentOr(DiscountCode),
    /** Said when a plan that keeps less history is wanted. */
    confirm_data_loss: absentOr(Type.Boolean({ expected: 'true or false' })),
  },
  { expected: 'an object' },
);

const readBody = compileReader(SubscribeBody);

export function mountSubscribe(router: BillingRouter, parts: BillingRouteParts): void {
  router.post('/v1/billing/subscribe', async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const body = await parts.readBody(ctx);
    const wish = readBody(body);
    const asked = { scope: `subscribe:${userId}`, body };
    answerJson(ctx, await parts.idempotency.run(ctx, asked, (seed) => makeInvoice(ctx, parts, { userId, wish, seed })));
  });
}

async function makeInvoice(
  ctx: VisitContext,
  parts: BillingRouteParts,
  { userId, wish, seed }: { userId: string; wish: Static<typeof SubscribeBody>; seed: string },
): Promise<Record<string, unknown>> {
  const { plan, period, discount_code, confirm_data_loss } = wish;
  const made = await subscribe(parts.billing, userId, {
    ...{ plan, period, invoiceId: `inv_${seed}`, confirmsDataLoss: confirm_data_loss === true },
    discountCode: discount_code ?? undefined,
  });
  const isMade = typeof made !== 'string';
  const detail = isMade ? `${made._id} ${plan} ${period}` : `${plan} ${period}`;
  await noteAct(ctx, parts, { userId, action: 'invoice.created', outcome: isMade ? 'ok' : 'refused', detail });
  if (!isMade) throw refusalOf(made);
  return toInvoiceAnswer(ctx, parts.config, made);
}
