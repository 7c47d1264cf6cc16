// GET /v1/billing/plans: what there is to buy. Open to everybody.
import { centsText } from '../../shared/domain/billing/cents.ts';
import { plans } from '../../shared/domain/plan.ts';
import { answerJson } from '../jsonAnswer.ts';
import { requestsPerMinute } from '../requestsPerMinute.ts';
import type { BillingRouteParts, BillingRouter } from './billingRoutes.ts';

export function mountListPlans(router: BillingRouter, { config }: BillingRouteParts): void {
  router.get('/v1/billing/plans', (ctx) => {
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
  });
}
