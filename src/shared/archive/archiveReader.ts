// Reads the archive of one account from MongoDB: what there is, stretch by stretch, so that an account of any length takes the
// memory of one chunk.
import { collections, type MongoConnection } from '../mongo/mongo.ts';
import {
  type ChunkDocument,
  chunkId,
  ENTRIES_PER_CHUNK,
  firstOfChunk,
  idsOf,
  readableChunk,
  readPart,
  readState,
  type StateDocument,
} from './archiveForm.ts';

/** A state without its snapshot. */
export type StateHead = Omit<StateDocument, 'data'>;

/** An entry as it is archived. */
export interface ArchivedEntry {
  readonly seq: number;
  readonly text: string;
}

/** Chunks in one answer of MongoDB: a few hundred kilobytes. */
const CHUNKS_PER_ANSWER = 16;
const ENTRY_SEQ = /^\{"accountId":"[^"\\]+","seq":(\d+)[,}]/;

/** Something in the archive is not as it was written. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged';
  /** Of the document. */
  readonly id: string;

  constructor(id: string, why: string) {
    super(`${id}: ${why}`);
    this.id = id;
  }
}

export class ArchiveReader {
  readonly #mongo: MongoConnection;
  readonly #account: string;

  constructor(mongo: MongoConnection, account: string) {
    this.#mongo = mongo;
    this.#account = account;
  }

  /** Every state of the account, in the order of their entries. */
  async states(): Promise<StateHead[]> {
    const found = this.#states.find<StateHead>({ _id: idsOf(this.#account) }, { projection: { data: 0 } });
    return (await found.toArray()).sort((a, b) => a.seq - b.seq || a._id.localeCompare(b._id));
  }

  /** The snapshot of a state. @throws {ArchiveDamaged}, {NewerFormat} */
  async snapshot({ _id }: Pick<StateHead, '_id'>): Promise<string> {
    const found = await this.#states.findOne({ _id });
    if (found === null) throw new ArchiveDamaged(_id, 'it is gone');
    return await damagedAs(_id, () => readState(found));
  }

  /** The heads of the chunks, without their entries. */
  async chunks(): Promise<Omit<ChunkDocument, 'parts'>[]> {
    const found = this.#chunks.find({ _id: idsOf(this.#account) }, { projection: { parts: 0 } }).sort({ _id: 1 });
    return await found.toArray();
  }

  /** Chunks that may have an entry of these numbers, in the order of their ids. */
  documents({ from = 0, to = Number.MAX_SAFE_INTEGER - ENTRIES_PER_CHUNK } = {}): AsyncIterable<ChunkDocument> {
    // Chunks of their own come behind the one that they would belong to.
    const range = { $gte: chunkId(this.#account, from), $lt: chunkId(this.#account, firstOfChunk(to) + ENTRIES_PER_CHUNK) };
    return this.#chunks.find({ _id: range }).sort({ _id: 1 }).batchSize(CHUNKS_PER_ANSWER);
  }

  /**
   * Entries of these numbers, both included, by rising numbers. What is missing is left out.
   * @throws {ArchiveDamaged} at a chunk that cannot be read, {NewerFormat}
   */
  async *entries(from: number, to: number): AsyncGenerator<ArchivedEntry> {
    let [first, entries] = [-1, [] as ArchivedEntry[]];
    for await (const chunk of this.documents({ from, to })) {
      const read = await readChunk(chunk);
      const begins = firstOfChunk(read[0]?.seq ?? 0);
      if (begins !== first) {
        yield* inOrder(entries, from, to);
        [first, entries] = [begins, []];
      }
      entries.push(...read);
    }
    yield* inOrder(entries, from, to);
  }

  get #chunks() {
    return this.#mongo.db.collection<ChunkDocument>(collections.archive);
  }

  get #states() {
    return this.#mongo.db.collection<StateDocument>(collections.archiveStates);
  }
}

/** The entries of a chunk. @throws {ArchiveDamaged}, {NewerFormat} */
export async function readChunk(chunk: ChunkDocument): Promise<ArchivedEntry[]> {
  readableChunk(chunk);
  const entries: ArchivedEntry[] = [];
  for (const part of chunk.parts) {
    const texts = await damagedAs(chunk._id, () => readPart(part));
    for (const text of texts) entries.push({ seq: await damagedAs(chunk._id, async () => seqOf(text)), text });
  }
  return entries;
}

/** Long entries lie in chunks of their own: they come in between. */
function* inOrder(entries: readonly ArchivedEntry[], from: number, to: number): Generator<ArchivedEntry> {
  let last = 0;
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    if (entry.seq < from || entry.seq > to || entry.seq === last) continue;
    last = entry.seq;
    yield entry;
  }
}

const seqOf = (text: string): number => Number(ENTRY_SEQ.exec(text)?.[1] ?? (JSON.parse(text) as { seq: number }).seq);

async function damagedAs<Result>(id: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'NewerFormat') throw error;
    throw new ArchiveDamaged(id, error.message);
  }
}
