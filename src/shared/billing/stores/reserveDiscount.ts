// Reserves a discount code for a user's next invoice. A user has one such reservation; another code replaces it. The
// poll releases a reservation that no invoice uses.
import type { Discount, DiscountRefusal } from '../../domain/billing/discount.ts';
import type { BillingParts } from '../billingParts.ts';

export async function reserveDiscount(
  { discounts, now }: BillingParts,
  userId: string,
  code: string,
): Promise<Discount | DiscountRefusal> {
  const taken = await discounts.take(code, { userId, invoiceId: null, nowMs: now() });
  if (typeof taken === 'string') return taken;
  for (const other of await discounts.listReserved(userId)) {
    if (other.code !== taken.code) await discounts.giveBack(other.code, { userId, invoiceId: null });
  }
  return taken;
}
