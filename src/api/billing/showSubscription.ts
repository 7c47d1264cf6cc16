// GET /v1/billing/subscription: the caller's plan and how far it is paid for.
import { requireUser } from '../auth/authParts.ts';
import { answerJson } from '../jsonAnswer.ts';
import type { BillingRouteParts, BillingRouter } from './billingRoutes.ts';
import { toSubscriptionAnswer } from './subscriptionAnswer.ts';

export function mountShowSubscription(router: BillingRouter, parts: BillingRouteParts): void {
  router.get('/v1/billing/subscription', async (ctx) => {
    answerJson(ctx, toSubscriptionAnswer(await requireUser(ctx, parts), parts.config, parts.now()));
  });
}
