// The pod's one view of the market, shared by its shards. Each change is folded first and then shown to the shards,
// in the same turn, so no command sees a market that its shard's orders have not seen.
import {
  type BookChange,
  type ContextChange,
  type MarketChange,
  readMessage,
  readTrades,
  type TradesChange,
} from '../../../market/domain/feed.ts';
import { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Logger } from '../../../shared/logger.ts';
import { FeedFollower, type Loaded, type MarketPosition, type Message } from '../../../shared/redis/feedFollower.ts';
import type { Redis } from '../../../shared/redis/redis.ts';

export interface FeedListener {
  onMarket(change: BookChange | TradesChange | ContextChange): void;
  /** The list of coins has changed, or a settlement price of a delisted one has come. */
  onListings(): void;
  onMarketLoaded(): void;
}

export class MarketFeed {
  readonly market: LiveMarket;
  readonly #follower: FeedFollower<MarketChange, TradesChange>;
  readonly #listeners = new Set<FeedListener>();

  /** @param options.subscriber of a `Subscriber`; not closed here */
  constructor(options: { log: Logger; redis: Redis; subscriber: Redis; maxAgeMs: number }) {
    const { log, redis, subscriber, maxAgeMs } = options;
    this.market = new LiveMarket({ maxAgeMs });
    this.#follower = new FeedFollower({
      log,
      redis,
      subscriber,
      forms: { readMessage, readTrades },
      handlers: { onLoad: (loaded) => this.#onLoad(loaded), onMessage: (message) => this.#onMessage(message) },
    });
  }

  start(): Promise<void> {
    return this.#follower.start();
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  /** True when it has the message, or one of a later leader. */
  hasSeen({ leader, seq }: MarketPosition): boolean {
    const { position } = this.#follower;
    return position !== undefined && (position.leader !== leader || position.seq >= seq);
  }

  add(listener: FeedListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: FeedListener): void {
    this.#listeners.delete(listener);
  }

  #onLoad({ fields, tick }: Loaded<TradesChange>): void {
    this.market.load(fields, tick);
    for (const listener of this.#listeners) listener.onMarketLoaded();
  }

  #onMessage({ changes }: Message<MarketChange>): void {
    for (const change of changes) if (change.type !== 'context') this.#show(change);
    // What a mark sets off meets the book of its own message, not the one before.
    for (const change of changes) if (change.type === 'context') this.#show(change);
  }

  #show(change: MarketChange): void {
    this.market.apply(change);
    if (change.type === 'meta' || change.type === 'delisting') for (const listener of this.#listeners) listener.onListings();
    if (change.type !== 'book' && change.type !== 'trades' && change.type !== 'context') return;
    for (const listener of this.#listeners) listener.onMarket(change);
  }
}
