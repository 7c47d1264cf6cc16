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
