// The journal of an account as far as it is kept: what the archive has, and behind it what only the account's owner has yet. Nothing is cut
// from the one before it is in the other.
import { setTimeout as pause } from 'node:timers/promises';
import { writeEntry } from '../../actors/core/messages/entry.ts';
import type { ArchivedEntry, ArchiveReader, StateHead } from '../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { RequestError } from '../../shared/errors.ts';
import { Retrying } from '../../shared/retrying.ts';
import { askAccount, type Call, type Services } from './services.ts';

/** An entry that is in neither place is on its way to the archive; it is looked for this often before the reading fails. */
const ATTEMPTS_MAX = 20;
const RETRYING = new Retrying('kept_journal', { firstMs: 250 });

export interface KeptJournalParts {
  readonly reader: ArchiveReader;
  readonly services: Pick<Services, 'gateway'>;
  /** Of the account. */
  readonly call: Call;
}

/** The state that the kept entries begin after; undefined = the first entry is kept. @throws as the gateway does */
export async function oldestState(parts: KeptJournalParts, states: readonly StateHead[]): Promise<StateHead | undefined> {
  const first = await firstKept(parts);
  return first === 1 ? undefined : states.find((state) => first === undefined || state.seq >= first - 1);
}

/** A new account may have a state in the archive before it has an entry there: its owner has them all, or they have come there meanwhile. */
async function firstKept(parts: KeptJournalParts): Promise<number | undefined> {
  const archived = await firstArchived(parts.reader);
  if (archived !== undefined) return archived;
  const [own] = await entriesOfOwner(parts, 1);
  return own?.seq ?? (await firstArchived(parts.reader));
}

async function firstArchived(reader: ArchiveReader): Promise<number | undefined> {
  for await (const { seq } of reader.entries(0, Number.MAX_SAFE_INTEGER - 1024)) return seq;
  return undefined;
}

/**
 * Entries of these numbers, both included, each of which there is.
 * @throws {RequestError} 503 when one is in neither place, and as the gateway does
 */
export async function* keptEntries(parts: KeptJournalParts, from: number, to: number): AsyncGenerator<ArchivedEntry> {
  let next = from;
  for (let attempt = 1; next <= to; attempt++) {
    const before = next;
    for await (const entry of parts.reader.entries(next, to)) {
      if (entry.seq !== next) break;
      yield entry;
      next += 1;
    }
    while (next <= to) {
      const live = await entriesOfOwner(parts, next);
      if (live.length === 0) break;
      for (const entry of live) {
        if (entry.seq > to) return;
        yield entry;
        next = entry.seq + 1;
      }
    }
    if (next > before) attempt = 0;
    else if (attempt === ATTEMPTS_MAX) throw journalUnavailable();
    else await pause(RETRYING.nextMs());
  }
}

/** A part of a journal: an entry, or the state that the account goes on from after entries that count no more, or are not kept. */
export type KeptPart = { readonly entry: ArchivedEntry } | { readonly state: StateHead };

/** Entries in their order, from the first of these numbers, which is kept. @throws as `keptEntries` */
export async function* keptParts(
  parts: KeptJournalParts,
  { states, from, to }: { readonly states: readonly StateHead[]; readonly from: number; readonly to: number },
): AsyncGenerator<KeptPart> {
  let next = from;
  for (const state of states) {
    if (state.reason === 'distance' || state.seq < next || state.seq > to) continue;
    for await (const entry of parts.reader.entries(next, state.after)) {
      if (entry.seq !== next) break;
      yield { entry };
      next += 1;
    }
    if (next > state.seq) continue;
    yield { state };
    next = state.seq + 1;
  }
  for await (const entry of keptEntries(parts, next, to)) yield { entry };
}

/** Entries from this one on that the owner has; none when it has cut the first of them, which the archive has then. */
async function entriesOfOwner({ services, call }: KeptJournalParts, seq: number): Promise<readonly ArchivedEntry[]> {
  const { entries } = await askAccount(call, services, { kind: 'entries', afterSeq: seq - 1 });
  return entries[0]?.seq === seq ? entries.map((entry) => ({ seq: entry.seq, text: writeEntry(entry, NEWEST_FORMAT) })) : [];
}

export const journalUnavailable = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'The journal cannot be read whole at the moment.', { 'Retry-After': '1' });
