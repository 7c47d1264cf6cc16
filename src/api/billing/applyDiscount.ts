// POST /v1/billing/discount/apply `{code}`: reserves one use of a discount code for the caller's next invoice.

import { Type } from '@sinclair/typebox';
import { reserveDiscount } from '../../shared/billing/discounts.ts';
import { centsText } from '../../shared/domain/billing/terms.ts';
import { requireUser } from '../auth/parts/authParts.ts';
import { type AnswerFor, DiscountKindName, DiscountScope, exactly, IsoTime, orNull } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { type BillingRouteParts, refusalOf } from './billingRoutes.ts';
import { DiscountCode } from './discountCode.ts';
import { countWish } from './wishLimits.ts';

const readBody = compileReader(Type.Object({ code: DiscountCode }, { expected: 'an object' }));

const DiscountAnswer = named(
  'Discount',
  exactly({
    code: DiscountCode,
    kind: DiscountKindName,
    value: described(Type.Union([Type.Integer(), Type.String()]), 'Whole percent as a number, or USD as text.'),
    applies_to: described(DiscountScope, 'The first payment, or all.'),
    expires_at: orNull(IsoTime),
  }),
);

export const applyDiscountEndpoint = endpoint({
  id: 'applyDiscount',
  method: 'post',
  path: '/v1/billing/discount/apply',
  tag: 'Billing',
  summary: 'Reserves one use of a discount code for the caller’s next invoice.',
  credential: 'token',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { code: { code: 'WELCOME20' } } },
  answer: { about: 'What the code is worth.', schema: DiscountAnswer },
  errors: {
    400: ['discount_unknown', 'discount_expired'],
    409: ['discount_used_up', 'discount_already_used', 'discount_busy'],
  },
  handle: (parts: BillingRouteParts) => async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const { code } = readBody(await parts.readBody(ctx));
    await countWish(ctx, parts, { kind: 'discount', userId });
    const discount = await reserveDiscount(parts.billing, userId, code);
    const isReserved = typeof discount !== 'string';
    await recordAudit(ctx, parts, { userId, action: 'discount.applied', outcome: isReserved ? 'ok' : 'refused', detail: code });
    if (!isReserved) throw refusalOf(discount);
    const { kind, value, appliesTo, expiresAtMs } = discount;
    const answer: AnswerFor<typeof DiscountAnswer> = {
      ...{ code: discount.code, kind, value: kind === 'percent' ? value : centsText(value), applies_to: appliesTo },
      expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    };
    answerJson(ctx, answer);
  },
});
