// An account as an operator wants it back: as of an entry that the archive can give, with all numbers that were used since then. So
// no number is given twice, and rows that were shown keep theirs.
import { ArchiveReader, type StateHead } from '../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Account } from '../domain/account/account.ts';
import { stateWithout } from '../domain/fold/giveUpEntries.ts';
import type { JournaledEntry } from '../domain/messages/entry.ts';
import { readEntry, writeEntry } from '../domain/messages/entryForm.ts';
import { type ArchivedPast, rebuildAccount } from '../domain/rebuildAccount.ts';

/**
 * The account as of an entry, under a number that no entry had. Later entries count no more.
 * @param options.journaled entries that Redis has, oldest first
 * @param options.storedSeq of the snapshot that MongoDB has, 0 = none
 * @throws {CannotRebuild} when the archive cannot give it
 */
export async function rebuildFromArchive(
  mongo: MongoConnection,
  accountId: string,
  { asOf, journaled, storedSeq }: { asOf: number; journaled: readonly JournaledEntry[]; storedSeq: number },
): Promise<Account> {
  const reader = new ArchiveReader(mongo, accountId);
  const live = journaled.map(({ entry, text }) => ({ seq: entry.seq, text: text ?? writeEntry(entry, NEWEST_FORMAT) }));
  const past: ArchivedPast<StateHead> = {
    states: await reader.states(),
    snapshot: (state) => reader.snapshot(state),
    async *entries(from, to) {
      let last = from - 1;
      for await (const entry of reader.entries(from, to)) {
        last = entry.seq;
        yield entry;
      }
      for (const entry of live) if (entry.seq > last && entry.seq <= to) yield entry;
    },
  };
  let { account } = await rebuildAccount(past, accountId, asOf);
  for await (const { text } of past.entries(asOf + 1, Number.MAX_SAFE_INTEGER - NUMBERS_LEFT)) {
    account = stateWithout({ account, givenUp: [readEntry(text)] });
  }
  const known = past.states.filter(({ after, seq }) => after < seq).map(({ seq }) => seq);
  return { ...account, seq: Math.max(account.seq, storedSeq, ...known) + 1 };
}

/** So that the end of the last chunk is a number too. */
const NUMBERS_LEFT = 1024;
