// Subscriptions to channels of Redis: their interface on any Redis, and their implementation on one server
// (clusterSubscriptions.ts: on a cluster).
import { waitAtMost } from '../waiting.ts';
import type { Redis } from './redis.ts';

export interface ChannelListener {
  onMessage(channel: string, text: string): void;
  /** From now on messages of these channels may be lost. */
  onAway?(channels: readonly string[]): void;
  /** These channels are heard again. What was published meanwhile is lost. */
  onBack?(channels: readonly string[]): void;
}

/** The channels that a part of the process listens to. */
export interface ChannelSubscriptions {
  /** Resolves when the channel is heard. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Ends listening. The connection stays open. */
  stop(): Promise<void>;
}

// Channels of one server, heard over a connection that ioredis opens anew when it breaks.

/** A stop does not wait longer than this for a connection that may be dead, ms. */
const UNSUBSCRIBE_WITHIN_MS = 1000;

export class ServerSubscriptions implements ChannelSubscriptions {
  readonly #connection: Redis;
  readonly #listener: ChannelListener;
  readonly #channels = new Set<string>();
  #isAway = false;

  constructor(connection: Redis, listener: ChannelListener) {
    this.#connection = connection;
    this.#listener = listener;
    connection.on('message', this.#onMessage);
    connection.on('close', this.#onClose);
    connection.on('ready', this.#onReady);
  }

  async subscribe(channel: string): Promise<void> {
    this.#channels.add(channel);
    await this.#connection.subscribe(channel);
  }

  /** While Redis is away it is not told: what comes on a channel that is left over is not passed on. */
  async unsubscribe(channel: string): Promise<void> {
    this.#channels.delete(channel);
    if (this.#connection.status === 'ready') await this.#connection.unsubscribe(channel);
  }

  async stop(): Promise<void> {
    this.#connection.off('message', this.#onMessage);
    this.#connection.off('close', this.#onClose);
    this.#connection.off('ready', this.#onReady);
    const channels = [...this.#channels];
    this.#channels.clear();
    if (this.#connection.status !== 'ready' || channels.length === 0) return;
    await waitAtMost(UNSUBSCRIBE_WITHIN_MS, this.#connection.unsubscribe(...channels));
  }

  readonly #onMessage = (channel: string, text: string): void => {
    if (this.#channels.has(channel)) this.#listener.onMessage(channel, text);
  };

  readonly #onClose = (): void => {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#listener.onAway?.([...this.#channels]);
  };

  /** ioredis subscribes again by itself, but does not say when the channels are heard. */
  readonly #onReady = (): void => {
    const channels = [...this.#channels];
    if (!this.#isAway || channels.length === 0) {
      this.#isAway = false;
      return;
    }
    this.#connection.subscribe(...channels).then(
      () => {
        if (!this.#isAway) return;
        this.#isAway = false;
        this.#listener.onBack?.(channels);
      },
      (error: Error) => this.#connection.emit('error', error),
    );
  };
}
