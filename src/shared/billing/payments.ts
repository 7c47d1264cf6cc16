// Payments have their effects here: on an invoice and its user, also after a refund or a dispute, and by the hand of an
// operator.

import { announceUserChange, notifyUser } from '../access/userChange.ts';
import { assert } from '../domain/assert.ts';
import { assumedPaidTime, paidTimeOf, subscriptionAfter, subscriptionWithout, usedUpAt } from '../domain/billing/payment.ts';
import { subscriptionAt } from '../domain/billing/subscription.ts';
import { OPENING_BALANCE_USD, type Plan, plans } from '../domain/plan.ts';
import type { AuditRecord } from '../mongo/auditLog.ts';
import { compareAndSet } from '../mongo/compareAndSet.ts';
import type { BoughtTime, User } from '../mongo/userStore.ts';
import { queueCommands } from '../redis/submitScript.ts';
import type { Billing, BillingParts } from './billing.ts';
import type { Invoice } from './invoiceStore.ts';
import { subscriptionOf } from './subscriptionStore.ts';

// The effects of a payment on its invoice and its user, and the end of the effects after a refund or a dispute. Applies a
// payment once. Webhook, poll, payment page and operator all call this when they see a payment. The discount's document decides
// whether the invoice may count its discount, the user's document whether the payment is applied or buys nothing: each by one
// update that names the invoice. Later calls, and the poll after a crash, do the steps that are left.

/** How often the user's document may change during one application; each time another payment has been applied. */
const TRIES_MAX = 20;

/**
 * Records an invoice's payment and does all that follows from it. A second call changes nothing.
 * @param seenBy who has seen the payment, for the audit log: `provider:stripe`, `operator`
 * @throws when a store is away; the poll then does the rest
 */
export async function applyPayment(parts: BillingParts, invoiceId: string, seenBy: string): Promise<void> {
  const { invoices, now, log } = parts;
  const isFirst = await invoices.pay(invoiceId, new Date(now()));
  if (isFirst) log.info({ invoiceId, seenBy }, 'invoice paid');
  const invoice = await invoices.find(invoiceId);
  if (isFirst && invoice !== null) notifyUser(parts, invoice.userId, `Invoice ${invoiceId} is paid: plan ${invoice.plan}`);
  if (invoice?.status === 'paid' && invoice.appliedAt === null) await apply(parts, invoice, seenBy);
}

/** Spends the use of the invoice's discount code. @returns false when the code has none for it any more */
export async function spendDiscount({ discounts, now }: BillingParts, invoice: Invoice): Promise<boolean> {
  const { _id: invoiceId, userId, discountCode } = invoice;
  return discountCode === undefined || discounts.spend(discountCode, { userId, invoiceId, nowMs: now() });
}

async function apply(parts: BillingParts, invoice: Invoice, seenBy: string): Promise<void> {
  const { invoices, audit, now } = parts;
  const { _id: invoiceId, userId, plan, period } = invoice;
  const paidAtMs = invoice.paidAt?.getTime() ?? now();
  const user = await applyToUser(parts, invoice, paidAtMs);
  if (user === undefined) return refund(parts, invoice);
  await announcePlan(parts, user, `invoice:${invoiceId}`);
  await audit.write({
    ...{ userId, action: 'invoice.paid', outcome: 'ok', actor: seenBy, address: null, timeMs: paidAtMs },
    ...{ detail: `${invoiceId} ${plan} ${period}`, once: invoiceId },
  });
  await invoices.applied(invoiceId, new Date(now()));
}

