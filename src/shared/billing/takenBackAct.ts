// The audit row of a payment that was given back or disputed. It is written from the invoice, which has the time of it first: so it
// is one row, however often and by how many processes it is written.
import { assert } from '../domain/assert.ts';
import type { Act } from '../mongo/auditLog.ts';
import type { Invoice } from './stores/invoiceStore.ts';

/** @param seenBy who has said so: `provider:stripe`, `operator` */
export function takenBackAct(invoice: Invoice, how: 'refunded' | 'disputed', seenBy: string): Act {
  const { _id: invoiceId, userId, refundedAt, disputedAt } = invoice;
  const at = how === 'refunded' ? refundedAt : disputedAt;
  assert(at, 'an invoice has the time of it before its row is written');
  return {
    ...{ userId, action: `invoice.${how}`, outcome: 'ok', actor: seenBy, address: null },
    ...{ timeMs: at.getTime(), detail: `${invoiceId} ${how}`, once: `${invoiceId}:${how}` },
  };
}
