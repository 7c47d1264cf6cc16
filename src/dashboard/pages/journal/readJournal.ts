// Reads a journal's file in the browser, piece by piece: nothing is sent anywhere, and what is kept of an entry is where it stands. The page
// has its turn every few milliseconds, so a large file holds up nothing.
import { JournalCheck, type JournalFacts, WrongLine } from '../../domain/journalCheck.ts';
import { BODY_AT, type JournalLine, readJournalLine } from '../../domain/journalLine.ts';

/** Largest file, bytes: where its entries stand has to fit in memory. */
export const FILE_BYTES_MAX = 1024 ** 3;
/** Longest line, bytes: it is in memory whole. A state of an account with all that it may have open is far smaller. */
const LINE_BYTES_MAX = 32 * 1024 ** 2;
/** Longest work until the page has its turn and shows the progress, ms. */
const WORK_MS = 40;
const NEWLINE = 10;

export const VIEWS = ['all entries', 'orders', 'fills', 'money'] as const;
export type JournalView = (typeof VIEWS)[number];

/** Where entries stand: first byte and number of bytes, one after the other. */
export type Places = Readonly<Record<JournalView, readonly number[]>>;

export interface JournalReport {
  readonly facts: JournalFacts;
  readonly places: Places;
  /** The first line that differs from the written journal; all lines before it are as they were written. */
  readonly wrong?: { readonly line: number; readonly why: string };
}

type Entry = Extract<JournalLine, { kind: 'entry' }>;

/** @param tell hears how many bytes are read @throws when it is stopped, or the file cannot be read */
export async function readJournal(file: Blob, signal: AbortSignal, tell: (bytes: number) => void): Promise<JournalReport> {
  const check = new JournalCheck();
  const places: Record<JournalView, number[]> = { 'all entries': [], orders: [], fills: [], money: [] };
  let turnAt = performance.now();
  try {
    if (file.size > FILE_BYTES_MAX) throw check.unreadable('The file is larger than 1 GiB: bin/admin verify reads it.');
    for await (const { bytes, at, isWhole } of linesOf(file, signal)) {
      if (!isWhole) throw check.unreadable('It is longer than a line may be, or its end is missing.');
      const line = lineOf(bytes, check);
      check.add(line, await hashOf(check.hash, bytes.subarray(BODY_AT)));
      if (line.kind === 'entry') for (const view of viewsOf(line)) places[view].push(at, bytes.length);
      signal.throwIfAborted();
      if (performance.now() - turnAt > WORK_MS) {
        tell(at);
        await new Promise((resolve) => setTimeout(resolve));
        turnAt = performance.now();
      }
    }
    return { facts: check.finish(), places };
  } catch (error) {
    if (!(error instanceof WrongLine)) throw error;
    return { facts: check.facts, places, wrong: { line: error.line, why: error.message } };
  }
}

/** The entries at these places, with the text of their lines. */
export async function entriesAt(file: Blob, places: readonly number[]): Promise<readonly (Entry & { readonly text: string })[]> {
  const pairs = Array.from({ length: places.length / 2 }, (_, i) => [places[2 * i] ?? 0, places[2 * i + 1] ?? 0] as const);
  const texts = await Promise.all(pairs.map(([at, length]) => file.slice(at, at + length).text()));
  return texts.map((text) => ({ ...(readJournalLine(text) as Entry), text }));
}

function viewsOf({ orders, fills, balance }: Entry): readonly JournalView[] {
  return VIEWS.filter(
    (view) => view === 'all entries' || (view === 'orders' ? orders > 0 : view === 'fills' ? fills > 0 : balance !== undefined),
  );
}

function lineOf(bytes: Uint8Array, check: JournalCheck): JournalLine {
  try {
    return readJournalLine(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw check.unreadable(error instanceof TypeError || !(error instanceof Error) ? 'It is no text.' : error.message);
  }
}

async function hashOf(before: string, body: Uint8Array): Promise<string> {
  const linked = new Uint8Array(before.length + body.length);
  new TextEncoder().encodeInto(before, linked);
  linked.set(body, before.length);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', linked));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface RawLine {
  readonly bytes: Uint8Array;
  /** Its first byte in the file. */
  readonly at: number;
  readonly isWhole: boolean;
}

async function* linesOf(file: Blob, signal: AbortSignal): AsyncGenerator<RawLine, void, undefined> {
  const reader = file.stream().getReader();
  let [pieces, lineBytes, at]: [Uint8Array[], number, number] = [[], 0, 0];
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      signal.throwIfAborted();
      let from = 0;
      for (let end = piece.value.indexOf(NEWLINE); end !== -1; end = piece.value.indexOf(NEWLINE, from)) {
        const bytes = joined([...pieces, piece.value.subarray(from, end)]);
        yield { bytes, at, isWhole: true };
        at += bytes.length + 1;
        [pieces, lineBytes, from] = [[], 0, end + 1];
      }
      const rest = piece.value.subarray(from);
      pieces.push(rest);
      lineBytes += rest.length;
      if (lineBytes > LINE_BYTES_MAX) break;
    }
    if (lineBytes > 0) yield { bytes: new Uint8Array(), at, isWhole: false };
  } finally {
    await reader.cancel();
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = pieces;
  if (only !== undefined && others.length === 0) return only;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
