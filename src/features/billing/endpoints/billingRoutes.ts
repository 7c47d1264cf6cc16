// The endpoints below /v1/billing share their parts, the discount code, the limits of wishes and the answers to a refusal.

import { Type } from '@sinclair/typebox';
import type { Context } from 'koa';
import { requireRoom } from '../../../api/auth/acts/attemptLimits.ts';
import type { AuthParts } from '../../../api/auth/parts/authParts.ts';
import { RefusedAct } from '../../../api/http/audited.ts';
import type { Billing } from '../../../shared/billing/billing.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { SubscribeRefusal } from '../subscribe.ts';

/** The parts that the endpoints below /v1/billing need, and the answers to a refusal by billing. */
export interface BillingRouteParts extends AuthParts {
  readonly billing: Billing;
  readonly mongo: MongoConnection;
}

const refusals: Readonly<Record<SubscribeRefusal, [status: number, code: string, detail: string]>> = {
  dataLoss: [
    400,
    'confirm_data_loss',
    'This plan keeps less history; older history is removed. Send confirm_data_loss: true to go on.',
  ],
  unknown: [400, 'discount_unknown', 'There is no such discount code.'],
  expired: [400, 'discount_expired', 'This discount code has expired.'],
  usedUp: [409, 'discount_used_up', 'This discount code has been used as often as it may.'],
  alreadyUsed: [409, 'discount_already_used', 'You have used this discount code before.'],
  busy: [409, 'discount_busy', 'Another request of yours is using this discount code.'],
};

export function refusalOf(refusal: SubscribeRefusal): RefusedAct {
  const [status, code, detail] = refusals[refusal];
  return new RefusedAct(status, code, detail);
}

/** A discount code as clients send it. */
export const DiscountCode = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  expected: 'a code of 1 to 64 letters, digits, _ or -',
});

// How often a user may wish for a plan, or try a discount code. An invoice is kept for ever and may cost a call to the payment
// provider, which bounds the whole deployment; and codes are chosen by people, so they could be guessed.

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
