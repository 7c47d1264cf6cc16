// Hears the replies to this node's commands on its channel, and the entries of accounts that it follows. What was published while
// the subscriber was away is lost: Redis ends a subscriber that it cannot get rid of 32 MB. Who waits is told when replies are heard
// again.
import type { FollowedEntry, Reply } from '../../../actors/domain/messages/envelope.ts';
import { readReplyMessage } from '../../../actors/domain/messages/envelopeForm.ts';
import type { Logger } from '../../../shared/logger.ts';
import { repliesChannel } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { waitAtMost } from '../../../shared/waitAtMost.ts';

/** A stop does not wait longer than this for a connection that may be dead, ms. */
const UNSUBSCRIBE_WITHIN_MS = 1000;

export interface RepliesHeardParts {
  readonly subscriber: Redis;
  readonly incarnation: string;
  readonly log: Logger;
  /** Reads a message; undefined for what only a newer build can read. */
  readonly readable: <Answer>(read: () => Answer) => Answer | undefined;
  readonly onReply: (counter: number, reply: Reply) => void;
  /** Replies are heard again; those of a while may be lost. */
  readonly onBack: () => void;
}

export class RepliesHeard {
  readonly #parts: RepliesHeardParts;
  #isHearing = true;
  #onFollowed: (followed: FollowedEntry) => void = () => undefined;

  constructor(parts: RepliesHeardParts) {
    this.#parts = parts;
  }

  /** While replies are not heard nothing should be submitted: it would have its effect, and its sender would not be told. */
  get isHearing(): boolean {
    return this.#isHearing;
  }

  /** @param onFollowed told entries of accounts that this node has asked to follow */
  follow(onFollowed: (followed: FollowedEntry) => void): void {
    this.#onFollowed = onFollowed;
  }

  /** Resolves when replies are heard. */
  async start(): Promise<void> {
    const { subscriber, incarnation } = this.#parts;
    subscriber.on('message', this.#onMessage);
    subscriber.on('close', this.#onAway);
    await subscriber.subscribe(repliesChannel(incarnation));
  }

  async stop(): Promise<void> {
    const { subscriber, incarnation } = this.#parts;
    subscriber.off('message', this.#onMessage);
    subscriber.off('close', this.#onAway);
    subscriber.off('ready', this.#onReady);
    if (subscriber.status !== 'ready') return;
    await waitAtMost(UNSUBSCRIBE_WITHIN_MS, subscriber.unsubscribe(repliesChannel(incarnation)));
  }

  readonly #onMessage = (channel: string, text: string): void => {
    const { incarnation: own, readable, onReply } = this.#parts;
    if (channel !== repliesChannel(own)) return;
    for (const [incarnation, counter, told] of readable(() => readReplyMessage(text)) ?? []) {
      if (incarnation !== own) continue;
      if ('followed' in told) this.#onFollowed(told.followed);
      else onReply(counter, told);
    }
  };

  readonly #onAway = (): void => {
    this.#isHearing = false;
    this.#parts.subscriber.off('ready', this.#onReady);
    this.#parts.subscriber.once('ready', this.#onReady);
  };

  readonly #onReady = (): void => {
    const { subscriber, incarnation, log, onBack } = this.#parts;
    subscriber.subscribe(repliesChannel(incarnation)).then(
      () => {
        this.#isHearing = true;
        onBack();
      },
      (error: Error) => log.warn({ reason: error.message }, 'replies cannot be heard'),
    );
  };
}
