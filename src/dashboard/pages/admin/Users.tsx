// Users for operators: the list, searched by the beginning of the e-mail address or by id, account address or key id; and the
// page of a user.
import { useState } from 'preact/hooks';
import type { OperatorApiKey, OperatorSession, OperatorUser, OperatorUserDetails } from '../../api/contract.ts';
import { agentName } from '../../domain/agentName.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { End, Moment } from '../../parts/numbers.tsx';
import { type Act, useActs } from './AdminAct.tsx';
import { AdminList, AdminPage } from './AdminPage.tsx';

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

/** A user as operators see one: plan and dates, keys, sessions, invoices; a plan granted, all sessions ended. */
export function UserPage({ id }: { readonly id: string }) {
  return (
    <AdminPage title="User">
      <Details id={id} />
    </AdminPage>
  );
}

function Details({ id }: { readonly id: string }) {
  const { ask, done, dialog, note } = useActs();
  return (
    <>
      {note}
      <One key={done} id={id} onAsk={ask} />
      {dialog}
    </>
  );
}

function One({ id, onAsk: ask }: { readonly id: string; readonly onAsk: (act: Act) => void }) {
  const asked = useAnswer<OperatorUserDetails>(`/v1/admin/users/${encodeURIComponent(id)}`);
  return (
    <Shown asked={asked} lines={8}>
      {(one) => (
        <>
          <Facts of={one} />
          <GrantForm of={one} onAsk={ask} />
          <section>
            <div class="row">
              <h2>Sessions</h2>
              <button type="button" class="small" disabled={one.sessions.length === 0} onClick={() => ask(endSessions(one))}>
                End all
              </button>
            </div>
            <DataTable
              caption="Sessions"
              columns={SESSIONS}
              rows={one.sessions}
              keyOf={(session) => session.id}
              empty={<p>Not logged in anywhere.</p>}
            />
          </section>
          <section>
            <h2>API keys</h2>
            <DataTable caption="API keys" columns={KEYS} rows={one.api_keys} keyOf={(key) => key.id} empty={<p>No key.</p>} />
          </section>
        </>
      )}
    </Shown>
  );
}

function Facts({ of }: { readonly of: OperatorUserDetails }) {
  const facts = [
    ['E-mail', <bdi key="email">{of.email}</bdi>],
    ['Verified', of.email_verified ? 'yes' : 'no'],
    ['Second factor', of.second_factor ? 'on' : 'off'],
    ['Plan', `${of.plan}, ${of.status}`],
    ['Trial ends', <End key="trial" at={of.trial_expires_at} />],
    ['Paid until', of.subscription_expires_at === null ? 'never paid' : <End key="paid" at={of.subscription_expires_at} />],
    ['Role', of.roles.join(', ') || 'none'],
    ['Registered', <Moment key="made" at={of.created_at} />],
    ['Id', <code key="id">{of.id}</code>],
    ['Account', <code key="account">{of.address}</code>],
    [
      'Invoices',
      <a key="invoices" href={`/admin/invoices?user=${of.id}`}>
        of this user
      </a>,
    ],
  ] as const;
  return (
    <section>
      <dl class="details">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function GrantForm({ of, onAsk }: { readonly of: OperatorUserDetails; readonly onAsk: (act: Act) => void }) {
  const [plan, setPlan] = useState<'basic' | 'pro'>('pro');
  const [days, setDays] = useState('30');
  const submit = (event: Event): void => {
    event.preventDefault();
    onAsk({
      ...{
        title: 'Grant the plan?',
        name: 'Grant it',
        word: 'grant',
        path: `users/${of.id}/grant`,
        body: { plan, days: Number(days) },
      },
      about: (
        <p>
          <bdi>{of.email}</bdi> has the plan {plan} for {days} days from now, in place of what was paid for.
        </p>
      ),
    });
  };
  return (
    <section>
      <h2>Grant a plan</h2>
      <form class="search" onSubmit={submit}>
        <label>
          Plan
          <select value={plan} onChange={({ currentTarget }) => setPlan(currentTarget.value as 'basic' | 'pro')}>
            <option value="basic">basic</option>
            <option value="pro">pro</option>
          </select>
        </label>
        <label>
          Days from now
          <input
            type="number"
            min="1"
            max="36500"
            required
            value={days}
            onInput={({ currentTarget }) => setDays(currentTarget.value)}
          />
        </label>
        <button type="submit">Grant</button>
      </form>
    </section>
  );
}

const endSessions = ({ id, email, sessions }: OperatorUserDetails): Act => ({
  ...{ title: 'End all sessions?', name: 'End them', word: 'end', path: `users/${id}/end-sessions` },
  about: (
    <p>
      <bdi>{email}</bdi> is logged out everywhere ({sessions.length}). API keys go on.
    </p>
  ),
});

const SESSIONS: readonly Column<OperatorSession>[] = [
  { head: 'Browser or program', cell: ({ agent }) => <bdi title={agent}>{agentName(agent)}</bdi> },
  { head: 'Address', cell: ({ address }) => <code>{address}</code> },
  { head: 'Begun', cell: ({ created_at: at }) => <Moment at={at} /> },
  { head: 'Last used', cell: ({ last_used_at: at }) => <Moment at={at} /> },
];

const KEYS: readonly Column<OperatorApiKey>[] = [
  { head: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  { head: 'Begins with', cell: ({ key_prefix: prefix }) => <code>{prefix}…</code> },
  { head: 'Id', cell: ({ id }) => <code>{id}</code> },
  { head: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Moment at={at} />) },
];
