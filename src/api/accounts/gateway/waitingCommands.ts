// The commands of one API node that have no answer yet, in the order of their counters. They are bounded in number and in
// characters, because a stalled shard, or a Redis that is away, would fill the node's memory with them. The fuller it is,
// the less may wait of one account, so that a few accounts refuse no other.
import { type NoShare, Shares } from '../../access/limits/shares.ts';

/** Commands, and characters of commands, that may wait at one node. */
const COMMANDS_MAX = 20_000;
const CHARS_MAX = 128_000_000;
/** Commands of one account; its mailbox takes fewer. */
const COMMANDS_EACH_MAX = COMMANDS_MAX / 2;

interface Counted {
  readonly counter: number;
  readonly accountId: string;
  readonly envelope: string;
}

export class WaitingCommands<Waiting extends Counted> {
  readonly #byCounter = new Map<number, Waiting>();
  readonly #chars: Shares;
  readonly #commands = new Shares({ each: COMMANDS_EACH_MAX, all: COMMANDS_MAX });

  /** @param options.charsOfAccountMax characters of one account's commands */
  constructor(options: { charsOfAccountMax: number }) {
    this.#chars = new Shares({ each: options.charsOfAccountMax, all: CHARS_MAX });
  }

  get size(): number {
    return this.#byCounter.size;
  }

  /** Characters of all of them. */
  get chars(): number {
    return this.#chars.total;
  }

  /** Why no further command of an account may come: `each`, its own bound; `all`, that of the node. */
  refusal(accountId: string, chars: number): NoShare | undefined {
    return this.#commands.refusal(accountId) ?? this.#chars.refusal(accountId, chars);
  }

  /** Characters of one account's commands. */
  charsOf(accountId: string): number {
    return this.#chars.of(accountId);
  }

  add(waiting: Waiting): void {
    this.#byCounter.set(waiting.counter, waiting);
    this.#commands.put(waiting.accountId, 1);
    this.#chars.put(waiting.accountId, waiting.envelope.length);
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
    this.#commands.give(waiting.accountId);
    this.#chars.give(waiting.accountId, waiting.envelope.length);
    return true;
  }

  values(): Iterable<Waiting> {
    return this.#byCounter.values();
  }
}
