// Gives a payment back at the provider, and ends the time that it paid for. A call that is repeated after a crash goes on where it ended:
// the provider gives a payment back once.
import { takeBackPayment } from '../../shared/billing/applyPayment.ts';
import { type OperatorParts, Refused, Unknown } from '../operatorParts.ts';

/** @throws {Unknown} when there is no such invoice, {Refused} when it has no payment to give back */
export async function refundInvoice({ billing }: Pick<OperatorParts, 'billing'>, id: string): Promise<void> {
  const invoice = await billing.invoices.find(id);
  if (invoice === null) throw new Unknown('There is no such invoice.');
  if (invoice.status !== 'paid') throw new Refused(`The invoice is ${invoice.status}: there is no payment to give back.`);
  if (invoice.payment !== undefined) await billing.provider.refund(invoice.payment.ref);
  await takeBackPayment(billing, id, { how: 'refunded', seenBy: 'operator' });
}