/** @returns the user after the change; undefined when the payment can no longer buy anything */
async function applyToUser(parts: BillingParts, invoice: Invoice, paidAtMs: number): Promise<User | undefined> {
  const { users, subscriptions, discounts } = parts;
  const { _id: invoiceId, userId, period, kind, discountCode } = invoice;
  const paidFor = { ...invoice, ...(invoice.paidUntil && { paidUntilMs: invoice.paidUntil.getTime() }) };
  const hasDiscount = await spendDiscount(parts, invoice);
  const busy = () => new Error(`Invoice ${invoiceId} cannot be applied: its user changes all the time.`);
  const { applied } = await compareAndSet({ tries: TRIES_MAX, busy }, async () => {
    const user = await users.findById(userId);
    if (user?.appliedInvoices?.includes(invoiceId)) return { applied: user };
    if (user === null || user.refusedInvoices?.includes(invoiceId)) return { applied: undefined };
    const before = subscriptionOf(user);
    const subscription = hasDiscount ? subscriptionAfter(before, paidFor, paidAtMs) : undefined;
    if (subscription === undefined) {
      await subscriptions.refuse(user, invoiceId);
      return undefined;
    }
    const discount = discountCode === undefined ? undefined : await discounts.find(discountCode);
    const standing = discount?.appliesTo === 'all' ? { standingDiscount: discount.code } : {};
    const bought = { invoiceId, ...paidTimeOf(subscriptionAt(before, paidAtMs), subscription, kind, paidAtMs) };
    await subscriptions.apply(user, { invoiceId, period, subscription, bought, ...standing });
    return undefined;
  });
  return applied;
}

async function refund({ invoices, provider, audit, log, now }: BillingParts, invoice: Invoice): Promise<void> {
  const { _id: invoiceId, userId, payment } = invoice;
  if (payment !== undefined) await provider.refund(payment.ref);
  const noted = await invoices.noteTakenBack(invoiceId, 'refunded', new Date(now()));
  await audit.write(takenBackAct(noted ?? invoice, 'refunded', `provider:${provider.name}`));
  await invoices.refund(invoiceId);
  log.warn({ invoiceId, userId }, 'a payment could buy nothing any more and was given back');
}

// The consequences of a payment that was taken back: an operator refunded it, or the payer disputed it at the bank. The time
// that it paid for ends. The user's document decides by one update that names the invoice, so repeated events, and a refund
// after a dispute, take it away once.

/**
 * @param how `refunded` by an operator, or `disputed` by the payer
 * @param seenBy who has said so, for the audit log: `provider:stripe`, `operator`
 * @returns false when there is no such invoice
 * @throws when a store is away: the caller repeats it
 */
export async function takeBackPayment(
  parts: BillingParts,
  invoiceId: string,
  { how, seenBy }: { how: 'refunded' | 'disputed'; seenBy: string },
): Promise<boolean> {
  const { invoices, audit, log, now } = parts;
  const invoice = await invoices.noteTakenBack(invoiceId, how, new Date(now()));
  if (invoice === null) return false;
  const { userId } = invoice;
  const user = await takeTimeBack(parts, invoice);
  if (user !== undefined) await announcePlan(parts, user, `invoice:${invoiceId}`);
  await audit.write(takenBackAct(invoice, how, seenBy));
  if (!(await invoices.takenBack(invoiceId, how))) return true;
  log.warn({ invoiceId, userId, how, atMs: now() }, 'a payment was taken back: the time that it paid for ends');
  notifyUser(parts, userId, `The payment of invoice ${invoiceId} was ${how}: the time that it paid for ends`);
  return true;
}

/** @returns the user after the change; undefined when the user is gone */
async function takeTimeBack({ users, subscriptions, now }: BillingParts, invoice: Invoice): Promise<User | undefined> {
  const { _id: invoiceId, userId } = invoice;
  const busy = () => new Error(`Invoice ${invoiceId} cannot be taken back: its user changes all the time.`);
  const { after } = await compareAndSet({ tries: TRIES_MAX, busy }, async () => {
    const user = await users.findById(userId);
    if (user === null) return { after: undefined };
    if (user.refusedInvoices?.includes(invoiceId)) return { after: user };
    if (user.appliedInvoices?.includes(invoiceId)) await subscriptions.reverse(user, withoutInvoice(user, invoice, now()));
    else await subscriptions.refuse(user, invoiceId);
    return undefined;
  });
  return after;
}

