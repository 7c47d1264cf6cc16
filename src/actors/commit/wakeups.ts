// The pod's wake-ups: one connection that receives the messages about commands waiting in its shards and about free
// shards. A wake-up may be lost, so every listener also looks by itself at intervals, and after a reconnect it is
// told to look at once.
import type { Redis } from '../../shared/redis/redis.ts';

export interface WakeupListener {
  onWakeup(message: string): void;
  /** The connection was away: wake-ups may have been missed. */
  onMissedWakeups(): void;
}

export class Wakeups {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, WakeupListener>();

  /** @param subscriber a connection of its own; not closed here */
  constructor(subscriber: Redis) {
    this.#subscriber = subscriber;
    subscriber.on('message', this.#onMessage);
    subscriber.on('ready', this.#onReady);
  }

  async listen(channel: string, listener: WakeupListener): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.#subscriber.subscribe(channel);
  }

  /** Stops listening at once; the subscription ends when Redis is connected. */
  async unlisten(channel: string, listener: WakeupListener): Promise<void> {
    if (this.#listeners.get(channel) !== listener) return;
    this.#listeners.delete(channel);
    if (this.#subscriber.status === 'ready') await this.#subscriber.unsubscribe(channel);
  }

  stop(): void {
    this.#listeners.clear();
    this.#subscriber.off('message', this.#onMessage);
    this.#subscriber.off('ready', this.#onReady);
  }

  readonly #onMessage = (channel: string, message: string): void => this.#listeners.get(channel)?.onWakeup(message);

  readonly #onReady = (): void => {
    for (const listener of this.#listeners.values()) listener.onMissedWakeups();
  };
}
