// GET /v1/auth/me: the profile behind an access token, with the account's address and how far it is paid for.
import { answerJson } from '../jsonAnswer.ts';
import { type AuthParts, type AuthRouter, requireUser } from './authParts.ts';
import type { User } from './userStore.ts';

export function mountMe(router: AuthRouter, parts: AuthParts): void {
  router.get('/v1/auth/me', async (ctx) => {
    answerJson(ctx, toProfile(await requireUser(ctx, parts), parts.now()));
  });
}

function toProfile(user: User, nowMs: number): Record<string, unknown> {
  const status = subscriptionStatus(user, nowMs);
  return {
    id: user._id,
    email: user.email,
    plan: user.plan,
    address: user.address,
    subscription_status: status,
    trial_expires_at: user.trialExpiresAt.toISOString(),
    subscription_expires_at: user.subscriptionExpiresAt?.toISOString() ?? null,
    payment_required: status === 'expired',
    created_at: user.createdAt.toISOString(),
  };
}

function subscriptionStatus(user: User, nowMs: number): 'trial' | 'active' | 'expired' {
  if (user.subscriptionExpiresAt !== null && nowMs < user.subscriptionExpiresAt.getTime()) return 'active';
  return nowMs < user.trialExpiresAt.getTime() ? 'trial' : 'expired';
}
