// Invoices of all users, by status; one of the test provider paid, a payment given back.
import { useState } from 'preact/hooks';
import type { OperatorInvoice } from '../../api/contract.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { Moment, Usd } from '../../parts/numbers.tsx';
import { address } from '../../state/route.ts';
import { type Act, useActs } from './AdminAct.tsx';
import { AdminList } from './AdminList.tsx';
import { AdminPage } from './AdminPage.tsx';

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
