// Users: found by the beginning of the e-mail address, or by id, account address or key id.
import { useState } from 'preact/hooks';
import type { OperatorUser } from '../../api/contract.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { End, Moment } from '../../parts/numbers.tsx';
import { AdminList } from './AdminList.tsx';
import { AdminPage } from './AdminPage.tsx';

const COLUMNS: readonly Column<OperatorUser>[] = [
  {
    head: 'E-mail',
    cell: ({ id, email }) => (
      <a href={`/admin/users/${id}`}>
        <bdi>{email}</bdi>
      </a>
    ),
  },
  { head: 'Plan', cell: ({ plan }) => plan },
  { head: 'Status', cell: ({ status }) => status },
  { head: 'Trial ends', cell: ({ trial_expires_at: at }) => <End at={at} /> },
  { head: 'Paid until', cell: ({ subscription_expires_at: at }) => (at === null ? '–' : <End at={at} />) },
  { head: 'Registered', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Role', cell: ({ roles }) => roles.join(', ') || '–' },
];

export function Users() {
  const [wanted, setWanted] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setWanted(String(new FormData(event.currentTarget as HTMLFormElement).get('q')).trim());
  };
  const path = `users?q=${encodeURIComponent(wanted)}`;
  return (
    <AdminPage title="Users">
      <form class="search" onSubmit={submit}>
        <label>
          E-mail begins with, or user_…, 0x…, key_…
          <input name="q" type="search" autocomplete="off" maxLength={254} />
        </label>
        <button type="submit">Find</button>
      </form>
      <AdminList
        key={path}
        path={path}
        caption="Users"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<p>No user has such a name.</p>}
      />
    </AdminPage>
  );
}
