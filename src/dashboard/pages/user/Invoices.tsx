// Invoices, newest first, each with its outcome, and open invoices with a way to pay.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Invoice, InvoicePage } from '../../api/contract.ts';
import { usd } from '../../domain/texts.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Moment, Usd } from '../../parts/numbers.tsx';
import { nowMs } from '../../state/clock.ts';
import { onNotice } from '../../state/notices.ts';

const INVOICE_STATES: Readonly<Record<Invoice['status'], string>> = {
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
function PayLink({ invoice }: { readonly invoice: Invoice }) {
  const { status, pay_url: url } = invoice;
  if (status !== 'open' || url === null) return null;
  return (
    <a href={url} class="button main" rel="noreferrer">
      Pay
    </a>
  );
}

const [LOOK_MS, LOOKS_MS] = [2_000, 60_000];

/**
 * Watches an invoice until it is paid: asked for every two seconds for a minute, and at once when the stream has news of an
 * invoice.
 * @param props.onPaid called when the invoice turns out to be paid
 */
export function InvoiceWatch({ id, onPaid }: { readonly id: string; readonly onPaid: () => void }) {
  const [sinceMs, setSinceMs] = useState(() => nowMs.peek());
  const [isDone, setIsDone] = useState(false);
  const isLooking = !isDone && nowMs.value - sinceMs < LOOKS_MS;
  const asked = useAnswer<InvoicePage>('/v1/billing/invoices?limit=20', isLooking ? { everyMs: LOOK_MS } : {});
  const status = asked.answer?.body.items.find((one) => one.id === id)?.status;
  const isPaid = status === 'paid';
  useEffect(() => {
    if (status !== undefined && status !== 'open') setIsDone(true);
    if (isPaid) onPaid();
  }, [status]);
  useEffect(
    () =>
      onNotice(({ kind }) => {
        if (kind === 'invoice') asked.askAgain();
      }),
    [],
  );
  return (
    <section class={isPaid ? 'note good' : 'note'} aria-label="Your payment">
      <Shown asked={asked} lines={1}>
        {({ items }) => {
          const invoice = items.find((one) => one.id === id);
          if (invoice === undefined) return <p>There is no invoice {id} among your latest.</p>;
          const what = `${invoice.plan}, one ${invoice.period}, ${usd(invoice.amount_usd)} USD`;
          return (
            <>
              <p role="status">
                {isPaid && <b>Paid, thank you. The plan holds from now on. </b>}
                {invoice.status === 'open' && 'This invoice waits for its payment. '}
                {!isPaid && invoice.status !== 'open' && `This invoice is ${INVOICE_STATES[invoice.status]}. `}
                {what}.
              </p>
              {invoice.status === 'open' && (
                <p class="ways">
                  <PayLink invoice={invoice} />{' '}
                  {isLooking ? (
                    <span class="quiet">Looking for the payment …</span>
                  ) : (
                    <button type="button" onClick={() => setSinceMs(nowMs.peek())}>
                      Look again
                    </button>
                  )}
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </section>
  );
}
