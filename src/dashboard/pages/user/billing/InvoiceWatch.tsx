// One invoice, looked after until it is paid: asked for every two seconds for a minute, and at once when the stream says something
// of an invoice.
import { useEffect, useState } from 'preact/hooks';
import type { InvoicePage } from '../../../api/contract.ts';
import { usd } from '../../../domain/numberText.ts';
import { Shown } from '../../../parts/states.tsx';
import { useAnswer } from '../../../parts/useAnswer.ts';
import { nowMs } from '../../../state/clock.ts';
import { onNotice } from '../../../state/shell/notices.ts';
import { INVOICE_STATES, PayLink } from './InvoiceTable.tsx';

const [LOOK_MS, LOOKS_MS] = [2_000, 60_000];

/** @param props.onPaid called when it is seen to be paid */
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
