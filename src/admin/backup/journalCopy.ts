// Copies all journals into the backup: first what is there, and then, as long as the rest of the backup takes, what is committed
// meanwhile. So nothing is missing that the owners cut before the end, and the last page of each shard is its cut.
import { performance } from 'node:perf_hooks';
import type { Redis } from '../../shared/redis/redis.ts';
import type { DataFileWriter } from './files/dataFiles.ts';
import type { ShardCut } from './files/manifest.ts';
import { commitOf, JournalReader, type JournalStretch } from './journalReader.ts';
import type { Pace } from './pace.ts';

/** How often journals are looked at between other work, ms: an entry stays in a journal for longer. */
const LOOK_EVERY_MS = 1000;

export class JournalCopy {
  readonly #readers: readonly JournalReader[];
  /** Those that have what their journals had at first. */
  readonly #begun: JournalReader[] = [];
  readonly #file: DataFileWriter;
  readonly #pace: Pace;
  /** Nothing that is cut from now on may be missed. */
  #isBegun = false;
  #lookedAt = 0;
  #chars = 0;

  constructor(parts: { redis: Redis; shards: number; file: DataFileWriter; pace: Pace }) {
    this.#readers = Array.from({ length: parts.shards }, (_, shard) => new JournalReader(parts.redis, shard));
    this.#file = parts.file;
    this.#pace = parts.pace;
  }

  /** Characters copied. */
  get chars(): number {
    return this.#chars;
  }

  get cuts(): readonly ShardCut[] {
    return this.#readers.map(({ cut }) => cut);
  }

  /** As `JournalReader.answersEnd`, of each shard. */
  get answersEnds(): readonly string[] {
    return this.#readers.map(({ answersEnd }) => answersEnd);
  }

  /**
   * Copies what every journal has now, within the pace. To be called first: what an owner cuts once it has resolved is copied before,
   * and what was cut before has to be read from MongoDB from then on.
   */
  async begin(): Promise<void> {
    for (const reader of this.#readers) {
      let wanted: number | undefined;
      for (let copied = 0; ; ) {
        const stretch = await this.#copyNext(reader);
        await this.#pace.spend(stretch.chars);
        wanted ??= stretch.end;
        copied = commitOf(stretch.rows.at(-1)?.id ?? String(copied));
        if (stretch.reachesEnd || copied >= wanted) break;
        await this.keepUp();
      }
      this.#begun.push(reader);
    }
    this.#isBegun = true;
  }

  /** Copies what was committed since, if that is due: to be called between other pieces of work. @throws as `toEnd` */
  async keepUp(): Promise<void> {
    if (performance.now() - this.#lookedAt >= LOOK_EVERY_MS) await this.toEnd();
  }

  /**
   * Copies every journal to its end, as fast as it goes: it has grown by what is traded in a moment.
   * @throws {Refused} when something was cut before it was read
   */
  async toEnd(): Promise<void> {
    for (const reader of this.#begun) {
      while (!(await this.#copyNext(reader)).reachesEnd);
    }
    this.#lookedAt = performance.now();
  }

  async #copyNext(reader: JournalReader): Promise<JournalStretch> {
    const stretch = await reader.next({ mayMiss: !this.#isBegun });
    for (const row of stretch.rows) await this.#file.write(JSON.stringify(row));
    this.#chars += stretch.chars;
    return stretch;
  }
}
