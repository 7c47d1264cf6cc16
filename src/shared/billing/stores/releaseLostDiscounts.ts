// Releases uses of discount codes that will never be spent: reservations without an invoice, and uses whose invoice a
// crash has prevented, or whose end a crash has left unrecorded.
import type { Discount, DiscountUse } from '../../domain/billing/discount.ts';
import { DAY_MS } from '../../domain/units.ts';
import type { BillingParts } from '../billingParts.ts';

/** How long a code stays reserved for a user's next invoice. */
const RESERVED_MS_MAX = 7 * DAY_MS;
/** An invoice is made in seconds: a use as old as this without one has none, ms. */
const SETTLED_AFTER_MS = 600_000;

export async function releaseLostDiscounts(parts: BillingParts): Promise<void> {
  for (const discount of await parts.discounts.listUnspent()) {
    for (const use of discount.uses) if (!use.isSpent) await lookAfter(parts, discount, use);
  }
}

async function lookAfter({ discounts, invoices, now }: BillingParts, { code }: Discount, use: DiscountUse): Promise<void> {
  const ageMs = now() - use.takenAtMs;
  if (use.invoiceId === null) {
    if (ageMs >= RESERVED_MS_MAX) await discounts.giveBack(code, use);
    return;
  }
  if (ageMs < SETTLED_AFTER_MS) return;
  const { userId, invoiceId } = use;
  const status = (await invoices.find(invoiceId))?.status;
  if (status === 'open') return;
  if (status === undefined || status === 'expired' || status === 'void') await discounts.giveBack(code, use);
  else await discounts.spend(code, { userId, invoiceId, nowMs: now() });
}
