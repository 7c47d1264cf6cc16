// How a shard follows the market. The shard first reads the trades that it has missed; from then on, live, its accounts see
// each change as it comes. Until then trades wait, and books, marks and listings are ignored: the newest ones are
// applied when the shard goes live.

import { type BookChange, type ContextChange, readTrades, type TradesChange } from '../../../market/domain/feed.ts';
import { isLaterTick } from '../../../market/domain/liveMarket.ts';
import { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { marketKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { Commits } from '../commit/commits.ts';
import type { MarketReactions } from '../decisions/decisions.ts';
import type { LeaseTerm } from '../ownership/lease.ts';
import type { FeedListener, MarketFeed } from './marketFeed.ts';

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

export class MarketFollower implements FeedListener {
  readonly #shard: FollowerContext;
  readonly #ticks: TickReader;
  /** Changes have come while the shard may have had another owner. */
  #hasMissed = false;

  constructor(shard: FollowerContext) {
    this.#shard = shard;
    this.#ticks = new TickReader(shard, { onTrades: (change) => this.#onTrades(change), onLive: () => this.#onLive() });
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

const PAGE = 500;
/** Live trades kept while catching up; past it they are read from the stream instead. */
const BUFFER_MAX = 20_000;
const RETRYING = new Retrying('missed_trades', { firstMs: 250 });
const ROOM_AGAIN_MS = 5;

interface TickListener {
  readonly onTrades: (change: TradesChange) => void;
  /** Nothing is missed any more: from now on the market view is what the accounts have seen. */
  readonly onLive: () => void;
}

/**
 * A shard's place in the stream of public trades. A new owner continues where the last commit stood: first the trades
 * in the stream since then, then the live ones, each once and in order. Until it has caught up nothing is skipped.
 */
class TickReader {
  readonly #shard: FollowerContext;
  readonly #listener: TickListener;
  /** Every trade up to this one has been applied to every account that it concerned. */
  position: string;
  /** True once trades are applied as they come. */
  isLive = false;
  #isCatchingUp = false;
  #isWantedAgain = false;
  #isStopped = false;
  /** A trade was passed over since the stream was read last: none after it may be applied before it. */
  #hasGap = false;
  #buffer: TradesChange[] = [];

  constructor(shard: FollowerContext, listener: TickListener) {
    this.#shard = shard;
    this.#listener = listener;
    this.position = shard.opened.recovered.tick;
  }

  /** True once `catchUp` was called for the first time. */
  get isStarted(): boolean {
    return this.isLive || this.#isCatchingUp;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** A live trade came that may not be applied now: it and those after it are read from the stream by the next `catchUp`. */
  passOver(): void {
    this.#hasGap = true;
    this.#buffer = [];
  }

  /** Live trades, in the order of their ticks. */
  onTrades(change: TradesChange): void {
    if (this.#hasGap) return;
    if (this.isLive) this.#apply(change);
    else if (this.#isCatchingUp && this.#buffer.length < BUFFER_MAX) this.#buffer.push(change);
  }

  /**
   * Reads missed trades, then goes live. Call it when all accounts are in memory, when the view was loaded again, and after
   * `passOver`.
   */
  catchUp(): void {
    if (this.#isStopped) return;
    this.#isWantedAgain = this.#isCatchingUp;
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    this.isLive = false;
    this.#hasGap = false;
    this.#catchUp().catch((error: unknown) => {
      const { events, pod } = this.#shard;
      if (error instanceof NewerFormat) return events.onEnd(error);
      pod.log.warn({ err: error }, 'missed trades cannot be read yet, trying again');
      this.#buffer = [];
      setTimeout(() => {
        this.#isCatchingUp = false;
        this.catchUp();
      }, RETRYING.nextMs());
    });
  }

  async #catchUp(): Promise<void> {
    const { pod, accounts } = this.#shard;
    const { tick: newest } = pod.feed.market;
    // Without orders no trade can affect an account: missed trades need not be read.
    if (accounts.index.size === 0 && isLaterTick(newest, this.position)) this.position = newest;
    for (;;) {
      const page = await pod.redis.xrange(marketKeys.ticks, `(${this.position}`, '+', 'COUNT', PAGE);
      for (const [tick, [field, text]] of page) {
        await this.#room();
        if (this.#isStopped) return;
        if (field === 'd' && text !== undefined) this.#apply(readTrades(text, tick));
        else this.position = tick;
      }
      if (this.#isStopped) return;
      if (page.length < PAGE && this.#buffer.length < BUFFER_MAX) break;
      if (page.length < PAGE) this.#buffer = [];
    }
    for (const change of this.#buffer) this.#apply(change);
    this.#buffer = [];
    this.#isCatchingUp = false;
    if (this.#isWantedAgain) return this.catchUp();
    this.isLive = true;
    this.#listener.onLive();
  }

  #apply(change: TradesChange): void {
    if (!isLaterTick(change.tick, this.position)) return;
    this.position = change.tick;
    this.#listener.onTrades(change);
  }

  async #room(): Promise<void> {
    while (this.#shard.commits.draft.isFull && !this.#isStopped)
      await new Promise((resolve) => setTimeout(resolve, ROOM_AGAIN_MS));
  }
}
