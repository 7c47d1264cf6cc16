// One account that is changed on one API node and read on all: no answer may be older than any earlier answer.
import { Freshness } from '../../test/support/faults/freshness.ts';
import { Reader, Writer } from '../../test/support/faults/readingClients.ts';
import type { Random } from '../../test/support/faults/seeds.ts';
import type { Stack } from '../../test/support/stack.ts';

const CHANGE_EVERY_MS = 40;

export class Watched {
  readonly #judge = new Freshness();
  readonly #writer: Writer;
  readonly #readers: readonly Reader[];
  #isStopping = false;
  #done: Promise<void> = Promise.resolve();

  private constructor(writer: (judge: Freshness) => Writer, readers: (judge: Freshness) => readonly Reader[]) {
    this.#writer = writer(this.#judge);
    this.#readers = readers(this.#judge);
  }

  static async start(stack: Stack, random: Random): Promise<Watched> {
    const account = await stack.register();
    // The marks stand still: the bots' money is counted by them.
    const also = ['fill', 'transfer', 'read'] as const;
    const watched = new Watched(
      (judge) => new Writer(stack, account, judge, random, also),
      (judge) => stack.baseUrls.map((_, node) => new Reader(stack, account, judge, node)),
    );
    await watched.#writer.begin();
    for (const reader of watched.#readers) reader.start();
    watched.#done = watched.#write();
    return watched;
  }

  /** @returns answers that were older, and how many were looked at */
  async stop(): Promise<{ violations: readonly string[]; judged: number }> {
    this.#isStopping = true;
    await Promise.all([this.#done, ...this.#readers.map((reader) => reader.stop())]);
    return this.#judge;
  }

  async #write(): Promise<void> {
    while (!this.#isStopping) {
      await this.#writer.round();
      await new Promise((resolve) => setTimeout(resolve, CHANGE_EVERY_MS));
    }
  }
}
