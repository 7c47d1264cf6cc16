// Uses of discount codes on their way to an invoice: reserved, and released when no invoice will use them.
// Reserves a discount code for a user's next invoice. A user has one such reservation; another code replaces it. The
// poll releases a reservation that no invoice uses.

import type { BillingParts } from '../../shared/billing/billing.ts';
import type { Discount, DiscountRefusal, DiscountUse } from '../../shared/domain/billing/discount.ts';
import { DAY_MS } from '../../shared/domain/units.ts';

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

// Releases uses of discount codes that will never be spent: reservations without an invoice, and uses whose invoice a
// crash has prevented, or whose end a crash has left unrecorded.

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
