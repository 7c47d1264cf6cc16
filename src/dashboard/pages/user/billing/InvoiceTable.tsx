// Invoices, newest first, with what became of them and the way to pay those that are open.
import type { ComponentChildren } from 'preact';
import type { Invoice } from '../../../api/contract.ts';
import { type Column, DataTable } from '../../../parts/DataTable.tsx';
import { Moment, Usd } from '../../../parts/numbers.tsx';

export const INVOICE_STATES: Readonly<Record<Invoice['status'], string>> = {
  open: 'open',
  paid: 'paid',
  expired: 'expired: it was not paid in time, nothing was charged',
  void: 'void: another one has replaced it, or the subscription was canceled',
  refunded: 'refunded: the payment was given back',
  disputed: 'disputed: the payer’s bank has taken the payment back',
};

const COLUMNS: readonly Column<Invoice>[] = [
  { head: 'Made', cell: ({ created_at }) => <Moment at={created_at} /> },
  {
    head: 'For',
    cell: ({ plan, period }) => (
      <>
        {plan}, one {period}
      </>
    ),
  },
  { head: 'Amount, USD', isNumber: true, cell: ({ amount_usd }) => <Usd value={amount_usd} /> },
  { head: 'Discount, USD', isNumber: true, cell: ({ discount_usd }) => <Usd value={discount_usd} /> },
  { head: 'Status', cell: ({ status }) => <span title={INVOICE_STATES[status]}>{status}</span> },
  { head: 'Paid', cell: ({ paid_at: paid }) => (paid === null ? '–' : <Moment at={paid} />) },
  { head: 'Invoice', cell: ({ id }) => <code>{id}</code> },
  { head: '', cell: (invoice) => <PayLink invoice={invoice} /> },
];

export function InvoiceTable({
  invoices,
  children,
}: {
  readonly invoices: readonly Invoice[];
  readonly children: ComponentChildren;
}) {
  return (
    <DataTable
      caption="Invoices, newest first"
      columns={COLUMNS}
      rows={invoices}
      keyOf={({ id }) => id}
      empty={<p>No invoice yet.</p>}
    >
      {children}
    </DataTable>
  );
}

/** The provider's page; nothing for an invoice that is over. */
export function PayLink({ invoice }: { readonly invoice: Invoice }) {
  const { status, pay_url: url } = invoice;
  if (status !== 'open' || url === null) return null;
  return (
    <a href={url} class="button main" rel="noreferrer">
      Pay
    </a>
  );
}
