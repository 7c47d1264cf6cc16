// The archive as files: a folder for each account, with a file for each chunk and each state of MongoDB's. A file is there whole
// or not at all. `zcat` of an account's chunks, in the order of their names, gives its entries line by line.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DAY_MS } from '../domain/units.ts';
import { bytesOf, type ChunkDocument, readState, type StateDocument } from './archiveForm.ts';

/** Names of accounts as folders: nothing else gets into a path. */
const ACCOUNT = /^[0-9A-Za-z]+$/;
const CHUNK_END = '.jsonl.gz';
const STATE_END = '.state.gz';
const UNFINISHED_END = '.tmp';
/** Longer than any disk takes for a file. */
const UNFINISHED_MS_MAX = DAY_MS;

/** Replaces the chunk's file by one of what the chunk is now. @throws when the disk is full or away */
export async function writeChunkFile(dir: string, { _id, account, parts }: ChunkDocument): Promise<void> {
  await writeWhole(folderOf(dir, account), nameOf(_id, CHUNK_END), Buffer.concat(parts.map(({ data }) => bytesOf(data))));
}

/** Two lines, compressed: what the state is, and its snapshot. @throws as `writeChunkFile` */
export async function writeStateFile(dir: string, state: StateDocument): Promise<void> {
  const { _id, account, seq, timeMs, reason, after, hash } = state;
  const text = `${JSON.stringify({ account, seq, timeMs, reason, after, hash })}\n${await readState(state)}\n`;
  await writeWhole(folderOf(dir, account), nameOf(_id, STATE_END), gzipSync(text));
}

/** `_id`s of an account's chunks and states. */
export interface KeptIds {
  readonly chunks: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
}

/**
 * Removes the files that MongoDB has no document for any more, and what a process that died has left unfinished.
 * @param readKept asked when the files are known: one that is written meanwhile is none of them
 */
export async function removeOtherFiles(dir: string, account: string, readKept: () => Promise<KeptIds>): Promise<void> {
  const folder = folderOf(dir, account);
  const found = await namesIn(folder);
  if (found.length === 0) return;
  const kept = await readKept();
  const names = new Set([
    ...[...kept.chunks].map((id) => nameOf(id, CHUNK_END)),
    ...[...kept.states].map((id) => nameOf(id, STATE_END)),
  ]);
  for (const name of found) {
    const isOther = isWhole(name) ? !names.has(name) : name.endsWith(UNFINISHED_END) && (await isLeft(join(folder, name)));
    if (isOther) await rm(join(folder, name), { force: true });
  }
}

async function isLeft(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return mtimeMs < Date.now() - UNFINISHED_MS_MAX;
}

export type FileOf = 'chunk' | 'state';

/** Removes the file of a document that is gone, and the folder with its last file. */
export async function removeFile(dir: string, { _id, account }: { _id: string; account: string }, kind: FileOf): Promise<void> {
  const folder = folderOf(dir, account);
  await rm(join(folder, nameOf(_id, kind === 'chunk' ? CHUNK_END : STATE_END)), { force: true });
  if ((await namesIn(folder)).length === 0) await rm(folder, { recursive: true, force: true });
}

/** Removes all that there is of an account. */
export const removeAccountFolder = (dir: string, account: string): Promise<void> =>
  rm(folderOf(dir, account), { recursive: true, force: true });

const isWhole = (name: string): boolean => name.endsWith(CHUNK_END) || name.endsWith(STATE_END);

/** The part of a document's id after its account. */
const nameOf = (id: string, end: string): string => `${id.slice(id.indexOf(':') + 1)}${end}`;

function folderOf(dir: string, account: string): string {
  if (!ACCOUNT.test(account)) throw new Error(`"${account}" is no name for a folder`);
  return join(dir, account);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Beside it first, then in its place: who reads meanwhile, or after a crash, finds the old one or the new one. */
async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true });
  const beside = join(folder, `.${name}.${randomBytes(4).toString('hex')}${UNFINISHED_END}`);
  try {
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, join(folder, name));
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined); // what failed before says why
    throw error;
  }
}
