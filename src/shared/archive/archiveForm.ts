// The archive's form in MongoDB: every journal entry of an account, as the text that it had in the journal, in chunks of
// neighbouring sequence numbers. Where a chunk begins follows from the number alone, so two writers of one entry write the
// same document, and a chunk grows like a document of history rows: by an append that is guarded by the number it has reached.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { Binary } from 'mongodb';
import { type Format, readableFormat } from '../domain/formats.ts';

const [compressAside, expandAside] = [promisify(gzip), promisify(gunzip)];

/** Entries that share a chunk: about 16 kB compressed, of entries that fill an order each. */
export const ENTRIES_PER_CHUNK = 128;
/** An entry with more characters has a chunk of its own: so no chunk comes near the 16 MB of a document. */
const LONG_ENTRY_CHARS = 96 * 1024;
/** Longest that a part may become when it is read, bytes: a damaged one must not fill the memory. */
const PART_BYTES_MAX = 256 * 1024 * 1024;
/** Higher levels take twice the time for a tenth less. */
const GZIP_LEVEL = 1;
/**
 * More than so much is compressed, or expanded, in a thread of its own. What is less holds the caller's up for at most 0.1 ms; the
 * way to another thread and back takes the processors 0.15 ms.
 */
const CHARS_AT_ONCE = 16 * 1024;
const BYTES_AT_ONCE = 4 * 1024;
const DIGITS = 15;

/** Entries of one account that were archived at once. */
export interface ChunkPart {
  /** SHA-256 of `data`, hex. */
  readonly sha256: string;
  /** Gzip of the entries' texts, each ended by a newline. Parts after each other are a gzip file too. */
  readonly data: Binary;
}

/** `_id` is `chunkId`. */
export interface ChunkDocument {
  readonly _id: string;
  /** The newest generation that was written when it last grew: entries name their own. */
  readonly v: Format;
  readonly account: string;
  readonly shard: number;
  /** Newest commit whose entries are in. */
  readonly commit: number;
  /** Sequence number of the newest entry in it. */
  readonly lastSeq: number;
  /** Time of that entry. */
  readonly lastTimeMs: number;
  /** Length of all parts. */
  readonly bytes: number;
  readonly parts: readonly ChunkPart[];
}

/** Why a state is in the archive: at a distance from the one before, or because the account's life has a break there. */
export type StateReason = 'distance' | 'redisLost' | 'entriesGivenUp' | 'rebuilt';

/** An account's state as of an entry, from which later entries can be folded. `_id` is `stateId`. */
export interface StateDocument {
  readonly _id: string;
  readonly v: Format;
  readonly account: string;
  readonly shard: number;
  readonly seq: number;
  readonly timeMs: number;
  readonly reason: StateReason;
  /** Entries after this one, up to `seq`, count no more: they were lost or given up. `seq` itself = all count. */
  readonly after: number;
  /** `stateHashOf` the state. */
  readonly hash: string;
  /** Gzip of the snapshot's text. */
  readonly data: Binary;
}

/** The same for every entry of a chunk. Texts sort as their numbers. */
export function chunkId(account: string, seq: number, chars = 0): string {
  const id = `${account}:${padded(firstOfChunk(seq))}`;
  return chars > LONG_ENTRY_CHARS ? `${id}+${padded(seq)}` : id;
}

/** The first number that shares a chunk with this one. */
export const firstOfChunk = (seq: number): number => seq - (seq % ENTRIES_PER_CHUNK);

/** Entries that share a state kept for its distance from the one before: so many, and those of some seconds, are folded at most. */
const ENTRIES_PER_STATE = 1024;

/** The first state that is offered for a stretch of entries is kept for it; a break in an account's life has one of its own. */
export const stateId = (account: string, seq: number, reason: StateReason): string =>
  reason === 'distance' ? `${account}:${padded(firstOfState(seq))}` : `${account}:${padded(seq)}!${reason}`;

/** The same for every entry whose stretch one state is kept for. */
export const firstOfState = (seq: number): number => seq - (seq % ENTRIES_PER_STATE);

/** All `_id`s of an account: a semicolon is the character after the colon. */
export const idsOf = (account: string): { $gte: string; $lt: string } => ({ $gte: `${account}:`, $lt: `${account};` });

/** @param texts of entries, oldest first */
export const writePart = (texts: readonly string[]): Promise<ChunkPart> => partOf(`${texts.join('\n')}\n`);

/** Several parts as one, with the same entries. @throws as `readPart` */
export const mergeParts = async (parts: readonly ChunkPart[]): Promise<ChunkPart> => await partOf(await expandParts(parts));

/** Texts of a part's entries. @throws Error when a byte of it is not what was written */
export async function readPart(part: ChunkPart): Promise<string[]> {
  return (await expandParts([part])).toString().split('\n').slice(0, -1);
}

async function partOf(text: string | Buffer): Promise<ChunkPart> {
  const options = { level: GZIP_LEVEL };
  const data = text.length > CHARS_AT_ONCE ? await compressAside(text, options) : gzipSync(text, options);
  return { sha256: sha256(data), data: new Binary(data) };
}

async function expandParts(parts: readonly ChunkPart[]): Promise<Buffer> {
  const all = parts.map(({ sha256: written, data }) => {
    const bytes = bytesOf(data);
    if (sha256(bytes) !== written) throw new Error('its bytes are not those that were written: the SHA-256 differs');
    return bytes;
  });
  return await expand(Buffer.concat(all));
}

async function expand(bytes: Buffer): Promise<Buffer> {
  const options = { maxOutputLength: PART_BYTES_MAX };
  return bytes.length > BYTES_AT_ONCE ? await expandAside(bytes, options) : gunzipSync(bytes, options);
}

/** @throws {NewerFormat} when a newer build has written it */
export function readableChunk(chunk: ChunkDocument): ChunkDocument {
  readableFormat('chunk of the archive', chunk.v);
  return chunk;
}

/** Compresses the text of a snapshot. */
export const writeState = async (text: string): Promise<Binary> => new Binary(await compressAside(text));

/** The text of the snapshot. @throws {NewerFormat} when a newer build has written it; Error when it is damaged */
export async function readState({ v, data }: Pick<StateDocument, 'v' | 'data'>): Promise<string> {
  readableFormat('state in the archive', v);
  return (await expand(bytesOf(data))).toString();
}

/** The bytes as they were stored. */
export const bytesOf = ({ buffer, position }: Binary): Buffer => Buffer.from(buffer).subarray(0, position);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const padded = (seq: number): string => String(seq).padStart(DIGITS, '0');
