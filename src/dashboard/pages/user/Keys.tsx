// API keys: made, shown once, limited, moved to another account, revoked; and the failure lab of a key, whose script comes when
// it is first shown.
import { useState } from 'preact/hooks';
import type { ApiKey, ApiKeyList, NewApiKey } from '../../api/contract.ts';
import { post, remove } from '../../api/http.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Dialog, Field, Form } from '../../parts/Form.tsx';
import { laterPage } from '../../parts/laterPage.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { boundIn, hasSeveralAccounts, KeyAccount, ReachedAccount } from './KeyAccount.tsx';
import { keyLimitsBody, type Limited, limitFields, limitWords, TRADE_LIMITS } from './keyLimits.ts';
import { KeyOnce, useCode } from './newKey.tsx';

const LabPage = laterPage(() => import('./LabPage.tsx'));

export default function Keys({ id }: { readonly id?: string }) {
  return id === undefined ? <KeyList /> : <LabPage id={id} />;
}

function KeyList() {
  const asked = useAnswer<ApiKeyList>('/v1/auth/api-keys');
  const making = useCode();
  const changing = useCode();
  const [made, setMade] = useState<string>();
  const [limits, setLimits] = useState(false);
  const [moved, setMoved] = useState<ApiKey>();
  const [limited, setLimited] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const make = async (data: FormData): Promise<void> => {
    const wish = { name: String(data.get('name')), ...boundIn(data), ...(limits && keyLimitsBody(data)) };
    const { body } = await making.sent(data, (code) => post<NewApiKey>('/v1/auth/api-keys', { ...wish, ...code }));
    setMade(body.api_key);
    asked.askAgain();
  };
  const change = async ({ id }: ApiKey, data: FormData, wish: object): Promise<void> => {
    await changing.sent(data, (code) => post(`/v1/auth/api-keys/${id}/change`, { ...wish, ...code }));
    asked.askAgain();
  };
  const columns: readonly Column<ApiKey>[] = [
    { head: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
    { head: 'Begins with', cell: ({ key_prefix }) => <code>{key_prefix}…</code> },
    { head: 'Reaches', cell: ({ account }) => <ReachedAccount address={account} /> },
    { head: 'May', cell: (key) => <KeyMay limited={key} /> },
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
            <button type="button" class="small" onClick={() => setLimited(key)}>
              Limits
            </button>
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
        <KeyAccount isAlways={limits} />
        <label class="choice">
          <input type="checkbox" checked={limits} onChange={({ currentTarget }) => setLimits(currentTarget.checked)} /> With
          limits
        </label>
        {limits && <KeyLimitFields />}
        {making.field}
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
          onAct={(data) => change(moved, data, { account: null, ...boundIn(data) })}
          onClose={() => setMoved(undefined)}
        >
          <p>
            A bot with <bdi>{moved.name}</bdi> ({moved.key_prefix}…) goes on in that account. Its orders and positions stay where
            they are.
          </p>
          <KeyAccount bound={moved.account} />
          {changing.field}
        </Dialog>
      )}
      {limited && (
        <Dialog
          title="Limits of the key"
          act="Set them"
          onAct={(data) => change(limited, data, keyLimitsBody(data))}
          onClose={() => setLimited(undefined)}
        >
          <p>
            They hold for a bot with <bdi>{limited.name}</bdi> ({limited.key_prefix}…) within a second.
          </p>
          <KeyLimitFields limited={limited} />
          {changing.field}
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

/** The limits of an API key, as they stand in the list of keys, and as fields of a form. */
export function KeyMay({ limited }: { readonly limited: Limited }) {
  const { scopes, expires_at: end } = limited;
  return (
    <>
      {scopes.join(', ')}
      {limitWords(limited).map((words) => (
        <div key={words} class="quiet">
          {words}
        </div>
      ))}
      {end !== null && (
        <div class="quiet">
          until <Moment at={end} />
        </div>
      )}
    </>
  );
}

const SCOPES: readonly (readonly [scopes: string, words: string])[] = [
  ['read,trade', 'look and trade'],
  ['read', 'look alone'],
];

const NO_LIMITS: Limited = { scopes: ['read', 'trade'], expires_at: null, addresses: null, trade_limits: null };

/** @param props.limited what the fields begin with; absent = no limits */
export function KeyLimitFields({ limited = NO_LIMITS }: { readonly limited?: Limited }) {
  const values = limitFields(limited);
  const scopes = values.get('scopes') ?? '';
  const field = (name: string, label: string) => (
    <Field key={name} name={name} label={label} autocomplete="off" isOptional value={values.get(name) ?? ''} />
  );
  return (
    <>
      <label class="field">
        It may
        <select name="scopes">
          {SCOPES.map(([value, words]) => (
            <option key={value} value={value} selected={value === scopes}>
              {words}
            </option>
          ))}
          {SCOPES.every(([value]) => value !== scopes) && (
            <option value={scopes} selected>
              {scopes}
            </option>
          )}
        </select>
      </label>
      {field('expires_at', 'Good until, as 2027-01-31T12:00:00Z')}
      {field('addresses', 'From these addresses or networks alone, with commas')}
      <fieldset class="plain">
        <legend>Of a key that reaches one account</legend>
        {Object.entries(TRADE_LIMITS).map(([name, { label }]) => field(name, label))}
      </fieldset>
      <p class="quiet">What is empty is no limit.</p>
    </>
  );
}
