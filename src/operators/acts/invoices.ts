// Pays an invoice of the test provider, as its page would.

import { payTestInvoice, takeBackPayment } from '../../shared/billing/payments.ts';
import { type OperatorParts, Refused, Unknown, UsageError } from './operatorParts.ts';
import type { AdminCommand } from './terminal.ts';

const WHY_NOT = {
  closed: 'This invoice can no longer be paid: it is expired, void or refunded.',
  'not a test': 'Invoices are paid at the payment provider here: there are no test payments.',
} as const;

/** A second call changes nothing. @throws {Unknown} when there is no such invoice, {Refused} when it cannot be paid */
export async function payInvoice({ billing }: Pick<OperatorParts, 'billing'>, id: string): Promise<void> {
  const outcome = await payTestInvoice(billing, id, 'operator');
  if (outcome === 'unknown') throw new Unknown('There is no such invoice.');
  if (outcome !== 'paid') throw new Refused(WHY_NOT[outcome]);
}

// `bin/admin invoice pay`: pays an invoice of the test provider, as its page would.

export const payCommand: AdminCommand = {
  name: 'invoice pay',
  takes: 'inv_…',
  does: 'pays an invoice of the test provider',
  async run([id], parts) {
    if (id === undefined) throw new UsageError('Which invoice? inv_….');
    await payInvoice(parts, id);
    return { data: { id, status: 'paid' }, lines: [`${id} is paid.`] };
  },
};

// Gives a payment back at the provider, and ends the time that it paid for. A call that is repeated after a crash goes on where it ended:
// the provider gives a payment back once.

/** @throws {Unknown} when there is no such invoice, {Refused} when it has no payment to give back */
export async function refundInvoice({ billing }: Pick<OperatorParts, 'billing'>, id: string): Promise<void> {
  const invoice = await billing.invoices.find(id);
  if (invoice === null) throw new Unknown('There is no such invoice.');
  if (invoice.status !== 'paid') throw new Refused(`The invoice is ${invoice.status}: there is no payment to give back.`);
  if (invoice.payment !== undefined) await billing.provider.refund(invoice.payment.ref);
  await takeBackPayment(billing, id, { how: 'refunded', seenBy: 'operator' });
}

// `bin/admin invoice refund`: gives a payment back at the provider, and ends the time that it paid for.

export const refundCommand: AdminCommand = {
  name: 'invoice refund',
  takes: 'inv_…',
  does: 'gives the payment back at the provider; the time that it paid for ends',
  async run([id], parts) {
    if (id === undefined) throw new UsageError('Which invoice? inv_….');
    await refundInvoice(parts, id);
    return { data: { id, status: 'refunded' }, lines: [`${id} is refunded; the time that it paid for has ended.`] };
  },
};
