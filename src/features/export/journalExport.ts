// The journal of an account, from the oldest state that its archive begins with up to its newest entry when the export begins, as a chain
// of lines (src/shared/archive/journalFile.ts), each a line of the file or a cell of a record of CSV. What the archive has not yet its owner
// has: nothing is cut from the one before it is in the other.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { headOfEntry } from '../../actors/core/messages/entry.ts';
import { journalUnavailable, type KeptJournalParts, keptParts, oldestState } from '../../api/accounts/keptJournal.ts';
import { type Call, type Services, sendOptionsOf } from '../../api/accounts/services.ts';
import { type Cell, csvRecord } from '../../api/domain/csv.ts';
import { ArchiveReader, type StateHead } from '../../shared/archive/archiveReader.ts';
import { JOURNAL_FORM, JOURNAL_VERSION, type LineKind, NO_LINE, writeLine } from '../../shared/archive/journalFile.ts';
import { FORMS_LINE } from '../../shared/domain/formats.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { RowFormat } from './rowExport.ts';
import { type ExportLines, failureOf } from './sentLines.ts';

/** Characters of a piece, about: an entry is never divided. */
const PIECE_CHARS = 128 * 1024;
/** Lines made before other work of the node has its turn: a millisecond or two. */
const LINES_AT_ONCE = 64;

/** Where an export goes on: the next entry, and the hash of the line before it. */
export interface JournalPlace {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Of CSV. `line` is the line of jsonl, every byte of it, and what both programs verify; the other columns are read from it, for people and
 * to go on: `from=next`, `chain=hash`.
 */
const JOURNAL_COLUMNS = ['next', 'hash', 'kind', 'seq', 'time', 'line'] as const;

interface JournalParts {
  readonly services: Pick<Services, 'gateway'>;
  readonly mongo: MongoConnection;
  readonly call: Call;
}

/** @throws {RequestError} 400 `unknown_seq` for a place that the account has not reached, `seq_forgotten` for one that is not kept */
export async function exportJournal(
  parts: JournalParts,
  from: JournalPlace | undefined,
  format: RowFormat = 'jsonl',
): Promise<ExportLines> {
  const { call, mongo } = parts;
  const { accountId: account } = call.caller;
  const now = await presentOf(parts);
  if (from !== undefined && from.seq > now.seq + 1)
    throw new RequestError(400, 'unknown_seq', `from is ${from.seq}, but the account is at ${now.seq}.`);
  const reader = new ArchiveReader(mongo, account);
  const kept = { reader, ...parts };
  const states = await reader.states();
  const base = from === undefined ? await oldestState(kept, states) : undefined;
  if (from !== undefined) await requireKept(kept, states, from.seq);
  let [hash, rows, seq] = [from?.hash ?? NO_LINE, 0, (from?.seq ?? (base?.seq ?? 0) + 1) - 1];
  const begins = seq + 1;
  const lineOf = (kind: LineKind, text: string): string => {
    const written = writeLine(hash, kind, text);
    // The first line of a further part goes on from the part before, and is no link of the chain.
    if (kind !== 'head' || from === undefined) hash = written.hash;
    return written.line;
  };
  /** @param about the entry or state that it has: absent for a head */
  const write = (kind: LineKind, text: string, about?: () => { readonly seq: number; readonly timeMs: number }): string => {
    const line = lineOf(kind, text);
    if (format === 'jsonl') return `${line}\n`;
    const at = about?.();
    const named: Cell[] = at ? [{ number: at.seq }, { number: new Date(at.timeMs).toISOString() }] : [null, null];
    return csvRecord([{ number: (at?.seq ?? seq) + 1 }, { text: hash }, { text: kind }, ...named, { text: line }]);
  };
  async function* pieces() {
    const head = { form: JOURNAL_FORM, version: JOURNAL_VERSION, forms: FORMS_LINE, account, begins, to_seq: now.seq };
    let [piece, lines] = [format === 'csv' ? csvRecord(JOURNAL_COLUMNS.map((name) => ({ text: name }))) : '', 0];
    piece += write(
      'head',
      from === undefined
        ? withText(head, 'state', base === undefined ? 'null' : await reader.snapshot(base))
        : JSON.stringify({ ...head, continues: { after_seq: seq, hash } }),
    );
    try {
      for await (const part of keptParts(kept, { states, from: begins, to: now.seq })) {
        lines += 1;
        if (lines % LINES_AT_ONCE === 0) await nextTurn();
        if ('state' in part) {
          const { seq: at, after, reason } = part.state;
          const snapshot = await reader.snapshot(part.state);
          piece += write('state', withText({ seq: at, after, reason }, 'snapshot', snapshot), () => part.state);
          seq = at;
        } else {
          const { seq: at, text } = part.entry;
          piece += write('entry', text, () => headOfEntry(text));
          seq = at;
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
    const { balance, stateHash } = now;
    const said =
      failure === undefined
        ? { complete: true, ...counted, balance_usd: balance, state_hash: stateHash }
        : { complete: false, ...counted, hash, error: failureOf(failure) };
    const line = lineOf('end', JSON.stringify(said));
    if (format === 'jsonl') return `${line}\n`;
    const record: Cell[] = [{ text: 'end' }, { text: failure?.code ?? 'complete' }, { number: rows }, { number: seq + 1 }];
    return csvRecord([...record, { number: begins }, { text: line }]);
  };
  return { pieces: pieces(), end };
}

/** JSON of an object with one field more, whose JSON text it has already: a large one is not read for that. */
const withText = (object: object, name: string, text: string): string =>
  `${JSON.stringify(object).slice(0, -1)},"${name}":${text}}`;

/** The account as it is: the export goes up to this entry, and ends with what this state is called. */
async function presentOf({ services, call }: JournalParts) {
  const options = { ...sendOptionsOf(call), withHash: true } as const;
  const { seq, stateHash, answer } = await services.gateway.ask(call.caller.accountId, { kind: 'overview' }, options);
  if (stateHash === undefined) throw journalUnavailable();
  return { seq, stateHash, balance: answer.overview.balance };
}

async function requireKept(parts: KeptJournalParts, states: readonly StateHead[], seq: number): Promise<void> {
  const begins = (await oldestState(parts, states))?.seq ?? 0;
  if (seq > begins) return;
  throw new RequestError(400, 'seq_forgotten', `Entries before ${begins + 1} are no longer kept. Begin without from.`);
}
