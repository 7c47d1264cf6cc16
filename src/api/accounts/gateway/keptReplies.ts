// Takes replies that are too long for a message from where they lie. Few at a time, so that an API node that cannot keep up
// holds no more of them in Redis's memory than were kept for it, and short requests on the connection are not delayed.
import type { Redis } from '../../../shared/redis/redis.ts';

/** Replies on their way at once: a few megabytes. */
const TAKEN_AT_ONCE = 4;

export class KeptReplies {
  readonly #redis: Redis;
  readonly #queue: (() => void)[] = [];
  #taking = 0;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** The reply, which is there no more then; `null` when its time was over. */
  async take(key: string): Promise<string | null> {
    if (this.#taking >= TAKEN_AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#taking += 1;
    try {
      return await this.#redis.getdel(key);
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#taking -= 1;
      else next();
    }
  }
}
