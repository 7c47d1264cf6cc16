// Keeps billing going where nobody asks: payments that no webhook has told of, invoices whose time is over, what a crash
// left half done, invoices for next periods, changes of plan that are due. Run twice at once it does each of them once.
import { type Billing, createBilling } from '../shared/billing/createBilling.ts';
import { giveLostDiscountsBack } from '../shared/billing/lostDiscounts.ts';
import { forgetEvents } from '../shared/billing/paymentEvents.ts';
import { pollInvoices } from '../shared/billing/pollInvoices.ts';
import { changePlans, makeRenewals } from '../shared/billing/renew.ts';
import type { RepeatableJob } from './job.ts';

export function invoicePoll(everyMs: number): RepeatableJob {
  let billing: Billing | undefined;
  return {
    name: 'invoice-poll',
    everyMs,
    async run(parts) {
      billing ??= createBilling(parts);
      await changePlans(billing);
      await makeRenewals(billing);
      await pollInvoices(billing);
      await giveLostDiscountsBack(billing);
      await forgetEvents(parts.mongo, parts.now());
    },
  };
}