function withoutInvoice(user: User, { _id: invoiceId, kind, period, paidUntil }: Invoice, atMs: number) {
  const before = subscriptionOf(user);
  const times = user.paidTimes ?? [];
  const others = times.filter((time) => time.invoiceId !== invoiceId);
  const paid =
    times.find((time) => time.invoiceId === invoiceId) ??
    assumedPaidTime(before, { kind, period, ...(paidUntil && { paidUntilMs: paidUntil.getTime() }) });
  const after = subscriptionWithout(before, paid, { others, atMs });
  const paidTimes: BoughtTime[] = after.others.map((time, i) => ({ ...time, invoiceId: (others[i] as BoughtTime).invoiceId }));
  return { invoiceId, subscription: after.subscription, paidTimes };
}

// The audit row of a payment that was given back or disputed. It is written from the invoice, which has the time of it first:
// so it is one row, however often and by how many processes it is written.

/** @param seenBy who has said so: `provider:stripe`, `operator` */
function takenBackAct(invoice: Invoice, how: 'refunded' | 'disputed', seenBy: string): AuditRecord {
  const { _id: invoiceId, userId, refundedAt, disputedAt } = invoice;
  const at = how === 'refunded' ? refundedAt : disputedAt;
  assert(at, 'an invoice has the time of it before its row is written');
  return {
    ...{ userId, action: `invoice.${how}`, outcome: 'ok', actor: seenBy, address: null },
    ...{ timeMs: at.getTime(), detail: `${invoiceId} ${how}`, once: `${invoiceId}:${how}` },
  };
}

// The consequences of a plan change, in whichever process it was made: every API node hears of it, and the account gets the
// greater balance the first time that it becomes pro. Repeating it does no harm.

const PRO_CREDIT_USD = String(Number(plans.pro.balanceUsd) - Number(plans.basic.balanceUsd));

export async function announcePlan({ redis, config, keys, formats }: BillingParts, user: User, requestId: string): Promise<void> {
  const active = await keys.listActive(user._id);
  await announceUserChange(redis, { userId: user._id, digests: active.map(({ digest }) => digest) });
  if (user.plan !== 'pro') return;
  await queueCommands(redis, {
    config,
    accountId: user.address,
    requestId,
    format: formats.current,
    commands: [
      { type: 'openAccount', depositUsd: OPENING_BALANCE_USD },
      { type: 'creditPlan', usd: PRO_CREDIT_USD },
    ],
  });
}

// What operators do by hand: grant a plan without payment, and pay an invoice of the test provider without its page.

/**
 * Gives a user a plan until a time, in place of the paid time. No invoice follows at its end unless the user had paid.
 * @returns false when the user changed meanwhile: read the user again and repeat
 */
export async function grantPlan(
  parts: BillingParts,
  user: User,
  { plan, untilMs }: { plan: Plan; untilMs: number },
): Promise<boolean> {
  const nowMs = parts.now();
  // What was bought until now has been replaced: giving such a payment back takes nothing of the grant.
  const usedUp = (user.paidTimes ?? []).map((time) => usedUpAt(time, nowMs));
  if (!(await parts.subscriptions.set(user, { plan, endMs: untilMs }, usedUp))) return false;
  await announcePlan(parts, { ...user, plan }, 'operator');
  return true;
}

/**
 * Pays an invoice of the test provider.
 * @returns `paid`, also when it was paid before, or the reason why it cannot be paid
 */
export async function payTestInvoice(
  parts: Billing,
  invoiceId: string,
  seenBy: string,
): Promise<'paid' | 'unknown' | 'closed' | 'not a test'> {
  if (parts.test === undefined) return 'not a test';
  const invoice = await parts.invoices.find(invoiceId);
  if (invoice === null) return 'unknown';
  const isPaid = invoice.status === 'paid';
  if (!isPaid && (invoice.payment === undefined || !(await parts.test.pay(invoice.payment.ref)))) return 'closed';
  // Of one that was paid before: what a process that died has left to do.
  await applyPayment(parts, invoiceId, seenBy);
  return 'paid';
}
