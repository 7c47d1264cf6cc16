// The account's history as files: saved when they are whole, and only then.
import { useEffect, useRef, useState } from 'preact/hooks';
import { failureText, Hint, readAnswer } from '../../api/answer.ts';
import { accessToken, renewSession } from '../../api/browserSession.ts';
import { type ExportFormat, exportEnd } from '../../domain/exportEnd.ts';
import { accountPath, chosenAccount, user } from '../../state/chosenAccount.ts';

const KINDS = ['fills', 'orders', 'funding', 'ledger', 'equity', 'journal'] as const;
const FORMATS: readonly ExportFormat[] = ['csv', 'jsonl'];
/** The last line is in it, bytes. */
const TAIL_BYTES = 16_384;

export function Exports() {
  const [said, setSaid] = useState('');
  const [isUnderWay, setIsUnderWay] = useState(false);
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const begin = async (data: FormData): Promise<void> => {
    const [kind, format] = [String(data.get('kind')), String(data.get('format')) as ExportFormat];
    const reading = new AbortController();
    stop.current = reading;
    setIsUnderWay(true);
    setSaid('It is on its way …');
    try {
      const file = await fetchFile(accountPath(`export?kind=${kind}&format=${format}`), reading.signal);
      const end = exportEnd(await file.slice(-TAIL_BYTES).text(), format);
      if ('why' in end) throw new Hint(`Nothing is saved. ${end.why}`);
      save(file, `${chosenAccount.peek() || user.peek()?.address}-${kind}.${format}`);
      setSaid(`The file is among your downloads: whole, ${end.rows} rows.`);
    } catch (failure) {
      setSaid(reading.signal.aborted ? 'It was stopped.' : failureText(failure));
    }
    setIsUnderWay(false);
  };
  return (
    <section aria-labelledby="exports">
      <h2 id="exports">All of it, as a file</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnderWay) void begin(new FormData(event.currentTarget));
        }}
      >
        <label class="filter">
          Rows
          <select name="kind">
            {KINDS.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label class="filter">
          Form
          <select name="format">
            {FORMATS.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <button type="submit" disabled={isUnderWay}>
          Export
        </button>
        {isUnderWay && (
          <button type="button" onClick={() => stop.current?.abort()}>
            Stop
          </button>
        )}
      </form>
      <p role="status">{said}</p>
      <p class="quiet">
        As long as they are kept, oldest first, exact. A journal as jsonl proves itself: <a href="/journal">open its file</a>.
      </p>
    </section>
  );
}

/**
 * Reads a file of the API. It comes by a request of the page, because a link would carry no token.
 * @throws {ApiError} with the API's refusal @throws {TypeError} when there is no connection, or it broke off
 */
export async function fetchFile(path: string, signal?: AbortSignal): Promise<Blob> {
  const token = accessToken.peek();
  let response = await ask(path, token, signal);
  if (response.status === 401 && token !== undefined && (await renewSession(token)))
    response = await ask(path, accessToken.peek(), signal);
  if (!response.ok) await readAnswer(response);
  return await response.blob();
}

/** @param name of the file */
export function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

const ask = (path: string, token: string | undefined, signal: AbortSignal | undefined): Promise<Response> =>
  fetch(path, { cache: 'no-store', credentials: 'omit', headers: { authorization: `Bearer ${token}` }, signal: signal ?? null });
