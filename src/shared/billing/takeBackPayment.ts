// The consequences of a payment that was taken back: an operator refunded it, or the payer disputed it at the bank. The
// time that it paid for ends. The user's document decides by one update that names the invoice, so repeated events,
// and a refund after a dispute, take it away once.
import { assumedPaidTime, subscriptionWithout } from '../domain/billing/reversal.ts';
import type { BoughtTime, User } from '../mongo/userStore.ts';
import { notifyUser } from '../userChange.ts';
import { announcePlan } from './announcePlan.ts';
import type { BillingParts } from './billingParts.ts';
import type { Invoice } from './stores/invoiceStore.ts';
import { subscriptionOf } from './stores/subscriptionStore.ts';
import { takenBackAct } from './takenBackAct.ts';

const TRIES_MAX = 20;

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
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const user = await users.findById(userId);
    if (user === null) return undefined;
    if (user.refusedInvoices?.includes(invoiceId)) return user;
    if (user.appliedInvoices?.includes(invoiceId)) await subscriptions.reverse(user, withoutInvoice(user, invoice, now()));
    else await subscriptions.refuse(user, invoiceId);
  }
  throw new Error(`Invoice ${invoiceId} cannot be taken back: its user changes all the time.`);
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
