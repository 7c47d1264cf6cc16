// The security-relevant acts on the account, by any actor, newest first.
import { useState } from 'preact/hooks';
import type { AuditEntry, AuditPage } from '../../../api/contract.ts';
import { type Column, DataTable } from '../../../parts/DataTable.tsx';
import { Moment } from '../../../parts/numbers.tsx';
import { Pager } from '../../../parts/Pager.tsx';
import { Shown } from '../../../parts/states.tsx';
import { useAnswer } from '../../../parts/useAnswer.ts';

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'Time', cell: ({ time }) => <Moment at={time} /> },
  { head: 'Act', cell: ({ action }) => action.replaceAll(/[._]/g, ' ') },
  { head: 'By', cell: ({ actor }) => actor },
  { head: 'Address', cell: ({ address }) => (address === null ? '–' : <code>{address}</code>) },
  { head: 'Outcome', cell: ({ outcome }) => <span class={outcome === 'refused' ? 'down' : ''}>{outcome}</span> },
  { head: 'Detail', cell: ({ detail }) => <bdi class="wrapped">{detail ?? ''}</bdi> },
];

export function AuditList() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const asked = useAnswer<AuditPage>(`/v1/auth/audit?${new URLSearchParams({ limit: '20', ...(cursor && { cursor }) })}`);
  return (
    <Shown asked={asked} lines={8}>
      {({ items, next_cursor: next }) => (
        <DataTable caption="Acts, newest first" columns={COLUMNS} rows={items} keyOf={({ id }) => id} empty={<p>Nothing yet.</p>}>
          <Pager
            {...(cursors.length > 0 && { onNewer: () => setCursors(cursors.slice(0, -1)) })}
            {...(next !== null && { onOlder: () => setCursors([...cursors, next]) })}
          />
        </DataTable>
      )}
    </Shown>
  );
}
