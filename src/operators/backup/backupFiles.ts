// The folder of a backup that is being written, and its data files: gzip, a line of JSON for each row. The folder has another name until all
// of it is on disk, so one that was interrupted, in whatever way, is never taken for a whole one. The manifest has the length, the rows and
// the SHA-256 of each file, so what is read back is what was written. Neither side holds more of a file than a piece.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { Refused } from '../acts/operatorParts.ts';

export class BackupFolder {
  /** Where its files are written. */
  readonly path: string;
  readonly #final: string;

  private constructor(path: string, final: string) {
    this.path = path;
    this.#final = final;
  }

  /**
   * @param name where the backup is to be: a folder that is empty or not there yet
   * @throws {Refused} when it can be no backup's
   */
  static async begin(name: string): Promise<BackupFolder> {
    const final = resolve(name);
    await requireEmpty(final);
    try {
      // Only its owner may enter it.
      const folder = new BackupFolder(await mkdtemp(`${final}.unfinished-`), final);
      await folder.#requireRename();
      return folder;
    } catch (error) {
      if (error instanceof Refused) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new Refused(`There is no folder ${dirname(final)}: make it first.`);
      throw new Refused(`${dirname(final)} cannot be written: ${message}.`);
    }
  }

  /** A mount, or a link, cannot be replaced by a folder: that is found out while the folder is empty, not after hours. */
  async #requireRename(): Promise<void> {
    try {
      await rename(this.path, this.#final);
    } catch (error) {
      await this.remove();
      const { message } = error as Error;
      throw new Refused(`${this.#final} is a mount or a link, or may not be replaced: name a new folder in it (${message}).`);
    }
    await rename(this.#final, this.path);
  }

  /** Gives it its name, when everything in it is on disk. */
  async finish(): Promise<void> {
    await flush(this.path);
    try {
      await rename(this.path, this.#final);
    } catch (error) {
      throw new Refused(`${basename(this.#final)} was made by another meanwhile: ${(error as Error).message}.`);
    }
    await flush(dirname(this.#final));
  }

  async remove(): Promise<void> {
    // Something that was given up may still be writing into it.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Refused(`${folder} cannot be looked at: ${error.message}.`);
  });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new Refused(`${folder} is no folder.`);
  if ((await readdir(folder)).length > 0) throw new Refused(`${folder} is not empty: give a folder of its own to each backup.`);
}

/** Names in a folder are on disk when the folder is. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only the owner of the file may read it: there are digests of keys and passwords in it. */
const MODE = 0o600;
/** Text that is handed to gzip at once: each piece is a task of its own. */
const PIECE_CHARS = 128 * 1024;

export interface FileFacts {
  readonly rows: number;
  /** Length and SHA-256 of the file as it is on disk. */
  readonly bytes: number;
  readonly sha256: string;
}

export class DataFileWriter {
  readonly #gzip: Gzip = createGzip();
  readonly #hash = createHash('sha256');
  readonly #written: Promise<void>;
  #failure: unknown;
  #piece: string[] = [];
  #chars = 0;
  #rows = 0;
  #bytes = 0;

  /** @param path of a file that is not there yet */
  constructor(path: string) {
    // With `flush` it resolves when the file is on disk.
    const file = createWriteStream(path, { flags: 'wx', mode: MODE, flush: true });
    this.#written = pipeline(this.#gzip, (chunks: AsyncIterable<Buffer>) => this.#count(chunks), file);
    this.#written.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** @param row JSON without a line break @throws when the disk is full */
  async write(row: string): Promise<void> {
    this.#rows += 1;
    this.#piece.push(row, '\n');
    this.#chars += row.length;
    if (this.#chars >= PIECE_CHARS) await this.#send();
  }

  /** Resolves when all of it is on disk. @throws as `write` */
  async close(): Promise<FileFacts> {
    await this.#send();
    this.#gzip.end();
    await this.#written;
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async #send(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const text = this.#piece.join('');
    [this.#piece, this.#chars] = [[], 0];
    const taken = new Promise<void>((resolve) => this.#gzip.write(text, () => resolve()));
    await Promise.race([taken, this.#written]);
  }

  async *#count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      yield chunk;
    }
  }
}

/** The rows of a file, one after the other. @throws {Refused} when it cannot be read to its end */
export async function* readRows(path: string): AsyncGenerator<string> {
  const gunzip = createGunzip();
  const reading = pipeline(createReadStream(path), gunzip);
  reading.catch(() => undefined); // the loop throws the same
  const decoder = new StringDecoder();
  let rest: string[] = [];
  try {
    for await (const chunk of gunzip) {
      const [first = '', ...lines] = decoder.write(chunk as Buffer).split('\n');
      rest.push(first);
      if (lines.length === 0) continue;
      yield rest.join('');
      rest = [lines.pop() as string];
      yield* lines;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new Refused(`${path} is damaged: ${error.message}.`);
  }
  if (rest.join('') !== '') throw new Refused(`${path} is damaged: it ends in the middle of a row.`);
}

/** @throws {Refused} when the file is not the one that was written */
export async function requireWhole(path: string, expected: FileFacts): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > expected.bytes) break;
    }
  } catch (error) {
    throw new Refused(`${path} cannot be read: ${(error as Error).message}.`);
  }
  const length = bytes > expected.bytes ? `more than ${expected.bytes}` : String(bytes);
  if (bytes !== expected.bytes)
    throw new Refused(`${path} is damaged: it has ${length} bytes, and ${expected.bytes} were written.`);
  if (hash.digest('hex') !== expected.sha256) throw new Refused(`${path} is damaged: its SHA-256 is not that of the manifest.`);
}
