// POST /v1/billing/cancel: the subscription ends with the paid time. A second request changes nothing.

import { cancelSubscription } from '../../shared/billing/subscribe.ts';
import { requireUser } from '../auth/parts/authParts.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { audited, RefusedAct } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import type { BillingRouteParts } from './billingRoutes.ts';
import { SubscriptionAnswer, toSubscriptionAnswer } from './subscriptionAnswer.ts';

export const cancelSubscriptionEndpoint = endpoint({
  id: 'cancelSubscription',
  method: 'post',
  path: '/v1/billing/cancel',
  tag: 'Billing',
  summary: 'The subscription ends with what is paid for.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The subscription.', schema: SubscriptionAnswer },
  errors: { 409: ['no_subscription'] },
  handle: (parts: BillingRouteParts) => async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    await audited(ctx, parts, { userId, action: 'subscription.canceled' }, async () => {
      if (await cancelSubscription(parts.billing, userId)) return;
      throw new RefusedAct(409, 'no_subscription', 'Nothing is paid for that could end.');
    });
    answerJson(ctx, toSubscriptionAnswer(await requireUser(ctx, parts), parts.config, parts.now()));
  },
});
