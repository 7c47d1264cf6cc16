// Pays an invoice of the test provider, as its page would.
import { payTestInvoice } from '../../shared/billing/operatorActions.ts';
import { type OperatorParts, Refused, Unknown } from '../operatorParts.ts';

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
