// Discount codes: what they take off, and who may have one. A use is taken for a user before there is an invoice, goes to
// an invoice, and is spent when that is paid or given back when it is not; so there are never more uses than allowed,
// and one a user.

export type DiscountKind = 'percent' | 'amount';

export interface Discount {
  readonly code: string;
  readonly kind: DiscountKind;
  /** Whole percent, 1 to 100, or cents. */
  readonly value: number;
  /** `first`: the one payment it is taken for; `all`: that one and all that follow. */
  readonly appliesTo: 'first' | 'all';
  readonly usesMax: number;
  /** After this nobody takes it any more, ms since the epoch; what was taken stays. Null = no end. */
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

/** What is wrong with a code that an operator wants to make; undefined when nothing is. */
export function discountFault({ code, kind, value, usesMax }: Omit<Discount, 'uses'>): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(code)) return 'A code has 1 to 64 letters, digits, _ or -.';
  if (!Number.isSafeInteger(value) || value < 1) return 'A discount is a whole percent or an amount of cents, above 0.';
  if (kind === 'percent' && value > 100) return 'A discount has at most 100 percent.';
  const isCount = Number.isSafeInteger(usesMax) && usesMax >= 1 && usesMax <= USES_MAX;
  return isCount ? undefined : `A code has 1 to ${USES_MAX} uses.`;
}

/** What the code takes off a price, cents; never more than the price. Half cents go to the user. */
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

/** Takes a use, or moves the user's own to the invoice. Twice is like once. */
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

/** The use of this invoice counts for good. */
export const spendUse = ({ uses }: Discount, invoiceId: string): DiscountUse[] =>
  uses.map((use) => (use.invoiceId === invoiceId ? { ...use, isSpent: true } : use));

/** Gives the use of this invoice back, unless it is spent; null = the user's reservation. */
export const releaseUse = (
  { uses }: Discount,
  { userId, invoiceId }: { userId: string; invoiceId: string | null },
): DiscountUse[] => uses.filter((use) => use.isSpent || use.userId !== userId || use.invoiceId !== invoiceId);
