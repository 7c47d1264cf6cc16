// `bin/admin invoice pay`: pays an invoice of the test provider, as its page would.
import { payInvoice as pay } from '../operators/money/payInvoice.ts';
import { UsageError } from '../operators/operatorParts.ts';
import type { AdminCommand } from './adminCommand.ts';

export const payInvoice: AdminCommand = {
  name: 'invoice pay',
  takes: 'inv_…',
  does: 'pays an invoice of the test provider',
  async run([id], parts) {
    if (id === undefined) throw new UsageError('Which invoice? inv_….');
    await pay(parts, id);
    return { data: { id, status: 'paid' }, lines: [`${id} is paid.`] };
  },
};
