// The states of accounts as the files of a backup give them.
import { join } from 'node:path';
import { BSON } from 'mongodb';
import { collections } from '../../shared/mongo/mongo.ts';
import { type AccountState, Entries, isIn, type Part, partsOf, type Snapshot, statesOf } from './accountStates.ts';
import type { BesideRow } from './besideJournals.ts';
import { readRows } from './files/dataFiles.ts';
import { BESIDE_FILE, collectionFile, JOURNAL_FILE, type Manifest } from './files/manifest.ts';
import type { JournalRow } from './journalReader.ts';

/** Every account's, part by part. @throws {NewerFormat} when a newer build has to read one */
export async function* statesInFiles(
  folder: string,
  backup: Pick<Manifest, 'journalChars' | 'accounts' | 'formats'>,
): AsyncGenerator<AccountState> {
  for (const part of partsOf(backup)) yield* statesOfPart(folder, part, backup);
}

export async function* statesOfPart(
  folder: string,
  part: Part,
  { formats }: Pick<Manifest, 'formats'>,
): AsyncGenerator<AccountState> {
  yield* statesOf(await entriesIn(folder, part, formats), snapshotsIn(folder, part));
}

async function entriesIn(folder: string, part: Part, formats: number): Promise<Entries> {
  const entries = new Entries(part, formats);
  for await (const text of readRows(join(folder, BESIDE_FILE))) {
    const row: BesideRow = JSON.parse(text);
    if (row.kind === 'entrySetAside') entries.addSetAside(row.account, row.entry);
  }
  for await (const text of readRows(join(folder, JOURNAL_FILE))) entries.addCommit(JSON.parse(text) as JournalRow);
  return entries;
}

async function* snapshotsIn(folder: string, part: Part): AsyncGenerator<Snapshot> {
  for await (const text of readRows(join(folder, collectionFile(collections.accounts)))) {
    const snapshot = BSON.EJSON.parse(text) as Snapshot;
    if (isIn(part, snapshot._id)) yield snapshot;
  }
}
