// Ends a subscription at the end of the paid time: nothing is taken away, and no further invoice is made. Any later
// payment undoes the cancellation.
import type { BillingParts } from './billingParts.ts';
import { closeInvoice } from './closeInvoice.ts';

/** @returns false when the user has no paid time that could end */
export async function cancelSubscription(parts: BillingParts, userId: string): Promise<boolean> {
  const { users, subscriptions, invoices, now } = parts;
  const user = await users.findById(userId);
  if (user === null || user.subscriptionExpiresAt === null || user.subscriptionExpiresAt.getTime() <= now()) return false;
  const open = await invoices.findOpen(userId);
  if (open !== null) await closeInvoice(parts, open, 'void');
  await subscriptions.cancelAtPeriodEnd(userId);
  return true;
}
