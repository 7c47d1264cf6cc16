// Accounts that are halted, and commands that were parked: lifted, done after all, removed.
import type { DeadLetter, HaltedAccount, HaltedAccounts } from '../../api/contract.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { type Act, useActs } from './AdminAct.tsx';
import { AdminList, AdminPage } from './AdminPage.tsx';

export function Quarantine() {
  const { ask, done, dialog, note } = useActs();
  return (
    <AdminPage title="Halted and parked">
      {note}
      <section>
        <h2>Halted accounts</h2>
        <Halted key={done} onAsk={ask} />
      </section>
      <section>
        <h2>Parked commands</h2>
        <AdminList
          key={done}
          path="dead-letters"
          caption="Parked commands"
          columns={letterColumns(ask)}
          keyOf={({ id }) => id}
          empty={<p>No command is parked.</p>}
        />
      </section>
      {dialog}
    </AdminPage>
  );
}

function Halted({ onAsk }: { readonly onAsk: (act: Act) => void }) {
  // A lifted account is in the list until its owner's next heartbeat says otherwise.
  const asked = useAnswer<HaltedAccounts>('/v1/admin/quarantine', { everyMs: 15_000 });
  const columns: readonly Column<HaltedAccount>[] = [
    { head: 'Account', cell: ({ account }) => <code>{account}</code> },
    { head: 'Shard', isNumber: true, cell: ({ shard }) => shard },
    { head: 'Since', cell: ({ since }) => (since === null ? 'not known' : <Moment at={since} />) },
    { head: 'Reason', cell: ({ reason }) => <bdi class="long">{reason}</bdi> },
    {
      head: '',
      cell: (one) => (
        <button type="button" class="small" onClick={() => onAsk(lift(one))}>
          Lift
        </button>
      ),
    },
  ];
  return (
    <Shown asked={asked}>
      {({ count, accounts }) => (
        <>
          {count > accounts.length && (
            <p>
              The first {accounts.length} of {count}.
            </p>
          )}
          <DataTable
            caption="Halted accounts"
            columns={columns}
            rows={accounts}
            keyOf={({ account }) => account}
            empty={<p>No account is halted.</p>}
          />
        </>
      )}
    </Shown>
  );
}

const lift = ({ account, reason }: HaltedAccount): Act => ({
  ...{ title: 'Lift the account?', name: 'Lift it', word: 'lift', path: `quarantine/${account}/lift` },
  about: (
    <p>
      Its owner reads <code>{account}</code> anew with all entries; that may take half a minute. It was halted for:{' '}
      <bdi>{reason}</bdi>
    </p>
  ),
});

const letterColumns = (onAsk: (act: Act) => void): readonly Column<DeadLetter>[] => [
  { head: 'Id', cell: ({ id }) => <code>{id}</code> },
  { head: 'Parked', cell: ({ parked_at: at }) => <Moment at={at} /> },
  { head: 'Account', cell: ({ account }) => <code>{account}</code> },
  { head: 'Command', cell: ({ command }) => command ?? 'cannot be read' },
  { head: 'Reason', cell: ({ reason }) => <bdi class="long">{reason}</bdi> },
  {
    head: '',
    cell: (letter) => (
      <>
        {letter.command !== null && (
          <button type="button" class="small" onClick={() => onAsk(requeue(letter))}>
            Do it after all
          </button>
        )}{' '}
        <button type="button" class="small" onClick={() => onAsk(drop(letter))}>
          Remove
        </button>
      </>
    ),
  },
];

const requeue = ({ id, command }: DeadLetter): Act => ({
  ...{ title: 'Do the command after all?', name: 'Do it', word: 'requeue', path: `dead-letters/${id}/requeue` },
  about: (
    <p>
      {command} is done now, at the prices of now. Its sender was told that nothing was done: what was sent again meanwhile,
      without an Idempotency-Key, is done twice.
    </p>
  ),
});

const drop = ({ id }: DeadLetter): Act => ({
  ...{ title: 'Remove the command?', name: 'Remove it', word: 'remove', path: `dead-letters/${id}/drop` },
  about: (
    <p>
      <code>{id}</code> is gone for good. Nothing of it was done.
    </p>
  ),
});
