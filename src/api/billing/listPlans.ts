// GET /v1/billing/plans: the plans and their prices. Open without credentials.

import { Type } from '@sinclair/typebox';
import { centsText } from '../../shared/domain/billing/terms.ts';
import { plans } from '../../shared/domain/plan.ts';
import { requestsPerMinute } from '../access/budget.ts';
import { Count, exactly, PlanName, UsdText } from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import type { BillingRouteParts } from './billingRoutes.ts';

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
