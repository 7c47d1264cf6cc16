// Writes chunks of the archive so that writing them again changes nothing: an append is guarded by the number that its chunk
// has reached, like one of history rows. A chunk that was filled bit by bit is compressed anew when it is full.
import type { Collection } from 'mongodb';
import { type ChunkDocument, type ChunkPart, chunkId, mergeParts, writePart } from '../../../shared/archive/archiveForm.ts';
import type { Format } from '../../../shared/domain/formats.ts';
import { RetryableError } from '../../../shared/errors.ts';
import { collections, type MongoConnection, refusedUpserts } from '../../../shared/mongo/mongo.ts';
import { type EntryText, splitEntries } from '../../core/messages/entry.ts';

/** The first try, one without what was there already, and a few for another writer of the same entries. */
const ATTEMPTS_MAX = 8;
/** Text that is compressed for one write. */
const CHARS_PER_WRITE = 512 * 1024;
/** Each compression under way takes a quarter of a megabyte, and one of the few threads for such work. */
const COMPRESSED_AT_ONCE = 2;

interface ArchiveTarget {
  readonly mongo: MongoConnection;
  readonly shard: number;
  readonly format: Format;
  /** Resolves when the next piece may be written. */
  readonly nextTurn: () => Promise<void>;
  /** Throws when a write may not begin any more; absent = it may. */
  readonly mayWrite?: () => void;
}

/** Writes the entries; safe to repeat, in whole or in part. @returns bytes written */
export async function appendChunks(target: ArchiveTarget, appends: readonly ChunkAppend[]): Promise<number> {
  let bytes = 0;
  for (const some of inWrites(appends)) {
    await target.nextTurn();
    bytes += await appendSome(target, some);
  }
  return bytes;
}

/**
 * Compresses a full chunk as one part. No append comes to a full chunk any more, and two that merge it make the same of it.
 * @returns true when it was written
 */
export async function mergeChunk({ mongo, mayWrite }: Pick<ArchiveTarget, 'mongo' | 'mayWrite'>, id: string): Promise<boolean> {
  const chunk = await chunksOf(mongo).findOne({ _id: id });
  if (chunk === null || chunk.parts.length < 2) return false;
  const part = await mergeParts(chunk.parts);
  const { lastSeq, bytes } = chunk;
  mayWrite?.();
  const change = { $set: { parts: [part], bytes: part.data.length() } };
  return (await chunksOf(mongo).updateOne({ _id: id, lastSeq, bytes }, change)).modifiedCount === 1;
}

function* inWrites(appends: readonly ChunkAppend[]): Generator<readonly ChunkAppend[]> {
  let some: ChunkAppend[] = [];
  let chars = 0;
  for (const append of appends) {
    some.push(append);
    for (const { text } of append.entries) chars += text.length;
    if (chars < CHARS_PER_WRITE) continue;
    yield some;
    [some, chars] = [[], 0];
  }
  if (some.length > 0) yield some;
}

async function appendSome(target: ArchiveTarget, appends: readonly ChunkAppend[]): Promise<number> {
  const chunks = chunksOf(target.mongo);
  let left = appends;
  let bytes = 0;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > ATTEMPTS_MAX) throw new RetryableError('Another writer keeps changing the same chunks of the archive.');
    const parts = await compressed(left);
    const upserts = left.map((append, i) => toUpsert(append, parts[i] as ChunkPart, target));
    target.mayWrite?.();
    const refused = await refusedUpserts(chunks, upserts);
    const refusedAt = new Set(refused);
    for (const [i, { data }] of parts.entries()) if (!refusedAt.has(i)) bytes += data.length();
    left = await withoutWritten(
      chunks,
      refused.map((index) => left[index] as ChunkAppend),
    );
  }
  return bytes;
}

async function compressed(appends: readonly ChunkAppend[]): Promise<ChunkPart[]> {
  const parts: ChunkPart[] = [];
  for (let i = 0; i < appends.length; i += COMPRESSED_AT_ONCE) {
    const some = appends.slice(i, i + COMPRESSED_AT_ONCE);
    parts.push(...(await Promise.all(some.map(({ entries }) => writePart(entries.map(({ text }) => text))))));
  }
  return parts;
}

function toUpsert({ id, account, commit, entries }: ChunkAppend, part: ChunkPart, { shard, format }: ArchiveTarget) {
  const [first, last] = [entries[0] as EntryText, entries.at(-1) as EntryText];
  return {
    updateOne: {
      filter: { _id: id, lastSeq: { $lt: first.seq } },
      update: {
        $push: { parts: part },
        $set: { commit, lastSeq: last.seq, lastTimeMs: last.timeMs },
        $inc: { bytes: part.data.length() },
        $max: { v: format },
        $setOnInsert: { account, shard },
      },
      upsert: true,
    },
  };
}

/** What is left of refused appends once the entries that their chunks have are dropped. */
async function withoutWritten(chunks: Collection<ChunkDocument>, refused: readonly ChunkAppend[]): Promise<ChunkAppend[]> {
  if (refused.length === 0) return [];
  const ids = refused.map(({ id }) => id);
  const stored = await chunks.find({ _id: { $in: ids } }, { projection: { lastSeq: 1 } }).toArray();
  const lastSeqs = new Map(stored.map(({ _id, lastSeq }) => [_id, lastSeq]));
  return refused
    .map((append) => ({ ...append, entries: append.entries.filter(({ seq }) => seq > (lastSeqs.get(append.id) ?? 0)) }))
    .filter(({ entries }) => entries.length > 0);
}

const chunksOf = (mongo: MongoConnection) => mongo.db.collection<ChunkDocument>(collections.archive);

/** Entries for one chunk, oldest first. */
export interface ChunkAppend {
  readonly id: string;
  readonly account: string;
  /** Commit of the newest. */
  readonly commit: number;
  readonly entries: readonly EntryText[];
}

/**
 * The entries of a stretch of the journal, grouped by the chunks of the archive that they belong to. A function of the texts
 * in the journal alone: read twice it gives the same.
 */
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
