// Discount codes: how much they take off, and who may use one. A use is first taken for a user, then for an invoice.
// It is spent before the payment of the invoice counts, and released when the invoice ends unpaid. So a code never has
// more uses than allowed, and never two of one user.

export type DiscountKind = 'percent' | 'amount';

export interface Discount {
  readonly code: string;
  readonly kind: DiscountKind;
  /** Whole percent, 1 to 100, or cents. */
  readonly value: number;
  /** `first`: one payment; `all`: that payment and all that follow. */
  readonly appliesTo: 'first' | 'all';
  readonly usesMax: number;
  /** After this time the code can no longer be taken, ms since the epoch; uses taken before stay. Null = no end. */
  readonly expiresAtMs: number | null;
  readonly uses: readonly DiscountUse[];
}

export interface DiscountUse {
  readonly userId: string;
  readonly takenAtMs: number;
  /** Null while it waits for the user's next invoice. */
  readonly invoiceId: string | null;
  readonly isSpent: boolean;
}

export type DiscountRefusal = 'unknown' | 'expired' | 'usedUp' | 'alreadyUsed' | 'busy';

/** Uses that one code may have: what MongoDB keeps of it stays below a megabyte. */
const USES_MAX = 5000;

/** Says what is wrong with a code that an operator wants to make; undefined when nothing is. */
export function discountFault({ code, kind, value, usesMax }: Omit<Discount, 'uses'>): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(code)) return 'A code has 1 to 64 letters, digits, _ or -.';
  if (!Number.isSafeInteger(value) || value < 1) return 'A discount is a whole percent or an amount of cents, above 0.';
  if (kind === 'percent' && value > 100) return 'A discount has at most 100 percent.';
  const isCount = Number.isSafeInteger(usesMax) && usesMax >= 1 && usesMax <= USES_MAX;
  return isCount ? undefined : `A code has 1 to ${USES_MAX} uses.`;
}

/** The amount that the code takes off a price, cents; never more than the price. Half a cent is rounded up. */
export function discountCents({ kind, value }: Pick<Discount, 'kind' | 'value'>, priceCents: number): number {
  return Math.min(priceCents, kind === 'amount' ? value : Math.floor((priceCents * value + 50) / 100));
}

export interface TakeUse {
  readonly userId: string;
  /** The invoice it is for; null = the user's next one. */
  readonly invoiceId: string | null;
  /** An invoice that the new one replaces and whose use it inherits. */
  readonly replaces?: string | undefined;
  readonly nowMs: number;
}

/** Takes a use, or moves the user's own use to the invoice. A second call changes nothing. */
export function takeUse(discount: Discount, { userId, invoiceId, replaces, nowMs }: TakeUse): DiscountUse[] | DiscountRefusal {
  const { uses } = discount;
  const own = uses.find((use) => use.userId === userId);
  if (own !== undefined) {
    if (own.isSpent) return 'alreadyUsed';
    if (invoiceId === null || own.invoiceId === invoiceId) return [...uses];
    if (own.invoiceId !== null && own.invoiceId !== replaces) return 'busy';
    return uses.map((use) => (use === own ? { ...use, invoiceId } : use));
  }
  if (discount.expiresAtMs !== null && nowMs >= discount.expiresAtMs) return 'expired';
  if (uses.length >= discount.usesMax) return 'usedUp';
  return [...uses, { userId, takenAtMs: nowMs, invoiceId, isSpent: false }];
}

/**
 * Spends a use on an invoice. This one document decides, so a use pays one invoice only, whatever requests come at
 * once. An invoice that had ended unpaid and lost its use takes a free one.
 * @returns undefined when the code has no use for the invoice: it moved to another invoice, or all are taken
 */
export function spendUse(
  { uses, usesMax, appliesTo }: Discount,
  { userId, invoiceId, nowMs }: { userId: string; invoiceId: string; nowMs: number },
): DiscountUse[] | undefined {
  const own = uses.find((use) => use.userId === userId);
  if (own === undefined) {
    return uses.length < usesMax ? [...uses, { userId, takenAtMs: nowMs, invoiceId, isSpent: true }] : undefined;
  }
  if (own.invoiceId === invoiceId) return uses.map((use) => (use === own ? { ...use, isSpent: true } : use));
  return own.isSpent && appliesTo === 'all' ? [...uses] : undefined;
}

/** Releases the use of this invoice, unless it is spent; null = the user's reservation. */
export const releaseUse = (
  { uses }: Discount,
  { userId, invoiceId }: { userId: string; invoiceId: string | null },
): DiscountUse[] => uses.filter((use) => use.isSpent || use.userId !== userId || use.invoiceId !== invoiceId);
