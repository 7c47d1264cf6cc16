// The journal of an account, from the oldest state that its archive begins with up to its newest entry when the export begins, as a chain
// of lines (src/shared/archive/journalFile.ts). What the archive has not yet its owner has: nothing is cut from the one before it is
// in the other.
import { setTimeout as pause } from 'node:timers/promises';
import type { AccountEntry } from '../../actors/domain/messages/entry.ts';
import { writeEntry } from '../../actors/domain/messages/entryForm.ts';
import { type ArchivedEntry, ArchiveReader, type StateHead } from '../../shared/archive/archiveReader.ts';
import { JOURNAL_FORM, JOURNAL_VERSION, type LineKind, NO_LINE, writeLine } from '../../shared/archive/journalFile.ts';
import { assert } from '../../shared/domain/assert.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import { type Call, type Services, sendOptionsOf } from '../accounts/services.ts';
import { type ExportLines, failureOf } from './exportLines.ts';

/** Characters of a piece, about: an entry is never divided. */
const PIECE_CHARS = 128 * 1024;
/** An entry that is in neither place is on its way to the archive; it is looked for this often before the export fails. */
const ATTEMPTS_MAX = 20;
const ATTEMPT_PAUSE_MS = 250;

/** Where an export goes on: the next entry, and the hash of the line before it. */
export interface JournalPlace {
  readonly seq: number;
  readonly hash: string;
}

interface JournalParts {
  readonly services: Pick<Services, 'gateway'>;
  readonly mongo: MongoConnection;
  readonly call: Call;
}

type Part = { readonly entry: ArchivedEntry } | { readonly state: StateHead };

/** @throws {RequestError} 400 `unknown_seq` for a place that the account has not reached, `seq_forgotten` for one that is not kept */
export async function exportJournal(parts: JournalParts, from: JournalPlace | undefined): Promise<ExportLines> {
  const { call, mongo } = parts;
  const { accountId: account } = call.caller;
  const now = await presentOf(parts);
  if (from !== undefined && from.seq > now.seq + 1)
    throw new RequestError(400, 'unknown_seq', `from is ${from.seq}, but the account is at ${now.seq}.`);
  const reader = new ArchiveReader(mongo, account);
  const states = await reader.states();
  const base = from === undefined ? await oldestState(reader, states) : undefined;
  if (from !== undefined) await requireKept(reader, states, from.seq);
  let [hash, rows, seq] = [from?.hash ?? NO_LINE, 0, (from?.seq ?? (base?.seq ?? 0) + 1) - 1];
  const begins = seq + 1;
  const write = (kind: LineKind, text: string): string => {
    const written = writeLine(hash, kind, text);
    // The first line of a further part goes on from the part before, and is no link of the chain.
    if (kind !== 'head' || from === undefined) hash = written.hash;
    return `${written.line}\n`;
  };
  async function* pieces() {
    const start =
      from === undefined ? { state: base && JSON.parse(await reader.snapshot(base)) } : { continues: { after_seq: seq, hash } };
    const head = { form: JOURNAL_FORM, version: JOURNAL_VERSION, account, begins, to_seq: now.seq, ...start };
    let piece = write('head', JSON.stringify({ ...head, ...(from === undefined && base === undefined && { state: null }) }));
    try {
      for await (const part of partsAfter(parts, { reader, states, from: begins, to: now.seq })) {
        if ('state' in part) {
          const { seq: at, after, reason } = part.state;
          piece += write(
            'state',
            JSON.stringify({ seq: at, after, reason, snapshot: JSON.parse(await reader.snapshot(part.state)) }),
          );
          seq = at;
        } else {
          piece += write('entry', part.entry.text);
          seq = part.entry.seq;
          rows += 1;
        }
        if (piece.length < PIECE_CHARS) continue;
        yield piece;
        piece = '';
      }
    } catch (error) {
      // The last line counts what was made: it goes before it. With nothing but a head the request fails as a whole.
      if (piece !== '' && seq >= begins) yield piece;
      throw error;
    }
    if (piece !== '') yield piece;
  }
  const end = (failure?: RequestError): string => {
    const counted = { rows, last_seq: seq, next: seq + 1, begins };
    if (failure !== undefined)
      return write('end', JSON.stringify({ complete: false, ...counted, hash, error: failureOf(failure) }));
    const { balance, stateHash } = now;
    return write('end', JSON.stringify({ complete: true, ...counted, balance_usd: balance, state_hash: stateHash }));
  };
  return { pieces: pieces(), end };
}

