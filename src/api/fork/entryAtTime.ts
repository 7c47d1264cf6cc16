// The newest entry of an account at a time: a search by halves over the archive's chunks, for times rise with the numbers.
import { readEntry } from '../../actors/domain/messages/entryForm.ts';
import { type ChunkDocument, chunkId, ENTRIES_PER_CHUNK, firstOfChunk } from '../../shared/archive/archiveForm.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { KeptJournalParts } from '../accounts/keptJournal.ts';
import { unhurried } from './unhurried.ts';

interface Stretch {
  /** Oldest and newest entry that may be meant. */
  readonly from: number;
  readonly to: number;
  readonly timeMs: number;
}

/** @returns undefined when all of the stretch is later; as `keptEntries` throws */
export async function entryAtTime(
  mongo: MongoConnection,
  parts: KeptJournalParts,
  { from, to, timeMs }: Stretch,
): Promise<number | undefined> {
  const account = parts.call.caller.accountId;
  let [low, high] = [from, to + 1];
  // Entries before `low` are not later than the time. What the archive has not, the owner has: it is read one by one.
  while (firstOfChunk(low) < firstOfChunk(high - 1)) {
    const middle = Math.max(firstOfChunk(Math.floor((low + high) / 2)), firstOfChunk(low) + ENTRIES_PER_CHUNK);
    const before = await lastTimeBefore(mongo, { account, seq: middle });
    if (before !== undefined && before <= timeMs) low = middle;
    else high = middle;
  }
  let found = low > from ? low - 1 : undefined;
  for await (const { seq, text } of unhurried(parts, low, to)) {
    if (readEntry(text).timeMs > timeMs) return found;
    found = seq;
  }
  return found;
}

/** Time of the newest archived entry of the chunk that ends before this one; undefined = it is not archived whole. */
async function lastTimeBefore(
  mongo: MongoConnection,
  { account, seq }: { account: string; seq: number },
): Promise<number | undefined> {
  const range = { $gte: chunkId(account, seq - ENTRIES_PER_CHUNK), $lt: chunkId(account, seq) };
  const chunks = mongo.db.collection<ChunkDocument>(collections.archive);
  const found = await chunks.find({ _id: range }, { projection: { lastSeq: 1, lastTimeMs: 1 } }).toArray();
  return found.find(({ lastSeq }) => lastSeq === seq - 1)?.lastTimeMs;
}
