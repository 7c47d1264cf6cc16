// Ends a subscription at the end of the paid time: nothing is taken away, and no further invoice is made. Any later
// payment undoes the cancellation.
import type { BillingParts } from './billingParts.ts';
import { closeInvoice } from './closeInvoice.ts';

/** @returns false when the user has no paid time that could end */
export async function cancelSubscription(parts: BillingParts, userId: string): Promise<boolean> {
  const { users, subscriptions, invoices, now } = parts;
  const user = await users.findById(userId);
  if (user === null || user.subscriptionExpiresAt === null || user.subscriptionExpiresAt.getTime() <= now()) return false;
  // First the word, so that no invoice is made for the next period from here on.
  await subscriptions.cancelAtPeriodEnd(userId);
  const open = await invoices.findOpen(userId);
  // A payment that came just before undoes a cancellation. This one came after it.
  if (open !== null && (await closeInvoice(parts, open, 'void')) === 'paid') await subscriptions.cancelAtPeriodEnd(userId);
  return true;
}
