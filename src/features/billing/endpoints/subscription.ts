// Users see the subscription and cancel it.

import { Type } from '@sinclair/typebox';
import { requireUser } from '../../../api/auth/acts/userChecks.ts';
import { type AnswerFor, exactly, IsoTime, orNull, PlanName, SubscriptionStatus } from '../../../api/contract/answerValues.ts';
import { named } from '../../../api/contract/named.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { audited, RefusedAct } from '../../../api/http/audited.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { paidUntilOf } from '../../../shared/access/subscription.ts';
import { subscriptionOf } from '../../../shared/billing/subscriptionStore.ts';
import type { Config } from '../../../shared/config/config.ts';
import { subscriptionAt, subscriptionStateOf } from '../../../shared/domain/billing/subscription.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { cancelSubscription } from '../subscribe.ts';
import type { BillingRouteParts } from './billingRoutes.ts';

// How far a user has paid, as the user sees it.

const SubscriptionAnswer = named(
  'Subscription',
  exactly({
    plan: PlanName,
    status: SubscriptionStatus,
    trial_expires_at: IsoTime,
    current_period_end: orNull(IsoTime),
    cancel_at_period_end: Type.Boolean(),
  }),
);

function toSubscriptionAnswer(user: User, config: Config, nowMs: number): AnswerFor<typeof SubscriptionAnswer> {
  return {
    plan: subscriptionAt(subscriptionOf(user), nowMs).plan,
    status: subscriptionStateOf(paidUntilOf(user, config), nowMs),
    trial_expires_at: user.trialExpiresAt.toISOString(),
    current_period_end: user.subscriptionExpiresAt?.toISOString() ?? null,
    cancel_at_period_end: user.cancelAtPeriodEnd === true,
  };
}

/** GET /v1/billing/subscription: the caller's plan and how far it is paid for. */
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

/** POST /v1/billing/cancel: the subscription ends with the paid time. A second request changes nothing. */
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
