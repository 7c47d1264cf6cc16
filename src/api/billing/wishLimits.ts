// How often a user may wish for a plan, or try a discount code. An invoice is kept for ever and may cost a call to the payment provider,
// which bounds the whole deployment; and codes are chosen by people, so they could be guessed.
import type { Context } from 'koa';
import { requireRoom } from '../auth/acts/attemptLimits.ts';
import type { BillingRouteParts } from './billingRoutes.ts';

/** Wishes of one kind and user, an hour. */
const WISHES_PER_HOUR = 60;

/** Counts one wish. @throws {RequestError} 429 */
export function countWish(
  ctx: Context,
  parts: Pick<BillingRouteParts, 'hourLimit' | 'now'>,
  { kind, userId }: { kind: 'invoice' | 'discount'; userId: string },
): Promise<void> {
  return requireRoom(ctx, parts, parts.hourLimit, [{ subject: `${kind}-wishes:${userId}`, cap: WISHES_PER_HOUR, cost: 1 }]);
}
