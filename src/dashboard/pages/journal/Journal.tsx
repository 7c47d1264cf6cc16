// A journal that was exported, or that a failed test has kept: read and proved in the browser, for everybody. The file is sent nowhere.
import { useEffect, useRef, useState } from 'preact/hooks';
import { accessToken } from '../../api/browserSession.ts';
import { percent } from '../../domain/texts.ts';
import { Facts } from '../../parts/Facts.tsx';
import { Moment, Usd } from '../../parts/numbers.tsx';
import { Entrance, Shell } from '../../parts/shell/Shell.tsx';
import { Entries } from './Entries.tsx';
import { type JournalReport, readJournal } from './readJournal.ts';

const TITLE = 'A journal’s file';

export default function Journal() {
  if (accessToken.value !== undefined) {
    return (
      <Shell title={TITLE}>
        <Opener />
      </Shell>
    );
  }
  return (
    <Entrance title={TITLE}>
      <Opener />
      <p>
        <a href="/">What this is</a> · <a href="/login">Log in</a>
      </p>
    </Entrance>
  );
}

type State =
  | { readonly kind: 'reading'; readonly file: File; readonly bytes: number }
  | { readonly kind: 'read'; readonly file: File; readonly report: JournalReport }
  | { readonly kind: 'failed'; readonly why: string };

function Opener() {
  const [state, setState] = useState<State>();
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const open = (file: File | undefined): void => {
    stop.current?.abort();
    if (file === undefined || !globalThis.isSecureContext) {
      stop.current = undefined;
      setState(file && { kind: 'failed', why: NOT_SECURE });
      return;
    }
    const reading = new AbortController();
    stop.current = reading;
    const show = (next: State): void => {
      if (stop.current === reading) setState(next);
    };
    show({ kind: 'reading', file, bytes: 0 });
    readJournal(file, reading.signal, (bytes) => show({ kind: 'reading', file, bytes })).then(
      (report) => show({ kind: 'read', file, report }),
      (error: unknown) => show({ kind: 'failed', why: reading.signal.aborted ? 'It was stopped.' : whyOf(error) }),
    );
  };

  return (
    <>
      <p>
        An export of the kind <code>journal</code>, as a failed test keeps it, too. It is read here, in the browser, and sent
        nowhere.
      </p>
      <p>
        <label>
          File, .jsonl{' '}
          <input
            type="file"
            accept=".jsonl,application/jsonl,text/plain"
            onChange={(event) => open(event.currentTarget.files?.[0])}
          />
        </label>
      </p>
      {state?.kind === 'reading' && (
        <p role="status">
          Read: {percent(state.file.size === 0 ? 0 : state.bytes / state.file.size)}{' '}
          <button type="button" onClick={() => stop.current?.abort()}>
            Stop
          </button>
        </p>
      )}
      {state?.kind === 'failed' && <p role="alert">{state.why}</p>}
      {state?.kind === 'read' && <Report file={state.file} report={state.report} />}
    </>
  );
}

const NOT_SECURE = 'The browser computes hashes on pages that come over https, or from this machine, only.';
const whyOf = (error: unknown): string => `The file cannot be read: ${error instanceof Error ? error.message : String(error)}`;

function Report({ file, report: { facts, places, wrong } }: { readonly file: File; readonly report: JournalReport }) {
  const { account, entries, fills, lastSeq, firstMs, lastMs, balance, stateHash } = facts;
  return (
    <>
      {wrong === undefined ? (
        <p class="light large good" role="status">
          All lines are as they were written.
        </p>
      ) : (
        <div class="error" role="alert">
          <p>
            Line {wrong.line} is not what was written. {wrong.why}
          </p>
          <p>What stands before it is shown.</p>
        </div>
      )}
      <Facts
        facts={[
          { term: 'Account', value: account === undefined ? '–' : <code>{account}</code> },
          { term: 'Entries', value: entries },
          { term: 'Newest entry', value: lastSeq },
          { term: 'Fills', value: fills },
          firstMs !== undefined && { term: 'First entry of the file', value: <Moment at={firstMs} /> },
          lastMs !== undefined && { term: 'Last', value: <Moment at={lastMs} /> },
          balance !== undefined && {
            term: 'Balance',
            value: <Usd value={balance} />,
            help: 'As the journal says. bin/admin verify recomputes it, and the state hash, from the events.',
          },
          stateHash !== undefined && { term: 'State hash', value: <code>{stateHash}</code> },
        ]}
      />
      <Entries key={`${file.name} ${file.size} ${file.lastModified}`} file={file} places={places} />
    </>
  );
}
