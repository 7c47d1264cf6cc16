// The pod's wake-ups: one connection that receives the messages about commands waiting in its shards and about free
// shards. A wake-up may be lost, so every listener also looks by itself at intervals, and after a reconnect it is
// told to look at once.
import type { Redis } from '../../../shared/redis/redis.ts';
import { openSubscriptions } from '../../../shared/redis/subscriptions/channels.ts';
import type { Subscriptions } from '../../../shared/redis/subscriptions/subscriptions.ts';

export interface WakeupListener {
  onWakeup(message: string): void;
  /** The connection was away: wake-ups may have been missed. */
  onMissedWakeups(): void;
}

export class Wakeups {
  readonly #subscriptions: Subscriptions;
  readonly #listeners = new Map<string, WakeupListener>();

  /** @param subscriber of a `Subscriber`; not closed here */
  constructor(subscriber: Redis) {
    this.#subscriptions = openSubscriptions(subscriber, {
      onMessage: (channel, message) => this.#listeners.get(channel)?.onWakeup(message),
      onBack: (channels) => {
        for (const channel of channels) this.#listeners.get(channel)?.onMissedWakeups();
      },
    });
  }

  async listen(channel: string, listener: WakeupListener): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.#subscriptions.subscribe(channel);
  }

  /** Stops listening at once; the subscription ends when Redis is connected. */
  async unlisten(channel: string, listener: WakeupListener): Promise<void> {
    if (this.#listeners.get(channel) !== listener) return;
    this.#listeners.delete(channel);
    await this.#subscriptions.unsubscribe(channel);
  }

  async stop(): Promise<void> {
    this.#listeners.clear();
    await this.#subscriptions.stop();
  }
}
