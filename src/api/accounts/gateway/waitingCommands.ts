// The commands of one API node that have no answer yet, in the order of their counters. They are bounded in number and in
// characters, because a stalled shard, or a Redis that is away, would fill the node's memory with them.

/** Commands, and characters of commands, that may wait at one node. */
const COMMANDS_MAX = 20_000;
const CHARS_MAX = 128_000_000;

interface Counted {
  readonly counter: number;
  readonly accountId: string;
  readonly envelope: string;
}

export class WaitingCommands<Waiting extends Counted> {
  readonly #byCounter = new Map<number, Waiting>();
  readonly #charsOf = new Map<string, number>();
  #chars = 0;

  get size(): number {
    return this.#byCounter.size;
  }

  /** Characters of all of them. */
  get chars(): number {
    return this.#chars;
  }

  /** True when no command of any account may come. */
  get isFull(): boolean {
    return this.#byCounter.size >= COMMANDS_MAX || this.#chars >= CHARS_MAX;
  }

  /** Characters of one account's commands. */
  charsOf(accountId: string): number {
    return this.#charsOf.get(accountId) ?? 0;
  }

  add(waiting: Waiting): void {
    this.#byCounter.set(waiting.counter, waiting);
    this.#count(waiting.accountId, waiting.envelope.length);
  }

  has(counter: number): boolean {
    return this.#byCounter.has(counter);
  }

  get(counter: number): Waiting | undefined {
    return this.#byCounter.get(counter);
  }

  /** @returns false when it has been answered already */
  delete(counter: number): boolean {
    const waiting = this.#byCounter.get(counter);
    if (waiting === undefined) return false;
    this.#byCounter.delete(counter);
    this.#count(waiting.accountId, -waiting.envelope.length);
    return true;
  }

  values(): Iterable<Waiting> {
    return this.#byCounter.values();
  }

  #count(accountId: string, chars: number): void {
    this.#chars += chars;
    const left = this.charsOf(accountId) + chars;
    if (left > 0) this.#charsOf.set(accountId, left);
    else this.#charsOf.delete(accountId);
  }
}
