// The entries of a stretch of the journal, grouped by the chunks of the archive that they belong to. A function of the texts in
// the journal alone: read twice it gives the same.
import { chunkId } from '../../../shared/archive/archiveForm.ts';
import { type EntryText, splitEntries } from '../../core/messages/entryForm.ts';

/** Entries for one chunk, oldest first. */
export interface ChunkAppend {
  readonly id: string;
  readonly account: string;
  /** Commit of the newest. */
  readonly commit: number;
  readonly entries: readonly EntryText[];
}

export class ArchiveBatch {
  readonly #appends = new Map<string, { id: string; account: string; commit: number; entries: EntryText[] }>();
  /** Entries in it. */
  count = 0;

  get appends(): readonly ChunkAppend[] {
    return [...this.#appends.values()];
  }

  /** Commits come in the order of their numbers. @param text the entries of the commit as the journal has them */
  add(commit: number, text: string): void {
    for (const entry of splitEntries(text)) {
      const account = entry.accountId;
      const id = chunkId(account, entry.seq, entry.text.length);
      const append = this.#appends.get(id);
      this.count += 1;
      if (append === undefined) this.#appends.set(id, { id, account, commit, entries: [entry] });
      else {
        append.commit = commit;
        append.entries.push(entry);
      }
    }
  }
}
