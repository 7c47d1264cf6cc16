// An act of an operator, and the list of acts. An act says its effect first, asks for a word, and for the password where it was
// not confirmed in the last 15 minutes.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError, Hint } from '../../api/answer.ts';
import type { AuditEntry } from '../../api/contract.ts';
import { post } from '../../api/http.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Form.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { AdminList, AdminPage } from './AdminPage.tsx';

export interface Act {
  readonly title: string;
  /** Of the button that does it. */
  readonly name: string;
  /** Typed before; absent for what harms none. */
  readonly word?: string;
  /** Below `/v1/admin/`. */
  readonly path: string;
  readonly body?: object;
  readonly about: ComponentChildren;
}

interface Props {
  readonly act: Act;
  /** With the answer. */
  readonly onDone: (answer: unknown) => void;
  readonly onClose: () => void;
}

function AdminAct({ act, onDone, onClose }: Props) {
  const [asks, setAsks] = useState({ password: false, code: false });
  const given = useRef({ password: '', code: '' });
  const confirm = async (): Promise<void> => {
    const { password, code } = given.current;
    await post('/v1/admin/confirm', { password, ...(code !== '' && { code }) });
    setAsks({ password: false, code: false });
  };
  const run = async (): Promise<void> => {
    try {
      if (asks.password) await confirm();
      const { body } = await post(`/v1/admin/${act.path}`, act.body);
      onDone(body);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : '';
      if (code === 'second_factor_required') setAsks({ password: true, code: true });
      if (code !== 'confirmation_required') throw error;
      setAsks({ ...asks, password: true });
      throw new Hint('Your password is asked for: it holds for 15 minutes.');
    }
  };
  return (
    <Dialog
      title={act.title}
      act={act.name}
      isDangerous={act.word !== undefined}
      {...(act.word !== undefined && { word: act.word })}
      onAct={run}
      onClose={onClose}
    >
      {act.about}
      {asks.password && (
        <div class="field">
          <label>
            Your password
            <input
              type="password"
              autocomplete="current-password"
              onInput={({ currentTarget }) => {
                given.current.password = currentTarget.value;
              }}
            />
          </label>
        </div>
      )}
      {asks.code && (
        <div class="field">
          <label>
            Code of your authenticator
            <input
              autocomplete="one-time-code"
              onInput={({ currentTarget }) => {
                given.current.code = currentTarget.value;
              }}
            />
          </label>
        </div>
      )}
    </Dialog>
  );
}

/** The act that is asked about now, and how many were done: a list with that number as its key is read again. */
export function useActs() {
  const [act, setAct] = useState<Act>();
  const [done, setDone] = useState(0);
  const [said, setSaid] = useState<string>();
  const dialog = act && (
    <AdminAct
      act={act}
      onDone={(answer) => {
        setDone((before) => before + 1);
        const { message } = answer as { readonly message?: string };
        setSaid(message ?? `Done: ${act.name.toLowerCase()}.`);
      }}
      onClose={() => setAct(undefined)}
    />
  );
  const note = said !== undefined && (
    <p class="note" role="status">
      {said}
    </p>
  );
  return { ask: setAct, done, dialog, note };
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'When', cell: ({ time }) => <Moment at={time} /> },
  { head: 'Act', cell: ({ action }) => action },
  { head: 'What', cell: ({ detail }) => <bdi class="long">{detail ?? '–'}</bdi> },
  { head: 'How it ended', cell: ({ outcome }) => outcome },
  { head: 'Who', cell: ({ actor }) => <code>{actor}</code> },
  { head: 'From', cell: ({ address }) => <code>{address ?? 'a terminal'}</code> },
];

/** The acts of operators, reads among them, newest first. */
export function Acts() {
  return (
    <AdminPage title="Acts of operators">
      <AdminList path="audit" caption="Acts" columns={COLUMNS} keyOf={({ id }) => id} empty={<p>No act yet.</p>} />
    </AdminPage>
  );
}
