// Reserves a discount code for a user's next invoice. A user has one such reservation; another code replaces it. The
// poll releases a reservation that no invoice uses.
import type { Discount, DiscountRefusal } from '../../domain/billing/discount.ts';
import type { BillingParts } from '../billingParts.ts';

/** A user's reservations in the order of their time, the newest first. */
export function newestFirst(reserved: readonly Discount[], userId: string): Discount[] {
  return [...reserved].sort((a, b) => takenAtMs(b, userId) - takenAtMs(a, userId) || (a.code < b.code ? -1 : 1));
}

const takenAtMs = ({ uses }: Discount, userId: string): number => uses.find((use) => use.userId === userId)?.takenAtMs ?? 0;

export async function reserveDiscount(
  { discounts, now }: BillingParts,
  userId: string,
  code: string,
): Promise<Discount | DiscountRefusal> {
  const [before] = newestFirst(await discounts.listReserved(userId), userId);
  // Later than the reservation that it replaces, also within one millisecond.
  const nowMs = Math.max(now(), before === undefined ? 0 : takenAtMs(before, userId) + 1);
  const taken = await discounts.take(code, { userId, invoiceId: null, nowMs });
  if (typeof taken === 'string') return taken;
  // Of two requests at once each sees both reservations, and both keep the same one.
  const [, ...replaced] = newestFirst(await discounts.listReserved(userId), userId);
  for (const other of replaced) await discounts.giveBack(other.code, { userId, invoiceId: null });
  return taken;
}
