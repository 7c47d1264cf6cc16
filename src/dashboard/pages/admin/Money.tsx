// Invoices and discount codes for operators. An invoice of the test provider can be paid, and a payment given back.
import { useState } from 'preact/hooks';
import { serverNow } from '../../api/answer.ts';
import type { DiscountCode, OperatorInvoice } from '../../api/contract.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { Moment, Usd } from '../../parts/numbers.tsx';
import { address } from '../../state/route.ts';
import { type Act, useActs } from './AdminAct.tsx';
import { AdminList, AdminPage } from './AdminPage.tsx';

const STATUSES = ['all', 'open', 'paid', 'expired', 'void', 'refunded', 'disputed'] as const;

export function Invoices() {
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('all');
  const { ask, done, dialog, note } = useActs();
  const user = new URLSearchParams(address.value.split('?')[1] ?? '').get('user') ?? '';
  const path = `invoices?${new URLSearchParams({ ...(status !== 'all' && { status }), ...(user !== '' && { user }) })}`;
  const columns: readonly Column<OperatorInvoice>[] = [
    { head: 'Invoice', cell: ({ id }) => <code>{id}</code> },
    {
      head: 'User',
      cell: ({ user_id: of }) => (
        <a class="long" href={`/admin/users/${of}`}>
          {of}
        </a>
      ),
    },
    { head: 'Plan', cell: ({ plan, period }) => `${plan}, ${period}` },
    { head: 'USD', isNumber: true, cell: ({ amount_usd: amount }) => <Usd value={amount} /> },
    {
      head: 'Discount',
      isNumber: true,
      cell: ({ discount_usd: off, discount_code: code }) => (code === null ? '–' : `${off} ${code}`),
    },
    { head: 'Status', cell: (invoice) => invoice.status },
    { head: 'Made', cell: ({ created_at: at }) => <Moment at={at} /> },
    { head: 'Paid', cell: ({ paid_at: at }) => (at === null ? '–' : <Moment at={at} />) },
    { head: '', cell: (invoice) => <Acts of={invoice} onAsk={ask} /> },
  ];
  return (
    <AdminPage title="Invoices">
      {note}
      {user !== '' && (
        <p>
          Of <code>{user}</code>. <a href="/admin/invoices">All users</a>
        </p>
      )}
      <fieldset class="tabs choices statuses">
        <legend>Status</legend>
        {STATUSES.map((one) => (
          <button key={one} type="button" aria-pressed={one === status} onClick={() => setStatus(one)}>
            {one}
          </button>
        ))}
      </fieldset>
      <AdminList
        key={`${path} ${done}`}
        path={path}
        caption="Invoices"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>No such invoice.</p>}
      />
      {dialog}
    </AdminPage>
  );
}

function Acts({ of, onAsk }: { readonly of: OperatorInvoice; readonly onAsk: (act: Act) => void }) {
  const act = of.status === 'paid' ? refund(of) : of.status === 'open' ? pay(of) : undefined;
  if (act === undefined) return null;
  return (
    <button type="button" class="small" onClick={() => onAsk(act)}>
      {of.status === 'paid' ? 'Refund' : 'Pay'}
    </button>
  );
}

const refund = ({ id, amount_usd: amount }: OperatorInvoice): Act => ({
  ...{ title: 'Give the payment back?', name: 'Refund it', word: 'refund', path: `invoices/${id}/refund` },
  about: (
    <p>
      {amount} USD of <code>{id}</code> go back at the provider, and the time that they paid for ends.
    </p>
  ),
});

const pay = ({ id, amount_usd: amount }: OperatorInvoice): Act => ({
  ...{ title: 'Pay the invoice?', name: 'Pay it', word: 'pay', path: `invoices/${id}/pay` },
  about: (
    <p>
      <code>{id}</code> over {amount} USD counts as paid. Only where payments are tests.
    </p>
  ),
});

/** Discount codes: listed, made and ended. */
export function Discounts() {
  const { ask, done, dialog, note } = useActs();
  const columns: readonly Column<DiscountCode>[] = [
    { head: 'Code', cell: ({ code }) => <code>{code}</code> },
    { head: 'Takes off', isNumber: true, cell: ({ kind, value }) => (kind === 'percent' ? `${value} %` : `${value} USD`) },
    { head: 'Of', cell: ({ applies_to: of }) => (of === 'all' ? 'all payments' : 'the first payment') },
    { head: 'Uses', isNumber: true, cell: ({ uses, uses_max: most }) => `${uses} of ${most}` },
    { head: 'Not paid with yet', isNumber: true, cell: ({ unspent }) => unspent },
    { head: 'Ends', cell: ({ expires_at: at }) => (at === null ? 'never' : <Moment at={at} />) },
    {
      head: '',
      cell: (one) =>
        isOpen(one) && (
          <button type="button" class="small" onClick={() => ask(end(one))}>
            End
          </button>
        ),
    },
  ];
  return (
    <AdminPage title="Discount codes">
      {note}
      <NewCode onAsk={ask} />
      <AdminList
        key={done}
        path="discounts"
        caption="Discount codes"
        columns={columns}
        keyOf={({ code }) => code}
        empty={<p>No code yet.</p>}
      />
      {dialog}
    </AdminPage>
  );
}

/** The server's clock is known to about half a second: a code that has just been ended counts as ended, ms. */
const CLOCK_ERROR_MS = 2_000;

const isOpen = ({ expires_at: at }: DiscountCode): boolean => at === null || Date.parse(at) > serverNow() + CLOCK_ERROR_MS;

const end = ({ code }: DiscountCode): Act => ({
  ...{ title: 'End the code?', name: 'End it', word: 'end', path: `discounts/${code}/end` },
  about: (
    <p>
      <code>{code}</code> can no longer be taken. Uses taken before stay.
    </p>
  ),
});

function NewCode({ onAsk }: { readonly onAsk: (act: Act) => void }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string): string => String(data.get(name)).trim();
    const [code, kind, value, uses] = [text('code'), text('kind'), text('value'), text('uses')];
    const body = { code, kind, value, uses_max: Number(uses), applies_to: text('of'), expires_at: text('expires') || null };
    onAsk({
      ...{ title: 'Make the code?', name: 'Make it', path: 'discounts', body },
      about: (
        <p>
          <code>{code.toUpperCase()}</code> takes {value} {kind === 'percent' ? '%' : 'USD'} off, {uses} times.
        </p>
      ),
    });
  };
  return (
    <form class="search" onSubmit={submit}>
      <label>
        New code
        <input name="code" required maxLength={64} pattern="[A-Za-z0-9_\-]+" autocomplete="off" />
      </label>
      <label>
        Takes off
        <input name="value" required inputMode="decimal" size={6} autocomplete="off" />
      </label>
      <label>
        In
        <select name="kind">
          <option value="percent">%</option>
          <option value="amount">USD</option>
        </select>
      </label>
      <label>
        Of
        <select name="of">
          <option value="first">the first payment</option>
          <option value="all">all payments</option>
        </select>
      </label>
      <label>
        Uses
        <input name="uses" type="number" required min="1" max="5000" value="100" />
      </label>
      <label>
        Until (UTC)
        <input name="expires" type="date" />
      </label>
      <button type="submit">Make</button>
    </form>
  );
}
