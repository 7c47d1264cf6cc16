// `bin/admin invoice pay`: pays an invoice of the test provider, as its page would.
import { payTestInvoice } from '../shared/billing/operatorActions.ts';
import { type AdminCommand, Refused, UsageError } from './adminCommand.ts';

const WHY_NOT = {
  unknown: 'There is no such invoice.',
  closed: 'Nobody can pay this invoice any more: it is expired, void or refunded.',
  'not a test': 'Invoices are paid at the payment provider here: there are no test payments.',
} as const;

export const payInvoice: AdminCommand = {
  name: 'invoice pay',
  takes: 'inv_…',
  does: 'pays an invoice of the test provider',
  async run([id], { billing }) {
    if (id === undefined) throw new UsageError('Which invoice? inv_….');
    const outcome = await payTestInvoice(billing, id, 'operator');
    if (outcome !== 'paid') throw new Refused(WHY_NOT[outcome]);
    return { data: { id, status: 'paid' }, lines: [`${id} is paid.`] };
  },
};
