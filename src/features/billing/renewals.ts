// Keeps subscriptions going. Some days before the paid time ends its user gets an invoice for the next period, once
// per end. A plan change whose time has come becomes the plan.
import { createHash } from 'node:crypto';
import { graceMsOf } from '../../shared/access/subscription.ts';
import type { BillingParts } from '../../shared/billing/billing.ts';
import { announcePlan } from '../../shared/billing/payments.ts';
import { subscriptionOf } from '../../shared/billing/subscriptionStore.ts';
import { lastPlanOf, subscriptionAt } from '../../shared/domain/billing/subscription.ts';
import { termsOf } from '../../shared/domain/billing/terms.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { closeInvoice, makeInvoice } from './invoices.ts';

/** Users that one step handles. */
const STEP = 200;

/** Makes the invoices for the periods after those that end soon. They can be paid until the grace is over. */
export async function makeRenewals(parts: BillingParts): Promise<void> {
  const { config, subscriptions, invoices, log, now } = parts;
  const until = new Date(now() + config.RENEWAL_DAYS * DAY_MS);
  for (let after = new Date(now()); ; ) {
    const users = await subscriptions.endingBetween(after, until, STEP);
    const made = await invoices.renewalsAmong(users.map(renewalOf));
    for (const user of users) {
      try {
        if (!made.has(renewalOf(user))) await makeRenewal(parts, user);
      } catch (error) {
        log.warn({ userId: user._id, err: error }, 'an invoice for the next period could not be made ready');
      }
    }
    const last = users.at(-1)?.subscriptionExpiresAt;
    if (users.length < STEP || !last || last <= after) return;
    after = last;
  }
}

const renewalOf = ({ _id, subscriptionExpiresAt }: User): string => `${_id}:${subscriptionExpiresAt?.getTime()}`;

async function makeRenewal(parts: BillingParts, user: User): Promise<void> {
  const { config, discounts, now } = parts;
  const subscription = subscriptionOf(user);
  const wish = { plan: lastPlanOf(subscription), period: user.billingPeriod ?? 'month' } as const;
  const made = await makeInvoice(parts, {
    id: `inv_${createHash('sha256').update(renewalOf(user)).digest('hex').slice(0, 24)}`,
    ...{ user, wish, terms: termsOf(subscription, wish, now()) },
    discount: user.standingDiscount === undefined ? undefined : await discounts.find(user.standingDiscount),
    expiresAtMs: (subscription.endMs ?? now()) + graceMsOf(config),
    renewalOf: renewalOf(user),
  });
  if (made === 'other') return;
  parts.log.info({ invoiceId: made._id }, 'invoice for the next period made');
  // A cancellation that came in between has found no invoice to end.
  const after = await parts.users.findById(user._id);
  if (after?.cancelAtPeriodEnd === true && made.status === 'open') await closeInvoice(parts, made, 'void');
}

/** Makes every plan change that is due. */
export async function changePlans(parts: BillingParts): Promise<void> {
  const { subscriptions, users, audit, now } = parts;
  for (const user of await subscriptions.withChangeDue(new Date(now()), STEP)) {
    const { nextPlan } = user;
    if (!nextPlan) continue;
    const changed = subscriptionAt(subscriptionOf(user), now());
    await audit.write({
      ...{ userId: user._id, action: 'plan.changed', outcome: 'ok', actor: 'job:invoice-poll', address: null },
      ...{ timeMs: nextPlan.from.getTime(), detail: changed.plan, once: 'next-plan' },
    });
    if (!(await subscriptions.set(user, changed))) continue;
    const after = await users.findById(user._id);
    if (after !== null) await announcePlan(parts, after, 'job:invoice-poll');
  }
}
