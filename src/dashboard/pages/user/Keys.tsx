// API keys: made, shown once, moved to another account, revoked; and one key's failure lab, whose script comes when it is first shown.
import { useState } from 'preact/hooks';
import type { ApiKey, ApiKeyList, NewApiKey } from '../../api/contract.ts';
import { post, remove } from '../../api/http.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Field, Form } from '../../parts/Form.tsx';
import { boundIn, hasSeveralAccounts, KeyAccount, ReachedAccount } from '../../parts/group/KeyAccount.tsx';
import { KeyOnce } from '../../parts/KeyOnce.tsx';
import { laterPage } from '../../parts/laterPage.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';

const LabPage = laterPage(() => import('./lab/LabPage.tsx'));

export default function Keys({ id }: { readonly id?: string }) {
  return id === undefined ? <KeyList /> : <LabPage id={id} />;
}

function KeyList() {
  const asked = useAnswer<ApiKeyList>('/v1/auth/api-keys');
  const [made, setMade] = useState<string>();
  const [moved, setMoved] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const make = async (data: FormData): Promise<void> => {
    const { body } = await post<NewApiKey>('/v1/auth/api-keys', { name: String(data.get('name')), ...boundIn(data) });
    setMade(body.api_key);
    asked.askAgain();
  };
  const columns: readonly Column<ApiKey>[] = [
    { head: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { head: 'Begins with', cell: ({ key_prefix }) => <code>{key_prefix}…</code> },
    { head: 'Reaches', cell: ({ account }) => <ReachedAccount address={account} /> },
    { head: 'May', cell: ({ scopes }) => scopes.join(', ') },
    { head: 'Made', cell: ({ created_at }) => <Moment at={created_at} /> },
    { head: 'Last used', cell: ({ last_used_at: used }) => (used === null ? 'never' : <Moment at={used} />) },
    { head: 'Status', cell: ({ status }) => status },
    { head: 'Failure lab', cell: ({ id, has_lab: hasLab }) => <a href={`/keys/${id}`}>{hasLab ? 'set' : 'off'}</a> },
    {
      head: '',
      cell: (key) =>
        key.status === 'active' && (
          <>
            {hasSeveralAccounts() && (
              <button type="button" class="small" onClick={() => setMoved(key)}>
                Move
              </button>
            )}
            <button type="button" class="small" onClick={() => setRevoked(key)}>
              Revoke
            </button>
          </>
        ),
    },
  ];
  return (
    <Shell title="API keys">
      {made !== undefined && <KeyOnce apiKey={made} />}
      <Form act="Make a key" onSubmit={make}>
        <Field name="name" label="Name of the new key" autocomplete="off" />
        <KeyAccount />
      </Form>
      <Shown asked={asked}>
        {({ api_keys: keys }) => (
          <DataTable caption="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} empty={<p>No key yet.</p>} />
        )}
      </Shown>
      {moved && (
        <Dialog
          title="Move the key?"
          act="Move it"
          onAct={async (data) => {
            await post(`/v1/auth/api-keys/${moved.id}/change`, { account: null, ...boundIn(data) });
            asked.askAgain();
          }}
          onClose={() => setMoved(undefined)}
        >
          <p>
            A bot with <bdi>{moved.name}</bdi> ({moved.key_prefix}…) goes on in that account. Its orders and positions stay where
            they are.
          </p>
          <KeyAccount bound={moved.account} />
        </Dialog>
      )}
      {revoked && (
        <Dialog
          title="Revoke the key?"
          act="Revoke it"
          isDangerous
          onAct={async () => {
            await remove(`/v1/auth/api-keys/${revoked.id}`);
            asked.askAgain();
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>
            A bot with <bdi>{revoked.name}</bdi> ({revoked.key_prefix}…) can do nothing from then on. This cannot be undone.
          </p>
        </Dialog>
      )}
    </Shell>
  );
}
