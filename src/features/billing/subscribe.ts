// A user subscribes, and cancels.
// Turns a user's wish for a plan into an invoice. A user has one open invoice: the same wish gets the same invoice
// again, another wish replaces it.

import type { BillingParts } from '../../shared/billing/billing.ts';
import type { Invoice } from '../../shared/billing/invoiceStore.ts';
import { subscriptionOf } from '../../shared/billing/subscriptionStore.ts';
import type { Discount, DiscountRefusal, TakeUse } from '../../shared/domain/billing/discount.ts';
import { type PlanWish, termsOf } from '../../shared/domain/billing/terms.ts';
import { HOUR_MS } from '../../shared/domain/units.ts';
import { RetryableError } from '../../shared/errors.ts';
import { compareAndSet } from '../../shared/mongo/compareAndSet.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { newestFirst } from './discounts.ts';
import { closeInvoice, closeUnpaid, completeInvoice, makeInvoice, releaseDiscount } from './invoices.ts';

/** How often another request of the same user may come in between. */
const TRIES_MAX = 5;

interface SubscribeWish extends PlanWish {
  /** Id of a new invoice. */
  readonly invoiceId: string;
  readonly discountCode?: string | undefined;
  /** The user has confirmed that history beyond the lesser plan's days will be removed. */
  readonly confirmsDataLoss: boolean;
}

/** Why there is no invoice: the user's confirmation is missing, or the discount code cannot be used. */
export type SubscribeRefusal = 'dataLoss' | DiscountRefusal;

/** @throws {RetryableError} when the provider is away, or too many requests of one user come in between */
export async function subscribe(parts: BillingParts, userId: string, wish: SubscribeWish): Promise<Invoice | SubscribeRefusal> {
  const busy = () => new RetryableError('Other requests of the user come in between.');
  return compareAndSet({ tries: TRIES_MAX, busy }, async () => {
    const user = await parts.users.findById(userId);
    if (user === null) throw busy();
    return attempt(parts, user, wish);
  });
}

/** @returns undefined when another request came in between */
async function attempt(parts: BillingParts, user: User, wish: SubscribeWish): Promise<Invoice | SubscribeRefusal | undefined> {
  const { config, invoices, now } = parts;
  const nowMs = now();
  const { plan, period, invoiceId } = wish;
  const known = await invoices.find(invoiceId);
  if (known !== null) return completeInvoice(parts, known, user.email);

  const terms = termsOf(subscriptionOf(user), { plan, period }, nowMs);
  if (terms.losesHistory && !wish.confirmsDataLoss) return 'dataLoss';
  const open = await invoices.findOpen(user._id);
  const code = await wantedCode(parts, user, { given: wish.discountCode, open });
  if (open !== null && isSame(open, { plan, period, priceCents: terms.priceCents, code: code ?? user.standingDiscount, nowMs })) {
    return completeInvoice(parts, open, user.email);
  }

  const replaces = open?.discountCode === code ? open?._id : undefined;
  const wanted = { userId: user._id, invoiceId, replaces, nowMs };
  // Asked before anything changes, so that a code that cannot be used costs no invoice.
  const refusal = code === undefined ? undefined : await parts.discounts.refusalOf(code, wanted);
  if (refusal !== undefined) return refusal === 'busy' ? undefined : refusal;
  // The open invoice ends before its discount moves: what was paid meanwhile keeps it.
  if (open !== null) {
    const isClosed = (await closeUnpaid(parts, open, nowMs < open.expiresAt.getTime() ? 'void' : 'expired')) === 'closed';
    if (!isClosed) return undefined;
  }
  const discount = await discountOf(parts, user, code, wanted);
  if (open !== null && (await releaseDiscount(parts, open)) === 'paid') return giveBack(parts, code, wanted);
  if (typeof discount === 'string') return discount === 'busy' ? undefined : discount;
  const expiresAtMs = nowMs + config.INVOICE_TTL_HOURS * HOUR_MS;
  const made = await makeInvoice(parts, { id: invoiceId, user, wish: { plan, period }, terms, discount, expiresAtMs });
  return made === 'other' ? giveBack(parts, code, wanted) : made;
}

/** Another invoice of the user has come in between: it may have the use. */
async function giveBack(
  { discounts }: BillingParts,
  code: string | undefined,
  { userId, invoiceId }: { userId: string; invoiceId: string },
): Promise<undefined> {
  if (code !== undefined) await discounts.giveBack(code, { userId, invoiceId });
  return undefined;
}

/** The code given now, or reserved before, or of the invoice that is replaced; a standing discount needs no use. */
async function wantedCode(
  { discounts }: BillingParts,
  user: User,
  { given, open }: { given: string | undefined; open: Invoice | null },
): Promise<string | undefined> {
  const [reserved] = given === undefined ? newestFirst(await discounts.listReserved(user._id), user._id) : [];
  const code = (given ?? reserved?.code ?? open?.discountCode)?.toUpperCase();
  return code === user.standingDiscount ? undefined : code;
}

function isSame(
  open: Invoice,
  wanted: PlanWish & { readonly priceCents: number; readonly code: string | undefined; readonly nowMs: number },
): boolean {
  return (
    open.plan === wanted.plan &&
    open.period === wanted.period &&
    open.amountCents + open.discountCents === wanted.priceCents &&
    open.discountCode === wanted.code &&
    wanted.nowMs < open.expiresAt.getTime()
  );
}

async function discountOf(
  { discounts }: BillingParts,
  user: User,
  code: string | undefined,
  wanted: TakeUse,
): Promise<Discount | DiscountRefusal | undefined> {
  if (code !== undefined) return discounts.take(code, wanted);
  return user.standingDiscount === undefined ? undefined : discounts.find(user.standingDiscount);
}

// Ends a subscription at the end of the paid time: nothing is taken away, and no further invoice is made. Any later
// payment undoes the cancellation.

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
