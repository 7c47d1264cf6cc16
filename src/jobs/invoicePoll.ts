// Keeps billing going without requests: payments that no webhook reported, invoices whose time is over, work that a
// crash left half done, invoices for next periods, and plan changes that are due. Two runs at once do each of them
// once.
import { type Billing, createBilling } from '../shared/billing/billing.ts';
import { releaseLostDiscounts } from '../shared/billing/discounts.ts';
import { deleteOldPaymentEvents } from '../shared/billing/paymentEvents.ts';
import { pollInvoices } from '../shared/billing/pollInvoices.ts';
import { changePlans, makeRenewals } from '../shared/billing/renewals.ts';
import { MINUTE_MS } from '../shared/domain/units.ts';
import type { RepeatableJob } from './job.ts';

export function invoicePoll(everyMs: number): RepeatableJob {
  let billing: Billing | undefined;
  return {
    name: 'invoice-poll',
    everyMs,
    async run(parts, periodMs) {
      billing ??= createBilling(parts);
      await pollInvoices(billing);
      await changePlans(billing);
      // Work that is not urgent and reads many documents runs once a minute.
      if (periodMs % MINUTE_MS >= everyMs) return;
      await makeRenewals(billing);
      await releaseLostDiscounts(billing);
      await deleteOldPaymentEvents(parts.mongo, parts.now());
    },
  };
}
