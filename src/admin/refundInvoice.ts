// `bin/admin invoice refund`: gives a payment back at the provider, and ends the time that it paid for.
import { takeBackPayment } from '../shared/billing/takeBackPayment.ts';
import { type AdminCommand, Refused, UsageError } from './adminCommand.ts';

export const refundInvoice: AdminCommand = {
  name: 'invoice refund',
  takes: 'inv_…',
  does: 'gives the payment back at the provider; the time that it paid for ends',
  async run([id], { billing }) {
    if (id === undefined) throw new UsageError('Which invoice? inv_….');
    const invoice = await billing.invoices.find(id);
    if (invoice === null) throw new Refused('There is no such invoice.');
    if (invoice.status !== 'paid') throw new Refused(`The invoice is ${invoice.status}: there is no payment to give back.`);
    if (invoice.payment !== undefined) await billing.provider.refund(invoice.payment.ref);
    await takeBackPayment(billing, id, { how: 'refunded', seenBy: 'operator' });
    return { data: { id, status: 'refunded' }, lines: [`${id} is refunded; the time that it paid for has ended.`] };
  },
};
