// Shards: the shard of an account, the shards that an operator has given to pods, and the ids that a shard gives out.

/**
 * Assigns an account to one shard for the life of a deployment, so that every role finds the account's streams
 * without asking.
 *
 * The shard of an account: 32-bit FNV-1a of its id, modulo the number of shards.
 * @param accountId the account's 0x address, lower case
 * @param shards number of shards of the deployment, fixed for its life
 */
export function shardOf(accountId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < accountId.length; i++) {
    hash ^= accountId.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % shards;
}

// Which shards an operator has given to which pods (`bin/admin shards move`). One record for the deployment, replaced as a whole under
// a rising number: of two copies the one with the higher number is the newer. Pods read it with each heartbeat and rank by it.

export interface ShardPin {
  readonly shard: number;
  /** NODE_ID of the pod: all its lives, one after the other. */
  readonly node: string;
  /** When the operator said so, ms since the epoch. */
  readonly atMs: number;
}

export interface ShardPins {
  readonly version: 1;
  /** Of the change that made this record; 0 = there was none yet. */
  readonly number: number;
  /** By shard, one each. */
  readonly pins: readonly ShardPin[];
}

export const NO_PINS: ShardPins = { version: 1, number: 0, pins: [] };

/** The record after one more change. @param node undefined = the shard goes by the ranking again */
export function withPin(
  { number, pins }: ShardPins,
  { shard, node, atMs }: Omit<ShardPin, 'node'> & { node?: string },
): ShardPins {
  const others = pins.filter((pin) => pin.shard !== shard);
  const all = node === undefined ? others : [...others, { shard, node, atMs }];
  return { version: 1, number: number + 1, pins: all.sort((a, b) => a.shard - b.shard) };
}

/** `<number> <JSON>`: a script compares the numbers. */
export const writePins = (record: ShardPins): string => `${record.number} ${JSON.stringify(record)}`;

/**
 * @returns undefined when it cannot be read: a newer build has written it, or an operator has changed it by hand. A pod goes by none then
 * and says so; nothing that stands in Redis may keep pods from their heartbeats.
 */
export function readPins(text: string): ShardPins | undefined {
  if (text === '') return NO_PINS;
  const gap = text.indexOf(' ');
  const record = parsed(text.slice(gap + 1)) as Partial<ShardPins> | null | undefined;
  const isWhole = record?.version === 1 && record.number === Number(text.slice(0, gap)) && isPins(record.pins);
  return isWhole ? (record as ShardPins) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @param pins as somebody may have typed them */
const isPins = (pins: unknown): boolean =>
  Array.isArray(pins) && pins.every((pin) => typeof pin?.shard === 'number' && typeof pin.node === 'string');

// Order and trade ids are integers below 2^53, unique in the deployment and increasing within a shard:
// `counter * SHARDS + shard`. The counter is part of the shard's state; every commit carries the highest id given out.

/** Hands out the next ids of one shard. `decide` receives it as an input, so a test can give any. */
export interface IdSource {
  /** The next oid, tid or other id; each call gives a higher one. */
  next(): number;
  /** Gives the ids that this one would give next, and takes none of them. */
  fork(): IdSource;
}

/** Counter-based ids of one shard. `counter` is the last one given out and can be read for the commit. */
export class ShardIds implements IdSource {
  counter: number;
  readonly #shard: number;
  readonly #shards: number;

  constructor(options: { shard: number; shards: number; counter: number }) {
    this.#shard = options.shard;
    this.#shards = options.shards;
    this.counter = options.counter;
  }

  next(): number {
    this.counter += 1;
    return this.counter * this.#shards + this.#shard;
  }
  fork(): ShardIds {
    return new ShardIds({ shard: this.#shard, shards: this.#shards, counter: this.counter });
  }
}
