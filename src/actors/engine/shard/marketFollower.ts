// How a shard follows the market. It first reads the trades that it has missed; from then on, live, its accounts see
// each change as it comes. Until then trades wait, and books, marks and listings are ignored: the newest ones are
// applied when it goes live.
import type { BookChange, ContextChange, TradesChange } from '../../../market/domain/feed.ts';
import type { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { Commits } from '../commit/commits.ts';
import type { MarketReactions } from '../decisions/marketReactions.ts';
import type { MarketFeed, MarketListener } from './marketFeed.ts';
import { TickReader } from './tickReader.ts';

export interface MarketFollowerParts {
  readonly redis: Redis;
  readonly log: Logger;
  readonly feed: MarketFeed;
  readonly reactions: MarketReactions;
  readonly commits: Commits;
  /** Tick position of the last commit. */
  readonly from: string;
  /** False while no trade can concern any account. */
  readonly hasOrders: () => boolean;
  /** False while the shard may have another owner: changes are passed over then, and read again afterwards. */
  readonly isLeased: () => boolean;
  /** Something was decided, or is to be. */
  readonly onWork: () => void;
  /** A newer build has written trades that were missed. */
  readonly onNewer: (error: NewerFormat) => void;
}

export class MarketFollower implements MarketListener {
  readonly #parts: MarketFollowerParts;
  readonly #ticks: TickReader;
  /** Changes have come while the shard may have had another owner. */
  #hasMissed = false;

  constructor(parts: MarketFollowerParts) {
    const { redis, log, feed, from, hasOrders, commits, onNewer } = parts;
    this.#parts = parts;
    this.#ticks = new TickReader({
      ...{ redis, log, from, hasOrders, onNewer, market: feed.market },
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
    this.#parts.feed.add(this);
  }

  /** To be called when all live accounts are in memory. */
  catchUp(): void {
    this.#ticks.catchUp();
  }

  /** Gets no more changes; trades that are being read still come. */
  stopListening(): void {
    this.#parts.feed.remove(this);
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
    const { reactions, commits } = this.#parts;
    reactions.runListings(commits.draft);
    reactions.runMarks(commits.draft);
  }

  /** A change that is already in the view. */
  onMarket(change: BookChange | TradesChange | ContextChange): void {
    const { reactions, commits, isLeased, onWork } = this.#parts;
    if (!isLeased()) {
      this.#hasMissed = true;
      if (change.type === 'trades') this.#ticks.passOver();
      return;
    }
    if (change.type === 'trades') this.#ticks.onTrades(change);
    else if (!this.isLive) return;
    else if (change.type === 'context') reactions.onMark(change, commits.draft);
    else reactions.runMarket(change, commits.draft);
    onWork();
  }

  /** Until the shard is live no account is asked: trades before a delisting come first. */
  onListings(): void {
    if (!this.isLive) return;
    this.#parts.reactions.onListings();
    this.#parts.onWork();
  }

  /** The view was loaded whole: trades that did not come as messages are in the stream. */
  onMarketLoaded(): void {
    if (this.#ticks.isStarted) this.#ticks.catchUp();
  }

  #onTrades(change: TradesChange): void {
    const { reactions, commits, onWork } = this.#parts;
    reactions.runMarket(change, commits.draft);
    onWork();
  }

  #onLive(): void {
    const { reactions, commits, onWork } = this.#parts;
    reactions.onListings();
    reactions.onAllMarks(commits.draft);
    onWork();
  }
}
