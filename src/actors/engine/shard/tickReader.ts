// A shard's place in the stream of public trades. A new owner continues where the last commit stood: first the trades
// in the stream since then, then the live ones, each once and in order. Until it has caught up nothing is skipped.

import { readTrades, type TradesChange } from '../../../market/domain/feed.ts';
import { isLaterTick } from '../../../market/domain/liveMarket.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { marketKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Retrying } from '../../../shared/retrying.ts';

const PAGE = 500;
/** Live trades kept while catching up; past it they are read from the stream instead. */
const BUFFER_MAX = 20_000;
const RETRYING = new Retrying('missed_trades', { firstMs: 250 });
const ROOM_AGAIN_MS = 5;

export interface TickReaderParts {
  readonly redis: Redis;
  readonly log: Logger;
  readonly market: MarketView;
  /** Tick position of the last commit. */
  readonly from: string;
  /** False while no trade can affect an account: missed trades need not be read then. */
  readonly hasOrders: () => boolean;
  /** False while the next commit is full. */
  readonly hasRoom: () => boolean;
  readonly onTrades: (change: TradesChange) => void;
  /** Nothing is missed any more: from now on the market view is what the accounts have seen. */
  readonly onLive: () => void;
  /** A newer build has written the trades that were missed; nothing is read any more. */
  readonly onNewer: (error: NewerFormat) => void;
}

export class TickReader {
  readonly #parts: TickReaderParts;
  #position: string;
  #isLive = false;
  #isCatchingUp = false;
  #isWantedAgain = false;
  #isStopped = false;
  /** A trade was passed over since the stream was read last: none after it may be applied before it. */
  #hasGap = false;
  #buffer: TradesChange[] = [];

  constructor(parts: TickReaderParts) {
    this.#parts = parts;
    this.#position = parts.from;
  }

  /** Every trade up to this one has been applied to every account it concerned. */
  get position(): string {
    return this.#position;
  }

  /** True once trades are applied as they come. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** True once `catchUp` was called for the first time. */
  get isStarted(): boolean {
    return this.#isLive || this.#isCatchingUp;
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
    if (this.#isLive) this.#apply(change);
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
    this.#isLive = false;
    this.#hasGap = false;
    this.#catchUp().catch((error: unknown) => {
      if (error instanceof NewerFormat) return this.#parts.onNewer(error);
      this.#parts.log.warn({ err: error }, 'missed trades cannot be read yet, trying again');
      this.#buffer = [];
      setTimeout(() => {
        this.#isCatchingUp = false;
        this.catchUp();
      }, RETRYING.nextMs());
    });
  }

  async #catchUp(): Promise<void> {
    const { redis, market, hasOrders } = this.#parts;
    if (!hasOrders() && isLaterTick(market.tick, this.#position)) this.#position = market.tick;
    for (;;) {
      const page = await redis.xrange(marketKeys.ticks, `(${this.#position}`, '+', 'COUNT', PAGE);
      for (const [tick, [field, text]] of page) {
        await this.#room();
        if (this.#isStopped) return;
        if (field === 'd' && text !== undefined) this.#apply(readTrades(text, tick));
        else this.#position = tick;
      }
      if (this.#isStopped) return;
      if (page.length < PAGE && this.#buffer.length < BUFFER_MAX) break;
      if (page.length < PAGE) this.#buffer = [];
    }
    for (const change of this.#buffer) this.#apply(change);
    this.#buffer = [];
    this.#isCatchingUp = false;
    if (this.#isWantedAgain) return this.catchUp();
    this.#isLive = true;
    this.#parts.onLive();
  }

  #apply(change: TradesChange): void {
    if (!isLaterTick(change.tick, this.#position)) return;
    this.#position = change.tick;
    this.#parts.onTrades(change);
  }

  async #room(): Promise<void> {
    while (!this.#parts.hasRoom() && !this.#isStopped) await new Promise((resolve) => setTimeout(resolve, ROOM_AGAIN_MS));
  }
}
