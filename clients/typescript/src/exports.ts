// Exports as files: an export that was cut off goes on behind its last whole line.
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { IncompleteExportError, ServiceError } from './errors.js';

const NEWLINE = 10;
/** Failures that a later attempt may not meet any more. */
const TRANSIENT: ReadonlySet<string> = new Set(['store_unavailable', 'busy', 'too_many_reads', 'internal_error', 'timeout']);

const PATH = '/v1/exchanges/perpx/account/export';

export type ExportKind = 'fills' | 'orders' | 'funding' | 'ledger' | 'equity' | 'journal';

/** Asks as the client does: with its credentials, retries and errors. */
export type AskPath = (path: string) => Promise<Response>;

export interface ExportOptions {
  /** Which rows; absent = the journal. */
  readonly kind?: ExportKind;
  /** Address of an account of the user. */
  readonly account?: string;
  /** How often it is asked without a new line before the failure is thrown (5). */
  readonly attempts?: number;
}

/** The last line of a whole export. */
export interface ExportEnd {
  /** Where rows that come later begin. */
  readonly next: string | number;
  readonly rows: number;
  /** Of a journal: the balance and the name of the state that it comes to. */
  readonly balance_usd?: string;
  readonly state_hash?: string;
}

interface Line {
  readonly hash?: string;
  readonly next?: string;
  readonly entry?: { readonly seq: number };
  readonly state?: { readonly seq: number };
  readonly end?: ExportEnd & { readonly complete: boolean; readonly error?: { readonly code: string; readonly detail: string } };
}

/** Where a file goes on: behind this byte, with what the next question has. */
interface Place {
  readonly bytes: number;
  readonly end?: ExportEnd;
  readonly query: { readonly from?: string; readonly chain?: string };
}

/** Writes the export to the file, from where the file ends. @throws {IncompleteExportError} */
export async function saveExport(ask: AskPath, path: string, options: ExportOptions): Promise<ExportEnd> {
  const { kind = 'journal', account, attempts = 5 } = options;
  const file = await open(path, 'a+');
  try {
    let before = -1;
    for (let failures = 0; ; ) {
      const { bytes, end, query } = placeOf(await lastLine(file));
      if (end !== undefined) return end;
      await file.truncate(bytes);
      if (bytes > before) failures = 0;
      before = bytes;
      const wanted = { kind, ...query, ...(account !== undefined && { account }) };
      const failure = await append(ask, file, wanted).catch((error: unknown) => error);
      if (failure === undefined) continue;
      failures += 1;
      const isFinal = failure instanceof IncompleteExportError ? !TRANSIENT.has(failure.code) : failure instanceof ServiceError;
      if (isFinal || failures >= attempts) throw failure;
      await sleep(250 * 2 ** failures);
    }
  } finally {
    await file.close();
  }
}

/** Writes the lines that come. @throws {IncompleteExportError} when the last one says that the rest is missing */
async function append(ask: AskPath, file: FileHandle, query: Readonly<Record<string, string>>): Promise<void> {
  const { body } = await ask(`${PATH}?${new URLSearchParams(query)}`);
  if (body === null) throw new TypeError('The answer has no body.');
  // The head of rows is in the file already; that of a journal's part says what the part goes on from, and is verified with it.
  let isHead = query['from'] !== undefined && query['kind'] !== 'journal';
  for await (const lines of wholeLines(body as unknown as AsyncIterable<Uint8Array>)) {
    const kept = isHead ? lines.subarray(lines.indexOf(NEWLINE) + 1) : lines;
    isHead = false;
    const last = lastOf(kept);
    const { end } = last === undefined ? {} : (JSON.parse(last.text) as Line);
    if (end?.complete === false) {
      await file.appendFile(kept.subarray(0, last?.at));
      throw new IncompleteExportError(end.error?.code ?? 'unknown', end.error?.detail ?? '');
    }
    await file.appendFile(kept);
    if (end !== undefined) return;
  }
  throw new TypeError('The export has no last line.');
}

/** Pieces that end with a newline, without the part that was cut off. */
async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const all = Buffer.concat([rest, piece]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield all.subarray(0, end);
    rest = all.subarray(end);
  }
}

function lastOf(lines: Buffer): { readonly text: string; readonly at: number } | undefined {
  if (lines.length === 0) return undefined;
  const at = lines.lastIndexOf(NEWLINE, lines.length - 2) + 1;
  return { text: lines.subarray(at).toString(), at };
}

/** The last whole line of the file, and where it ends. A line that says that the rest is missing does not count. */
async function lastLine(file: FileHandle): Promise<{ readonly bytes: number; readonly text: string }> {
  let [bytes, text] = [0, ''];
  for await (const lines of wholeLines(file.createReadStream({ start: 0, autoClose: false }))) {
    const last = lastOf(lines);
    const isMissing = last?.text.slice(0, 120).includes('"end":{"complete":false') === true;
    const kept = isMissing ? lines.subarray(0, last.at) : lines;
    bytes += kept.length;
    text = lastOf(kept)?.text ?? text;
  }
  return { bytes, text };
}

function placeOf({ bytes, text }: { readonly bytes: number; readonly text: string }): Place {
  const { hash, next, entry, state, end } = text === '' ? ({} as Line) : (JSON.parse(text) as Line);
  if (end !== undefined) return { bytes, end, query: {} };
  const at = entry ?? state;
  if (at !== undefined) return { bytes, query: { from: String(at.seq + 1), ...(hash !== undefined && { chain: hash }) } };
  if (next !== undefined) return { bytes, query: { from: next } };
  // Nothing, or a head without a line behind it.
  return { bytes: 0, query: {} };
}
