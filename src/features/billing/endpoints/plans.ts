// Users see what plans cost, and reserve a discount for the next invoice.

import { Type } from '@sinclair/typebox';
import { requestsPerMinute } from '../../../api/access/budget.ts';
import { requireUser } from '../../../api/auth/acts/userChecks.ts';
import {
  type AnswerFor,
  Count,
  DiscountKindName,
  DiscountScope,
  exactly,
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
import { compileReader } from '../../../api/http/requestReader.ts';
import { centsText } from '../../../shared/domain/billing/terms.ts';
import { plans } from '../../../shared/domain/plan.ts';
import { reserveDiscount } from '../discounts.ts';
import { type BillingRouteParts, countWish, DiscountCode, refusalOf } from './billingRoutes.ts';

/** GET /v1/billing/plans: the plans and their prices. Open without credentials. */
export const listPlansEndpoint = endpoint({
  id: 'listPlans',
  method: 'get',
  path: '/v1/billing/plans',
  tag: 'Billing',
  summary: 'What there is to buy.',
  credential: 'none',
  price: CHEAP,
  answer: {
    about: 'The plans.',
    schema: named(
      'PlanList',
      exactly({
        plans: Type.Array(
          named(
            'Plan',
            exactly({
              id: PlanName,
              price_usd: UsdText,
              period: Type.Literal('month'),
              requests_per_minute: Count,
              max_api_keys: Count,
              balance_usd: UsdText,
              history_days: Count,
            }),
          ),
        ),
      }),
    ),
  },
  handle:
    ({ config }: BillingRouteParts) =>
    (ctx) => {
      const answer = (['basic', 'pro'] as const).map((id) => ({
        id,
        price_usd: centsText(plans[id].monthCents),
        period: 'month',
        requests_per_minute: requestsPerMinute(id, config),
        max_api_keys: plans[id].apiKeysMax,
        balance_usd: centsText(Number(plans[id].balanceUsd) * 100),
        history_days: plans[id].historyDays,
      }));
      answerJson(ctx, { plans: answer });
    },
});

// POST /v1/billing/discount/apply `{code}`: reserves one use of a discount code for the caller's next invoice.

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
    const discount = await audited(ctx, parts, { userId, action: 'discount.applied', detail: code }, async () => {
      const reserved = await reserveDiscount(parts.billing, userId, code);
      if (typeof reserved === 'string') throw refusalOf(reserved);
      return reserved;
    });
    const { kind, value, appliesTo, expiresAtMs } = discount;
    const answer: AnswerFor<typeof DiscountAnswer> = {
      ...{ code: discount.code, kind, value: kind === 'percent' ? value : centsText(value), applies_to: appliesTo },
      expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    };
    answerJson(ctx, answer);
  },
});
