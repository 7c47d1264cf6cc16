// The pod's one view of the market, shared by its shards, and how each shard follows it. Each change is folded first and then shown to the shards,
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
import type { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { FeedFollower, type Loaded, type MarketPosition, type Message } from '../../../shared/redis/feedFollower.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { Commits } from '../commit/commits.ts';
import type { MarketReactions } from '../decisions/decisions.ts';
import type { LeaseTerm } from '../ownership/lease.ts';
import { TickReader } from './tickReader.ts';

interface MarketListener {
  onMarket(change: BookChange | TradesChange | ContextChange): void;
  /** The list of coins has changed, or a settlement price of a delisted one has come. */
  onListings(): void;
  onMarketLoaded(): void;
}

export class MarketFeed {
  readonly market: LiveMarket;
  readonly #follower: FeedFollower<MarketChange, TradesChange>;
  readonly #listeners = new Set<MarketListener>();

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

  add(listener: MarketListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: MarketListener): void {
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

// How a shard follows the market. It first reads the trades that it has missed; from then on, live, its accounts see
// each change as it comes. Until then trades wait, and books, marks and listings are ignored: the newest ones are
// applied when it goes live.

/** The shard, as its view of the market sees it. */
interface FollowerContext {
  readonly pod: { readonly redis: Redis; readonly log: Logger; readonly feed: MarketFeed };
  readonly lease: { readonly term: Pick<LeaseTerm, 'isRunning'> };
  /** `tick`: position of the last commit. */
  readonly opened: { readonly recovered: { readonly tick: string } };
  readonly accounts: { readonly index: { readonly size: number } };
  readonly commits: Pick<Commits, 'draft'>;
  readonly decisions: { readonly reactions: MarketReactions };
  readonly events: {
    /** Something was decided, or is to be. */
    readonly onWork: () => void;
    /** A newer build has written trades that were missed. */
    readonly onEnd: (error: NewerFormat) => void;
  };
}

export class MarketFollower implements MarketListener {
  readonly #shard: FollowerContext;
  readonly #ticks: TickReader;
  /** Changes have come while the shard may have had another owner. */
  #hasMissed = false;

  constructor(shard: FollowerContext) {
    const { pod, opened, accounts, commits, events } = shard;
    const { redis, log, feed } = pod;
    this.#shard = shard;
    this.#ticks = new TickReader({
      ...{ redis, log, from: opened.recovered.tick, onNewer: events.onEnd, market: feed.market },
      hasOrders: () => accounts.index.size > 0,
      hasRoom: () => !commits.draft.isFull,
      onTrades: (change) => this.#onTrades(change),
      onLive: () => this.#onLive(),
    });
  }

  /** Every trade up to this one has been applied. */
  get tick(): string {
    return this.#ticks.position;
  }

  /** True once changes act as they come. */
  get isLive(): boolean {
    return this.#ticks.isLive && !this.#hasMissed;
  }

  /** Listens. What has been missed is read by `catchUp`. */
  start(): void {
    this.#shard.pod.feed.add(this);
  }

  /** To be called when all live accounts are in memory. */
  catchUp(): void {
    this.#ticks.catchUp();
  }

  /** Gets no more changes; trades that are being read still come. */
  stopListening(): void {
    this.#shard.pod.feed.remove(this);
  }

  stop(): void {
    this.stopListening();
    this.#ticks.stop();
  }

  /** Does what changes have left to do, as far as the open draft has room. */
  work(): void {
    if (this.#hasMissed) {
      this.#hasMissed = false;
      if (this.#ticks.isStarted) this.#ticks.catchUp();
    }
    if (!this.isLive) return;
    const { decisions, commits } = this.#shard;
    const { reactions } = decisions;
    reactions.runListings(commits.draft);
    reactions.runMarks(commits.draft);
  }

  /** A change that is already in the view. */
  onMarket(change: BookChange | TradesChange | ContextChange): void {
    const { decisions, commits, lease, events } = this.#shard;
    const { reactions } = decisions;
    // Another pod may have the shard: changes are passed over then, and read again afterwards.
    if (!lease.term.isRunning) {
      this.#hasMissed = true;
      if (change.type === 'trades') this.#ticks.passOver();
      return;
    }
    if (change.type === 'trades') this.#ticks.onTrades(change);
    else if (!this.isLive) return;
    else if (change.type === 'context') reactions.onMark(change, commits.draft);
    else reactions.runMarket(change, commits.draft);
    events.onWork();
  }

  /** Until the shard is live no account is asked: trades before a delisting come first. */
  onListings(): void {
    if (!this.isLive) return;
    this.#shard.decisions.reactions.onListings();
    this.#shard.events.onWork();
  }

  /** The view was loaded whole: trades that did not come as messages are in the stream. */
  onMarketLoaded(): void {
    if (this.#ticks.isStarted) this.#ticks.catchUp();
  }

  #onTrades(change: TradesChange): void {
    const { decisions, commits, events } = this.#shard;
    decisions.reactions.runMarket(change, commits.draft);
    events.onWork();
  }

  #onLive(): void {
    const { decisions, commits, events } = this.#shard;
    decisions.reactions.onListings();
    decisions.reactions.onAllMarks(commits.draft);
    events.onWork();
  }
}
