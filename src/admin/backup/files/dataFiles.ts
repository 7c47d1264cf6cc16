// The data files of a backup: gzip, a line of JSON for each row. The manifest has the length, the rows and the SHA-256 of each,
// so what is read back is what was written. Neither side holds more of a file than a piece.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { Refused } from '../../../operators/operatorParts.ts';

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
