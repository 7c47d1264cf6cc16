// POST /v1/billing/subscribe `{plan, period, discount_code?, confirm_data_loss?}`: makes an invoice for the wanted
// plan. The plan begins when the invoice is paid.

import { type Static, Type } from '@sinclair/typebox';
import { subscribe } from '../../shared/billing/subscribe.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { requireUser } from '../auth/parts/authParts.ts';
import { type AnswerFor, PlanName } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { absentOr, compileReader } from '../http/requestReader.ts';
import { type BillingRouteParts, refusalOf } from './billingRoutes.ts';
import { DiscountCode } from './discountCode.ts';
import { BillingPeriod, InvoiceAnswer, toInvoiceAnswer } from './invoiceAnswer.ts';
import { countWish } from './wishLimits.ts';

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
  const made = await subscribe(parts.billing, userId, {
    ...{ plan, period, invoiceId: `inv_${seed}`, confirmsDataLoss: confirm_data_loss === true },
    discountCode: discount_code ?? undefined,
  });
  const isMade = typeof made !== 'string';
  const detail = isMade ? `${made._id} ${plan} ${period}` : `${plan} ${period}`;
  await recordAudit(ctx, parts, { userId, action: 'invoice.created', outcome: isMade ? 'ok' : 'refused', detail });
  if (!isMade) throw refusalOf(made);
  return toInvoiceAnswer(ctx, parts.config, made);
}
