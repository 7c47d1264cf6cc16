// `bin/admin invoice refund`: gives a payment back at the provider, and ends the time that it paid for.
import { refundInvoice as refund } from '../operators/money/refundInvoice.ts';
import { UsageError } from '../operators/operatorParts.ts';
import type { AdminCommand } from './adminCommand.ts';

export const refundInvoice: AdminCommand = {
  name: 'invoice refund',
  takes: 'inv_…',
  does: 'gives the payment back at the provider; the time that it paid for ends',
  async run([id], parts) {
    if (id === undefined) throw new UsageError('Which invoice? inv_….');
    await refund(parts, id);
    return { data: { id, status: 'refunded' }, lines: [`${id} is refunded; the time that it paid for has ended.`] };
  },
};
