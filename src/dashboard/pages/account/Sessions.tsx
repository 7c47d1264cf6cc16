// The sessions of the user, and the security-relevant acts on the account. A session of a stranger is ended here, at once and
// without a password.
import { useState } from 'preact/hooks';
import type { AuditEntry, AuditPage, Session } from '../../api/contract.ts';
import { remove } from '../../api/http.ts';
import { agentName } from '../../domain/agentName.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Form.tsx';
import { Moment } from '../../parts/numbers.tsx';

interface Props {
  readonly sessions: readonly Session[];
  readonly onChanged: () => void;
}

export function Sessions({ sessions, onChanged }: Props) {
  const [ended, setEnded] = useState<Session | 'others'>();
  const columns: readonly Column<Session>[] = [
    {
      head: 'Browser or program',
      cell: ({ agent, current }) => (
        <>
          <bdi title={agent}>{agentName(agent)}</bdi>
          {current && <b> · this one</b>}
        </>
      ),
    },
    { head: 'Address', cell: ({ address }) => <code>{address}</code> },
    { head: 'Logged in', cell: ({ created_at }) => <Moment at={created_at} /> },
    { head: 'Last used', cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
    { head: 'Ends unless used', cell: ({ expires_at }) => <Moment at={expires_at} /> },
    {
      head: '',
      cell: (session) =>
        !session.current && (
          <button type="button" class="small" onClick={() => setEnded(session)}>
            End
          </button>
        ),
    },
  ];
  const end = async (): Promise<void> => {
    await remove(ended === 'others' || ended === undefined ? '/v1/auth/sessions' : `/v1/auth/sessions/${ended.id}`);
    onChanged();
  };
  return (
    <>
      <DataTable
        caption="Sessions, oldest first"
        columns={columns}
        rows={sessions}
        keyOf={({ id }) => id}
        empty={<p>No session.</p>}
      />
      {sessions.length > 1 && (
        <p>
          <button type="button" onClick={() => setEnded('others')}>
            End all others
          </button>
        </p>
      )}
      {ended !== undefined && (
        <Dialog
          title={ended === 'others' ? 'End all other sessions?' : 'End this session?'}
          act={ended === 'others' ? 'End them' : 'End it'}
          onAct={end}
          onClose={() => setEnded(undefined)}
        >
          <p>
            {ended === 'others' ? (
              'Every browser and program but this one has to log in again. API keys work on.'
            ) : (
              <>
                <bdi>{agentName(ended.agent)}</bdi> at {ended.address} has to log in again.
              </>
            )}
          </p>
        </Dialog>
      )}
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'Time', cell: ({ time }) => <Moment at={time} /> },
  { head: 'Act', cell: ({ action }) => action.replaceAll(/[._]/g, ' ') },
  { head: 'By', cell: ({ actor }) => actor },
  { head: 'Address', cell: ({ address }) => (address === null ? '–' : <code>{address}</code>) },
  { head: 'Outcome', cell: ({ outcome }) => <span class={outcome === 'refused' ? 'down' : ''}>{outcome}</span> },
  { head: 'Detail', cell: ({ detail }) => <bdi class="wrapped">{detail ?? ''}</bdi> },
];

/** The security-relevant acts on the account, by any actor, newest first. */
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
