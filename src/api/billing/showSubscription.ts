// GET /v1/billing/subscription: the caller's plan and how far it is paid for.

import { requireUser } from '../auth/parts/authParts.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import type { BillingRouteParts } from './billingRoutes.ts';
import { SubscriptionAnswer, toSubscriptionAnswer } from './subscriptionAnswer.ts';

export const showSubscriptionEndpoint = endpoint({
  id: 'showSubscription',
  method: 'get',
  path: '/v1/billing/subscription',
  tag: 'Billing',
  summary: 'The caller’s plan and how far it is paid for.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The subscription.', schema: SubscriptionAnswer },
  handle: (parts: BillingRouteParts) => async (ctx) => {
    answerJson(ctx, toSubscriptionAnswer(await requireUser(ctx, parts), parts.config, parts.now()));
  },
});
