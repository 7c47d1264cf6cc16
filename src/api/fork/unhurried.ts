// Entries of an account, read so that other work of the node goes on meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArchivedEntry } from '../../shared/archive/archiveReader.ts';
import { type KeptJournalParts, keptEntries } from '../accounts/keptJournal.ts';

/** Entries read and folded before other work of the node has its turn: some milliseconds. */
const ENTRIES_AT_ONCE = 32;

/** As `keptEntries`. */
export async function* unhurried(parts: KeptJournalParts, from: number, to: number): AsyncGenerator<ArchivedEntry> {
  let count = 0;
  for await (const entry of keptEntries(parts, from, to)) {
    count += 1;
    if (count % ENTRIES_AT_ONCE === 0) await nextTurn();
    yield entry;
  }
}
