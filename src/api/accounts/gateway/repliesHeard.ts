// Hears the replies to this node's commands on its channel (on a cluster: of each shard), and the entries of accounts that it
// follows. What was published while the subscriber was away is lost: Redis ends a subscriber that it cannot get rid of 32 MB. Who
// waits is told when replies are heard again.
import { type FollowedEntry, type Reply, readReplyMessage } from '../../../actors/core/messages/envelope.ts';
import { openSubscriptions } from '../../../shared/redis/channels.ts';
import { repliesChannel } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { ChannelSubscriptions } from '../../../shared/redis/subscriptions.ts';
import { waitAtMost } from '../../../shared/waiting.ts';

/** A node of a cluster that does not answer within this time keeps an API node no longer from its start, ms. */
const START_MS_MAX = 3000;

interface RepliesHeardParts {
  readonly subscriber: Redis;
  readonly incarnation: string;
  readonly shards: number;
  /** Reads a message; undefined for what only a newer build can read. */
  readonly readable: <Answer>(read: () => Answer) => Answer | undefined;
  readonly onReply: (counter: number, reply: Reply) => void;
  /** Replies of these shards are heard again; those of a while may be lost. */
  readonly onBack: (isOfThese: (shard: number) => boolean) => void;
}

export class RepliesHeard {
  readonly #parts: RepliesHeardParts;
  readonly #subscriptions: ChannelSubscriptions;
  /** By shard; on a server it is one for all. */
  readonly #channels: readonly string[];
  readonly #away = new Set<string>();
  #onFollowed: (followed: FollowedEntry) => void = () => undefined;

  constructor(parts: RepliesHeardParts) {
    this.#parts = parts;
    const { subscriber, incarnation, shards } = parts;
    this.#channels = Array.from({ length: shards }, (_, shard) =>
      repliesChannel(incarnation, subscriber.isCluster ? shard : undefined),
    );
    for (const channel of this.#channels) this.#away.add(channel);
    this.#subscriptions = openSubscriptions(subscriber, {
      onMessage: (_channel, text) => this.#onMessage(text),
      onAway: (channels) => {
        for (const channel of channels) this.#away.add(channel);
      },
      onBack: (channels) => {
        this.#onHeard(channels);
      },
    });
  }

  /**
   * While the replies of a shard are not heard nothing should be submitted to it: it would have its effect, and its sender would
   * not be told.
   */
  isHearing(shard: number): boolean {
    return !this.#away.has(this.#channels[shard] ?? '');
  }

  /** @param onFollowed told entries of accounts that this node has asked to follow */
  follow(onFollowed: (followed: FollowedEntry) => void): void {
    this.#onFollowed = onFollowed;
  }

  /** Resolves when replies are heard; on a cluster without those of nodes that are away, which may come later. */
  async start(): Promise<void> {
    const heard = [...new Set(this.#channels)].map(async (channel) => {
      await this.#subscriptions.subscribe(channel);
      this.#onHeard([channel]);
    });
    if (this.#parts.subscriber.isCluster) await waitAtMost(START_MS_MAX, Promise.all(heard));
    else await Promise.all(heard);
  }

  #onHeard(channels: readonly string[]): void {
    for (const channel of channels) this.#away.delete(channel);
    this.#parts.onBack((shard) => channels.includes(this.#channels[shard] ?? ''));
  }

  async stop(): Promise<void> {
    await this.#subscriptions.stop();
  }

  #onMessage(text: string): void {
    const { incarnation: own, readable, onReply } = this.#parts;
    for (const [incarnation, counter, told] of readable(() => readReplyMessage(text)) ?? []) {
      if (incarnation !== own) continue;
      if ('followed' in told) this.#onFollowed(told.followed);
      else onReply(counter, told);
    }
  }
}

/** Replies on their way at once: a few megabytes. */
const TAKEN_AT_ONCE = 4;

/**
 * Takes replies that are too long for a message from where they lie. Few at a time, so that an API node that cannot keep up
 * holds no more of them in Redis's memory than were kept for it, and short requests on the connection are not delayed.
 */
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
