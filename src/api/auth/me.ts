// GET /v1/auth/me: the profile behind an access token, with the account's address and how far it is paid for.
import { subscriptionStateOf } from '../../shared/domain/subscriptionState.ts';
import { paidUntilOf } from '../../shared/subscription.ts';
import type { User } from '../../shared/userStore.ts';
import { answerJson } from '../jsonAnswer.ts';
import { type AuthParts, type AuthRouter, requireUser } from './authParts.ts';

export function mountMe(router: AuthRouter, parts: AuthParts): void {
  router.get('/v1/auth/me', async (ctx) => {
    answerJson(ctx, toProfile(await requireUser(ctx, parts), parts));
  });
}

function toProfile(user: User, { config, now }: AuthParts): Record<string, unknown> {
  const status = subscriptionStateOf(paidUntilOf(user, config), now());
  return {
    id: user._id,
    email: user.email,
    plan: user.plan,
    address: user.address,
    subscription_status: status,
    trial_expires_at: user.trialExpiresAt.toISOString(),
    subscription_expires_at: user.subscriptionExpiresAt?.toISOString() ?? null,
    payment_required: status === 'expired' || status === 'past_due',
    created_at: user.createdAt.toISOString(),
  };
}
