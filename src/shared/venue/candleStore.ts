// Closed candles for the whole deployment, in chunks: only candles that a caller asked for, and at most so many bytes. Chunks that no
// caller has wanted for the longest time go first. Their loss costs nothing: the API asks the venue again. So the API gives MongoDB three
// seconds, and leaves it alone for a while when it does not answer.
import type { Collection } from 'mongodb';
import { type Format, type FormatSource, NEWEST_FORMAT } from '../domain/formats.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { Logger } from '../logger.ts';
import { collections, type MongoConnection } from '../mongo/mongo.ts';
import { withTimeout } from '../waiting.ts';
import type { CountCandleChunks } from './venueBudget.ts';

const ANSWER_MS_MAX = 3000;
const AWAY_MS = 5000;
/** How seldom it is noted that a chunk was wanted, ms. */
const USED_EVERY_MS = HOUR_MS;
/** No chunk has more, bytes: while so few are kept that they cannot be too many, a look is a count. */
const CHUNK_BYTES_MAX = 100_000;
/**
 * Else it reads each chunk: of 200 MB it took 3 to 12 s on the store of `bin/start`, and reads beside it waited. So it comes after each 16th of
 * the bytes that a process writes ...
 */
const LOOKS_OF_ALL_BYTES = 16;
/** ... and a chunk counts as this many bytes at least: a write has 16 chunks read on average, however small they are. */
const CHUNK_BYTES_MIN = 2000;

/** A chunk as MongoDB has it. Builds that do not know its generation ask the venue and write it again. */
export interface ChunkDocument {
  /** `<market>/<coin>/<interval>/<start>`. */
  readonly _id: string;
  readonly v: Format;
  /** The chunk as JSON. */
  readonly text: string;
  readonly bytes: number;
  readonly usedAt: Date;
}

export function chunkDocument(_id: string, chunk: object, { nowMs, v }: { nowMs: number; v: Format }): ChunkDocument {
  const text = JSON.stringify(chunk);
  return { _id, v, text, bytes: Math.max(CHUNK_BYTES_MIN, Buffer.byteLength(text)), usedAt: new Date(nowMs) };
}

/** @returns undefined of a newer generation than this build knows */
export const readChunkDocument = ({ v, text }: ChunkDocument): unknown => (v <= NEWEST_FORMAT ? JSON.parse(text) : undefined);

export interface CandleStoreParts {
  readonly log: Logger;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  /** Which market the candles are of: those of an emulated one are no other's. */
  readonly market: string;
  readonly bytesMax: number;
  readonly now: () => number;
  readonly count?: CountCandleChunks;
}

export class CandleStore {
  readonly #parts: CandleStoreParts;
  readonly #chunks: Collection<ChunkDocument>;
  #awayUntilMs = 0;
  /** The first write of a process looks at once. */
  #writtenBytes = Number.POSITIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #index: Promise<unknown> | undefined;

  constructor(parts: CandleStoreParts) {
    this.#parts = parts;
    this.#chunks = parts.mongo.db.collection<ChunkDocument>(collections.candles);
  }

  /** The chunks that are kept, by their names; none while MongoDB is away. @param names `<coin>/<interval>/<start>` */
  async read(names: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const ids = names.map((name) => this.#idOf(name));
    const stored = await this.#try(() => this.#chunks.find({ _id: { $in: ids } }).toArray());
    const found = stored?.filter(({ v }) => v === NEWEST_FORMAT);
    this.#parts.count?.('kept', found?.length ?? 0);
    this.#parts.count?.('missing', names.length - (found?.length ?? 0));
    const seldomMs = this.#parts.now() - USED_EVERY_MS;
    if (found?.some(({ usedAt }) => usedAt.getTime() < seldomMs))
      void this.#try(() => this.#chunks.updateMany({ _id: { $in: ids } }, { $set: { usedAt: new Date(this.#parts.now()) } }));
    return new Map(
      (found ?? []).map((document) => [document._id.slice(this.#parts.market.length + 1), readChunkDocument(document)]),
    );
  }

  /** Keeps a chunk, in place of what is kept under its name. */
  async keep(name: string, chunk: object): Promise<void> {
    const { formats, now } = this.#parts;
    const { _id, ...fields } = chunkDocument(this.#idOf(name), chunk, { nowMs: now(), v: formats.current });
    await this.#try(() => this.#chunks.updateOne({ _id }, { $set: fields }, { upsert: true }));
    this.#writtenBytes += fields.bytes;
    if (this.#writtenBytes < this.#parts.bytesMax / LOOKS_OF_ALL_BYTES || this.#looking !== undefined) return;
    this.#writtenBytes = 0;
    this.#looking = this.removeBeyond()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'candles beyond their bytes could not be removed'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Removes what is beyond the bytes, the longest unused first. */
  async removeBeyond(): Promise<void> {
    if ((await this.#chunks.estimatedDocumentCount()) * CHUNK_BYTES_MAX <= this.#parts.bytesMax) return;
    this.#index ??= this.#chunks.createIndex({ usedAt: 1, bytes: 1 });
    await this.#index.catch((error: unknown) => {
      this.#index = undefined;
      throw error;
    });
    let left = this.#parts.bytesMax;
    const beyond: string[] = [];
    for await (const { _id, bytes } of this.#chunks.find({}, { projection: { bytes: 1, usedAt: 1 } }).sort({ usedAt: -1 })) {
      left -= bytes;
      if (left < 0) beyond.push(_id);
    }
    if (beyond.length > 0) await this.#chunks.deleteMany({ _id: { $in: beyond } });
  }

  #idOf(name: string): string {
    return `${this.#parts.market}/${name}`;
  }

  async #try<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    const { log, now } = this.#parts;
    if (now() < this.#awayUntilMs) return undefined;
    try {
      return await withTimeout(ANSWER_MS_MAX, 'MongoDB', work());
    } catch (error) {
      this.#awayUntilMs = now() + AWAY_MS;
      log.warn({ err: error }, 'candles are neither kept nor read for a while: the venue is asked for them');
      return undefined;
    }
  }
}
