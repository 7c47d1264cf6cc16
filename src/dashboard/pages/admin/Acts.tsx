// What operators have looked at and done, newest first.
import type { AuditEntry } from '../../api/contract.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { AdminList } from './AdminList.tsx';
import { AdminPage } from './AdminPage.tsx';

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'When', cell: ({ time }) => <Moment at={time} /> },
  { head: 'Act', cell: ({ action }) => action },
  { head: 'What', cell: ({ detail }) => <bdi class="long">{detail ?? '–'}</bdi> },
  { head: 'How it ended', cell: ({ outcome }) => outcome },
  { head: 'Who', cell: ({ actor }) => <code>{actor}</code> },
  { head: 'From', cell: ({ address }) => <code>{address ?? 'a terminal'}</code> },
];

export function Acts() {
  return (
    <AdminPage title="Acts of operators">
      <AdminList path="audit" caption="Acts" columns={COLUMNS} keyOf={({ id }) => id} empty={<p>No act yet.</p>} />
    </AdminPage>
  );
}
