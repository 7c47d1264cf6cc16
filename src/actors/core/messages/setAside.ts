// What was set aside of a halted account, as Redis has it: a line in the shard's index, and the entries in a list.
import type { JournaledEntry } from './entry.ts';
import { readEntry } from './entryForm.ts';

export interface SetAside {
  readonly lastSeq: number;
  readonly lastCommit: number;
  /** Length of the entries' text. */
  readonly bytes: number;
}

/** @param text a field of the index: `<last seq> <last commit> <bytes>` */
export function readSetAsideLine(text: string): SetAside {
  const [lastSeq = 0, lastCommit = 0, bytes = 0] = text.split(' ').map(Number);
  return { lastSeq, lastCommit, bytes };
}

/** @param text an element of the list: `<commit> <entry>` @throws {NewerFormat} when a newer build has written it */
export function readSetAsideEntry(text: string): JournaledEntry {
  const gap = text.indexOf(' ');
  return { commit: Number(text.slice(0, gap)), entry: readEntry(text.slice(gap + 1)) };
}
