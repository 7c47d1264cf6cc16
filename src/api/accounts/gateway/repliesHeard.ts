// Hears the replies to this node's commands on its channel (on a cluster: of each shard), and the entries of accounts that it
// follows. What was published while the subscriber was away is lost: Redis ends a subscriber that it cannot get rid of 32 MB. Who
// waits is told when replies are heard again.
import type { FollowedEntry, Reply } from '../../../actors/domain/messages/envelope.ts';
import { readReplyMessage } from '../../../actors/domain/messages/envelopeForm.ts';
import { repliesChannel } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { openSubscriptions } from '../../../shared/redis/subscriptions/channels.ts';
import type { Subscriptions } from '../../../shared/redis/subscriptions/subscriptions.ts';

export interface RepliesHeardParts {
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
  readonly #subscriptions: Subscriptions;
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
    this.#subscriptions = openSubscriptions(subscriber, {
      onMessage: (_channel, text) => this.#onMessage(text),
      onAway: (channels) => {
        for (const channel of channels) this.#away.add(channel);
      },
      onBack: (channels) => {
        for (const channel of channels) this.#away.delete(channel);
        parts.onBack((shard) => channels.includes(this.#channels[shard] ?? ''));
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

  /** Resolves when replies are heard. */
  async start(): Promise<void> {
    await Promise.all([...new Set(this.#channels)].map((channel) => this.#subscriptions.subscribe(channel)));
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
