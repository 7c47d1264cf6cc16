// The newest entry of an account at a time: a search by halves over the archive's chunks, for times rise with the numbers. Entries that
// count no more are passed over: some are nowhere, and the account goes on from the state behind them.
import { readEntry } from '../../actors/core/messages/entry.ts';
import { type ChunkDocument, chunkId, ENTRIES_PER_CHUNK, firstOfChunk } from '../../shared/archive/archiveForm.ts';
import type { StateHead } from '../../shared/archive/archiveReader.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { KeptJournalParts } from '../accounts/keptJournal.ts';
import { unhurried } from './unhurried.ts';

interface Stretch {
  /** Oldest and newest entry that may be meant. */
  readonly from: number;
  readonly to: number;
  readonly timeMs: number;
  /** Of the account, by rising numbers. */
  readonly states: readonly StateHead[];
}

/** @returns undefined when all of the stretch is later; as `keptEntries` throws */
export async function entryAtTime(
  mongo: MongoConnection,
  parts: KeptJournalParts,
  stretch: Stretch,
): Promise<number | undefined> {
  const { timeMs } = stretch;
  const account = parts.call.caller.accountId;
  const { base, from, to } = unbroken(stretch);
  let [low, high] = [from, to + 1];
  // Entries before `low` are not later than the time. What the archive has not, the owner has: it is read one by one.
  while (firstOfChunk(low) < firstOfChunk(high - 1)) {
    const middle = Math.max(firstOfChunk(Math.floor((low + high) / 2)), firstOfChunk(low) + ENTRIES_PER_CHUNK);
    const endedMs = await lastTimeBefore(mongo, { account, seq: middle });
    if (endedMs !== undefined && endedMs <= timeMs) low = middle;
    else high = middle;
  }
  let found = low > from ? low - 1 : base;
  for await (const { seq, text } of unhurried(parts, low, to)) {
    if (readEntry(text).timeMs > timeMs) return found;
    found = seq;
  }
  return found;
}

/** The part of the stretch that has the time, between two breaks. `base`: the state that it goes on from, where that is no later. */
function unbroken({ from, to, timeMs, states }: Stretch): { base: number | undefined; from: number; to: number } {
  const breaks = states.filter(({ after, seq }) => after < seq && after >= from - 1 && seq <= to);
  const last = breaks.findLast((state) => state.timeMs <= timeMs);
  const next = breaks.find((state) => state.timeMs > timeMs);
  return { base: last?.seq, from: last === undefined ? from : last.seq + 1, to: next?.after ?? to };
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