/** The account as it is: the export goes up to this entry, and ends with what this state is called. */
async function presentOf({ services, call }: JournalParts) {
  const query = { type: 'query', query: { kind: 'overview' }, stateHash: true } as const;
  const outcome = await services.gateway.send(call.caller.accountId, query, sendOptionsOf(call));
  assert(outcome.type === 'answer' && outcome.answer.kind === 'overview', 'an overview query is answered by its answer');
  const { seq, stateHash, answer } = outcome;
  if (stateHash === undefined) throw unavailable();
  return { seq, stateHash, balance: answer.overview.balance };
}

/** The state that the kept entries begin after; undefined = the first entry is kept. */
async function oldestState(reader: ArchiveReader, states: readonly StateHead[]): Promise<StateHead | undefined> {
  const first = await firstKept(reader);
  return first === 1 ? undefined : states.find((state) => first === undefined || state.seq >= first - 1);
}

async function firstKept(reader: ArchiveReader): Promise<number | undefined> {
  for await (const { seq } of reader.entries(0, Number.MAX_SAFE_INTEGER - 1024)) return seq;
  return undefined;
}

async function requireKept(reader: ArchiveReader, states: readonly StateHead[], seq: number): Promise<void> {
  const begins = (await oldestState(reader, states))?.seq ?? 0;
  if (seq > begins) return;
  throw new RequestError(400, 'seq_forgotten', `Entries before ${begins + 1} are no longer kept. Begin without from.`);
}

/** Entries in their order; where some do not count, or are not kept, the state that the account goes on from. */
async function* partsAfter(
  parts: JournalParts,
  { reader, states, from, to }: { reader: ArchiveReader; states: readonly StateHead[]; from: number; to: number },
): AsyncGenerator<Part> {
  let next = from;
  for (const state of states) {
    if (state.reason === 'distance' || state.seq < next || state.seq > to) continue;
    for await (const entry of reader.entries(next, state.after)) {
      if (entry.seq !== next) break;
      yield { entry };
      next += 1;
    }
    if (next > state.seq) continue;
    yield { state };
    next = state.seq + 1;
  }
  for (let attempt = 1; next <= to; attempt++) {
    const before = next;
    for await (const entry of reader.entries(next, to)) {
      if (entry.seq !== next) break;
      yield { entry };
      next += 1;
    }
    while (next <= to) {
      const live = await entriesOfOwner(parts, next);
      if (live.length === 0) break;
      for (const entry of live) {
        if (entry.seq > to) return;
        yield { entry: { seq: entry.seq, text: writeEntry(entry, NEWEST_FORMAT) } };
        next = entry.seq + 1;
      }
    }
    if (next > before) attempt = 0;
    else if (attempt === ATTEMPTS_MAX) throw unavailable();
    else await pause(ATTEMPT_PAUSE_MS);
  }
}

/** Entries from this one on that the owner has; none when it has cut the first of them, which the archive has then. */
async function entriesOfOwner({ services, call }: JournalParts, seq: number): Promise<readonly AccountEntry[]> {
  const { entries } = await askAccount(call, services, { kind: 'entries', afterSeq: seq - 1 });
  return entries[0]?.seq === seq ? entries : [];
}

const unavailable = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'The journal cannot be read whole at the moment.', { 'Retry-After': '1' });
