// The pod's ears: one connection on which the bells of its shards and of the pods come in. A bell may be lost, so nobody
// relies on hearing one; after a reconnect every listener is told to look for itself.
import type { Redis } from '../../shared/redis/redis.ts';

export interface BellListener {
  onBell(message: string): void;
  /** The connection was away: bells may have been missed. */
  onDeaf(): void;
}

export class Bells {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, BellListener>();

  /** @param subscriber a connection of its own; not closed here */
  constructor(subscriber: Redis) {
    this.#subscriber = subscriber;
    subscriber.on('message', this.#onMessage);
    subscriber.on('ready', this.#onReady);
  }

  async listen(channel: string, listener: BellListener): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.#subscriber.subscribe(channel);
  }

  /** Stops listening at once; the subscription ends when Redis is there to be told. */
  async unlisten(channel: string, listener: BellListener): Promise<void> {
    if (this.#listeners.get(channel) !== listener) return;
    this.#listeners.delete(channel);
    if (this.#subscriber.status === 'ready') await this.#subscriber.unsubscribe(channel);
  }

  stop(): void {
    this.#listeners.clear();
    this.#subscriber.off('message', this.#onMessage);
    this.#subscriber.off('ready', this.#onReady);
  }

  readonly #onMessage = (channel: string, message: string): void => this.#listeners.get(channel)?.onBell(message);

  readonly #onReady = (): void => {
    for (const listener of this.#listeners.values()) listener.onDeaf();
  };
}
