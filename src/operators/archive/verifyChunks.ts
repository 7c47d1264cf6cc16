// Reads the chunks of an account's archive one after the other and checks each against itself: its bytes, its name, what it says
// of its entries, and that no entry is there twice. The commits that chunks and other documents name are checked together.
import { type ChunkDocument, chunkId, firstOfChunk } from '../../shared/archive/archiveForm.ts';
import { ArchiveDamaged, type ArchivedEntry, type ArchiveReader, readChunk } from '../../shared/archive/archiveReader.ts';
import { Differs } from './firstDifference.ts';

/** What the chunks of an account have in common, and what they say of commits. */
interface Of {
  readonly account: string;
  readonly shard: number;
  readonly commits: NamedCommit[];
}

/** Entries by rising numbers. @throws {Differs} at the first chunk that is not what it says */
export async function* verifiedEntries(reader: ArchiveReader, of: Of): AsyncGenerator<ArchivedEntry> {
  let [first, entries] = [-1, new Map<number, ArchivedEntry>()];
  for await (const chunk of reader.documents()) {
    const read = await verifiedChunk(chunk, of);
    const begins = firstOfChunk(read[0]?.seq ?? 0);
    if (begins !== first) {
      yield* inOrder(entries);
      [first, entries] = [begins, new Map()];
    }
    for (const entry of read) {
      if (entries.has(entry.seq)) throw wrong(chunk, 'entries', `entry ${entry.seq} once`, 'twice', entry.seq);
      entries.set(entry.seq, entry);
    }
  }
  yield* inOrder(entries);
}

async function verifiedChunk(chunk: ChunkDocument, { account, shard, commits }: Of): Promise<ArchivedEntry[]> {
  const entries = await readChunk(chunk).catch((error: unknown) => {
    if (error instanceof ArchiveDamaged) throw wrong(chunk, 'parts', 'the bytes that were written', error.message);
    throw error;
  });
  const bytes = chunk.parts.reduce((sum, { data }) => sum + data.length(), 0);
  if (chunk.account !== account) throw wrong(chunk, 'account', account, chunk.account);
  if (chunk.shard !== shard) throw wrong(chunk, 'shard', String(shard), String(chunk.shard));
  for (const { seq, text } of entries) {
    const id = chunkId(account, seq, text.length);
    if (id !== chunk._id) throw wrong(chunk, '_id', `${id} for entry ${seq}`, chunk._id, seq);
  }
  const { seq: last, timeMs } = entries.length === 0 ? { seq: 0, timeMs: 0 } : timed(entries.at(-1) as ArchivedEntry);
  if (chunk.lastSeq !== last) throw wrong(chunk, 'lastSeq', String(last), String(chunk.lastSeq), last);
  if (chunk.lastTimeMs !== timeMs) throw wrong(chunk, 'lastTimeMs', String(timeMs), String(chunk.lastTimeMs), last);
  if (chunk.bytes !== bytes) throw wrong(chunk, 'bytes', String(bytes), String(chunk.bytes));
  commits.push({ seq: last, commit: chunk.commit, where: `archive ${chunk._id}` });
  return entries;
}

const timed = ({ text }: ArchivedEntry): { seq: number; timeMs: number } => JSON.parse(text);

function wrong(
  { _id, parts: _, ...chunk }: ChunkDocument,
  field: string,
  expected: string,
  found: string,
  seq?: number,
): Differs {
  return new Differs({ seq: seq ?? chunk.lastSeq, where: `archive ${_id}`, field, expected, found });
}

const inOrder = (entries: ReadonlyMap<number, ArchivedEntry>): ArchivedEntry[] =>
  [...entries.values()].sort((a, b) => a.seq - b.seq);

export interface NamedCommit {
  /** Newest entry in the document, and the commit that it says it came with. */
  readonly seq: number;
  readonly commit: number;
  readonly where: string;
}

/**
 * The commits that documents name beside their entries' numbers, all of them together: both rise, and none is beyond what the shard
 * has seen. By them recovery finds what MongoDB holds beyond a journal that has lost its end.
 * @param reached no commit of the shard is beyond it; undefined = not known
 * @throws {Differs} at the first that does not fit
 */
export function verifyCommits(named: readonly NamedCommit[], reached: number | undefined): void {
  let before: NamedCommit | undefined;
  for (const one of named.toSorted((a, b) => a.seq - b.seq || a.commit - b.commit)) {
    const { seq, commit, where } = one;
    const differs = (expected: string) => new Differs({ seq, where, field: 'commit', expected, found: String(commit) });
    if (before !== undefined && commit < before.commit)
      throw differs(`at least ${before.commit}, as ${before.where} has it of entry ${before.seq}`);
    if (before?.seq === seq && commit !== before.commit) throw differs(`${before.commit}, as ${before.where} has it`);
    if (reached !== undefined && commit > reached) throw differs(`at most ${reached}, the newest of the shard`);
    before = one;
  }
}
