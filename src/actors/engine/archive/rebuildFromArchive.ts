// An account as an operator wants it back: as of an entry that the archive can give, with all numbers that were used since then. So
// no number is given twice, and rows that were shown keep theirs.
import { ArchiveReader, type StateHead } from '../../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../../shared/domain/formats.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Account } from '../../core/account/account.ts';
import { fromSnapshot } from '../../core/account/snapshot.ts';
import { stateWithNumbersOf, stateWithout } from '../../core/fold/giveUpEntries.ts';
import type { JournaledEntry } from '../../core/messages/entry.ts';
import { readEntry, writeEntry } from '../../core/messages/entryForm.ts';
import { type ArchivedPast, CannotRebuild, rebuildAccount } from '../../core/rebuildAccount.ts';

interface Wanted {
  /** Undefined = the newest entry. */
  readonly asOf: number | undefined;
  /** Entries that Redis has, oldest first. */
  readonly journaled: readonly JournaledEntry[];
  /** The snapshot that MongoDB has. */
  readonly stored: { readonly seq: number; readonly text: string } | undefined;
}

/**
 * The account as of an entry, under a number that no entry had. Later entries count no more.
 * @throws {CannotRebuild} when the archive cannot give it
 */
export async function rebuildFromArchive(
  mongo: MongoConnection,
  accountId: string,
  { asOf: wanted, journaled, stored }: Wanted,
): Promise<{ account: Account; asOf: number }> {
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
  const breaks = past.states.filter(({ reason }) => reason !== 'distance').map(({ seq }) => seq);
  const lastSeqs = (await reader.chunks()).map(({ lastSeq }) => lastSeq);
  const newest = Math.max(0, live.at(-1)?.seq ?? 0, ...lastSeqs, ...breaks);
  const asOf = wanted ?? newest;
  let { account } = await rebuildAccount(past, accountId, asOf);
  const later = readable(stored?.text) ?? (await rebuiltIfPossible(past, accountId, newest));
  if (later !== undefined) account = stateWithNumbersOf(account, later);
  if (newest > account.seq) {
    for await (const { text } of past.entries(account.seq + 1, newest))
      account = stateWithout({ account, givenUp: [readEntry(text)] });
  }
  return { account: { ...account, seq: Math.max(account.seq, stored?.seq ?? 0, newest) + 1 }, asOf };
}

/** The stored snapshot, which may be what is to be mended. */
function readable(text: string | undefined): Account | undefined {
  try {
    return text === undefined ? undefined : fromSnapshot(text);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    return undefined; // its numbers come from the entries
  }
}

async function rebuiltIfPossible(past: ArchivedPast<StateHead>, accountId: string, seq: number): Promise<Account | undefined> {
  try {
    return (await rebuildAccount(past, accountId, seq)).account;
  } catch (error) {
    if (error instanceof CannotRebuild) return undefined; // entries that cannot be folded have numbers too
    throw error;
  }
}
