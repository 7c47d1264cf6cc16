// The end of a subscription at the end of what is paid for: nothing is taken away, no further invoice is made. Any payment
// takes it back.
import type { BillingParts } from './billingParts.ts';
import { closeInvoice } from './closeInvoice.ts';

/** @returns false when nothing is paid for that could end */
export async function cancelSubscription(parts: BillingParts, userId: string): Promise<boolean> {
  const { users, subscriptions, invoices, now } = parts;
  const user = await users.findById(userId);
  if (user === null || user.subscriptionExpiresAt === null || user.subscriptionExpiresAt.getTime() <= now()) return false;
  const open = await invoices.findOpen(userId);
  if (open !== null) await closeInvoice(parts, open, 'void');
  await subscriptions.cancelAtPeriodEnd(userId);
  return true;
}
