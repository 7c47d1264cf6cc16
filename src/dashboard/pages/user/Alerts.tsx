// Alerts: the endpoints of the user, made, changed, paused, tried and removed; and what was sent to them.
import { useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { AlertEndpoint, AlertEndpointList, AlertEndpointMade, AlertEndpointWithSecret } from '../../api/contract.ts';
import { post, remove } from '../../api/http.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Dialog, Form } from '../../parts/Form.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { AlertFields, alertBody, CodeField, KIND_WORDS, whereOf } from './AlertFields.tsx';
import { Deliveries } from './Deliveries.tsx';
import { KeyAccount, ReachedAccount } from './KeyAccount.tsx';
import '../../styles/lab.css';

const PATH = '/v1/alerts/endpoints';
/** How often what waits is looked at, ms. */
const LOOK_MS = 15_000;

interface Act {
  readonly what: 'change' | 'rotate' | 'remove';
  readonly endpoint: AlertEndpoint;
}

export default function Alerts() {
  const asked = useAnswer<AlertEndpointList>(PATH, { everyMs: LOOK_MS });
  const [shown, setShown] = useState<Pick<AlertEndpointMade, 'secret' | 'telegram'>>();
  const [act, setAct] = useState<Act>();
  const [tried, setTried] = useState(0);
  const make = async (data: FormData): Promise<void> => {
    const { body } = await post<AlertEndpointMade>(PATH, alertBody(data));
    setShown(body);
    asked.askAgain();
  };
  const changed = async ({ id }: AlertEndpoint, body: object): Promise<void> => {
    await post(`${PATH}/${id}/change`, body);
    asked.askAgain();
  };
  const test = async ({ id }: AlertEndpoint): Promise<void> => {
    await post(`${PATH}/${id}/test`, {});
    setTried((before) => before + 1);
    asked.askAgain();
  };
  return (
    <Shell title="Alerts">
      <p>
        What happens in your accounts, sent to you: as signed messages to an address of yours, by mail, or to a Telegram chat.{' '}
        <a href="/docs">The API documentation</a> has their form.
      </p>
      {shown && <ShownOnce {...shown} />}
      <Shown asked={asked}>
        {({ endpoints }) => (
          <>
            <DataTable
              caption="Endpoints"
              columns={columnsOf({ onAct: setAct, onTest: test })}
              rows={endpoints}
              keyOf={({ id }) => id}
              empty={<p>No endpoint yet.</p>}
            />
            <div class="lab">
              <Form act="Make an endpoint" onSubmit={make}>
                <AlertFields />
                <KeyAccount bound={null} />
                <CodeField />
              </Form>
            </div>
            <Deliveries key={tried} endpoints={endpoints} onRetried={asked.askAgain} />
          </>
        )}
      </Shown>
      {act && (
        <Question
          act={act}
          onChanged={changed}
          onSecret={(secret) => setShown({ secret, telegram: null })}
          onOver={asked.askAgain}
          onClose={() => setAct(undefined)}
        />
      )}
    </Shell>
  );
}

function columnsOf({
  onAct,
  onTest,
}: {
  readonly onAct: (act: Act) => void;
  readonly onTest: (endpoint: AlertEndpoint) => Promise<void>;
}): readonly Column<AlertEndpoint>[] {
  return [
    { head: 'To', cell: (endpoint) => <bdi class="long">{whereOf(endpoint)}</bdi> },
    { head: 'Told of', cell: ({ kinds }) => kinds.map((kind) => KIND_WORDS[kind]).join(', ') },
    { head: 'Accounts', cell: ({ account }) => <ReachedAccount address={account} /> },
    { head: 'Status', cell: ({ status, paused_by: by }) => (by === 'failing' ? 'paused: nothing arrived for a day' : status) },
    { head: 'Waiting', isNumber: true, cell: ({ waiting }) => waiting },
    { head: 'Dead', isNumber: true, cell: ({ dead }) => dead },
    { head: 'Arrived', cell: ({ last_success_at: at }) => (at === null ? 'never' : <Moment at={at} />) },
    {
      head: '',
      cell: (endpoint) => (
        <>
          {endpoint.status === 'active' && <TestButton endpoint={endpoint} onTest={onTest} />}
          {actsOf(endpoint).map((what) => (
            <button key={what} type="button" class="small" onClick={() => onAct({ what, endpoint })}>
              {BUTTONS[what]}
            </button>
          ))}
        </>
      ),
    },
  ];
}

const actsOf = ({ channel }: AlertEndpoint): readonly Act['what'][] =>
  channel === 'webhook' ? ['change', 'rotate', 'remove'] : ['change', 'remove'];

const BUTTONS = { change: 'Change', rotate: 'New secret', remove: 'Remove' };

/** A refusal stands in place of the button's words. */
function TestButton({
  endpoint,
  onTest,
}: {
  readonly endpoint: AlertEndpoint;
  readonly onTest: (endpoint: AlertEndpoint) => Promise<void>;
}) {
  const [words, setWords] = useState('Test');
  const test = async (): Promise<void> => {
    try {
      await onTest(endpoint);
      setWords('Test');
    } catch (error) {
      setWords(failureText(error));
    }
  };
  return (
    <button type="button" class="small" onClick={() => void test()}>
      {words}
    </button>
  );
}

/** The secret of an endpoint, shown this one time. */
function ShownOnce({ secret, telegram }: Pick<AlertEndpointMade, 'secret' | 'telegram'>) {
  if (secret === null && telegram === null) return null;
  return (
    <div class="once" role="status">
      <p>
        {secret === null
          ? 'Send this to the bot from your chat, within the hour. It is shown this once:'
          : 'The secret that signs the messages. It is shown this once:'}
      </p>
      <code>{secret ?? `/start ${telegram?.code}`}</code> <CopyButton text={secret ?? `/start ${telegram?.code}`} />
      {telegram?.link && (
        <p>
          Or <a href={telegram.link}>open the bot @{telegram.bot}</a> and press Start.
        </p>
      )}
    </div>
  );
}

interface QuestionProps {
  readonly act: Act;
  readonly onChanged: (endpoint: AlertEndpoint, body: object) => Promise<void>;
  readonly onSecret: (secret: string) => void;
  readonly onOver: () => void;
  readonly onClose: () => void;
}

function Question({ act: { what, endpoint }, onChanged, onSecret, onOver, onClose }: QuestionProps) {
  const path = `${PATH}/${endpoint.id}`;
  if (what === 'remove') {
    const gone = async (): Promise<void> => {
      await remove(path);
      onOver();
    };
    return (
      <Dialog title="Remove the endpoint?" act="Remove it" isDangerous onAct={gone} onClose={onClose}>
        <p>Nothing is sent there any more, and its deliveries and dead letters go with it.</p>
      </Dialog>
    );
  }
  if (what === 'rotate') {
    const rotate = async (data: FormData): Promise<void> => {
      const code = String(data.get('code') ?? '').trim();
      const { body } = await post<AlertEndpointWithSecret>(`${path}/secret`, code === '' ? {} : { code });
      onSecret(body.secret);
      onOver();
    };
    return (
      <Dialog title="Make a new secret?" act="Make it" onAct={rotate} onClose={onClose}>
        <p>For a day messages are signed by both, so that you can take the new one over.</p>
        <CodeField />
      </Dialog>
    );
  }
  return (
    <Dialog title="Change the endpoint" act="Change it" onAct={(data) => onChanged(endpoint, alertBody(data))} onClose={onClose}>
      <AlertFields endpoint={endpoint} />
      <CodeField />
    </Dialog>
  );
}
