// A journal entry that is held as its text and read whenever it is wanted: what a journal holds takes several times as much
// memory once it is read. The account's tail goes on with the same text.
import { NEWEST_FORMAT } from '../../../shared/domain/formats.ts';
import type { AccountEntry, JournaledEntry } from '../../core/messages/entry.ts';
import { readEntry, writeEntry } from '../../core/messages/entryForm.ts';

export class StoredEntry implements JournaledEntry {
  readonly commit: number;
  readonly text: string;

  constructor(commit: number, entry: AccountEntry) {
    this.commit = commit;
    this.text = writeEntry(entry, NEWEST_FORMAT);
  }

  get entry(): AccountEntry {
    return readEntry(this.text);
  }
}
