// One term as market leader, from taking the lease until it is lost or given back. Data from the connector passes the
// state's gate and goes out by the publisher. A term that ends keeps nothing in memory.

import type { FormatSource } from '../shared/domain/formats.ts';
import type { Logger } from '../shared/logger.ts';
import { marketKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import type { AskVenue } from '../shared/venue/venueQuestions.ts';
import type { OpeningPace } from '../shared/venue/venueSocket.ts';
import { Connector } from './connector.ts';
import { DeepBooks } from './deepBooks.ts';
import { Delistings } from './domain/delistings.ts';
import {
  type AcceptedChange,
  type ContextChange,
  type DelistingChange,
  type FundingChange,
  readChange,
  type StatusChange,
} from './domain/feed.ts';
import { MarketState } from './domain/marketState.ts';
import { FundingRecorder } from './fundingRecorder.ts';
import { Publisher } from './publisher.ts';

export interface LeaderOptions {
  readonly log: Logger;
  readonly redis: Redis;
  readonly formats: FormatSource;
  readonly now: () => number;
  readonly realNow: () => number;
  readonly source: StatusChange['source'];
  readonly url: string;
  /** Asks the venue by REST. */
  readonly ask: AskVenue;
  /** At which the venue is connected, over all terms of the process. */
  readonly pace: OpeningPace;
  /** The lease's value. */
  readonly token: string;
  readonly leaseTtlMs: number;
  /** Called once when the term ends by itself. */
  readonly onLost: (reason: string) => void;
}

export interface LeaderStatus {
  readonly connectedSinceMs: number | null;
  readonly frames: number;
  readonly unreadableFrames: number;
  readonly reconnects: number;
  readonly flushes: number;
  readonly trades: number;
}

export class Leader {
  readonly #connector: Connector;
  readonly #funding: FundingRecorder;
  readonly #deep: DeepBooks;
  readonly #publisher: Publisher;
  #status: StatusChange;
  readonly #state: MarketState;

  /** Begins a term with what the last leader wrote, unless it came from another source. */
  static async begin(options: LeaderOptions): Promise<Leader> {
    const fields = await options.redis.hgetall(marketKeys.state);
    const { status } = fields;
    const former = status === undefined ? undefined : readChange<StatusChange>(status);
    return new Leader(options, new MarketState(former?.source === options.source ? fields : {}));
  }

  private constructor(options: LeaderOptions, state: MarketState) {
    const { log, now, onLost } = options;
    this.#state = state;
    this.#publisher = new Publisher({
      ...options,
      state,
      onLost: (reason) => {
        this.#stopReading();
        onLost(reason);
      },
    });
    this.#status = { type: 'status', source: options.source, connectedSinceMs: null };
    this.#accept(state.onNewest(this.#status));
    const known = knownCoins(state);
    this.#funding = new FundingRecorder({ ...options, known, onChange: (change) => this.#accept(state.onNewest(change)) });
    this.#deep = new DeepBooks({ ...options, onChange: (change) => this.#accept(state.onNewest(change)) });
    const delistings = new Delistings(known.filter((change) => change.type !== 'funding'));
    this.#connector = new Connector({
      ...options,
      handlers: {
        onMeta: (meta, atOpenInterestCap) => {
          this.#onDelisted(delistings.onMeta(meta, now()), log);
          this.#accept(state.onMeta(meta, atOpenInterestCap));
          this.#funding.onListed(meta.universe.flatMap(({ name, isDelisted }) => (isDelisted === true ? [] : [name])));
        },
        onChange: (change) => {
          if (change.type === 'context') {
            this.#funding.onContext(change);
            delistings.onContext(change);
            this.#accept(state.onNewest(change));
          } else if (change.type === 'mids') this.#accept(state.onMids(change));
          else if (change.type === 'candle') this.#accept(state.onCandle(change));
          else this.#accept(state.onBook(change));
        },
        onTrades: (trades, { isPast }) => this.#accept(isPast ? state.onPastTrades(trades) : state.onTrades(trades)),
        onStatus: (connectedSinceMs) => this.#setStatus(connectedSinceMs),
      },
    });
    this.#publisher.start();
    this.#connector.start();
    this.#funding.start();
    this.#deep.start();
  }

  status(): LeaderStatus {
    const { frames, unreadable, reconnects } = this.#connector.counters;
    const { flushes, trades } = this.#publisher.counters;
    return { connectedSinceMs: this.#status.connectedSinceMs, frames, unreadableFrames: unreadable, reconnects, flushes, trades };
  }

  /** The market's time was set ahead: what the venue has to tell of the hours that are over is asked for now. */
  onClock(): void {
    this.#funding.look();
  }

  /** Ends the term: writes the waiting changes, and tells the followers that no process reads the upstream any more. */
  async end(): Promise<void> {
    this.#stopReading();
    this.#setStatus(null);
    await this.#publisher.stop();
  }

  /** Ends the term without another write. */
  abandon(): void {
    this.#stopReading();
    this.#publisher.abandon();
  }

  #stopReading(): void {
    this.#connector.stop();
    this.#funding.stop();
    this.#deep.stop();
  }

  /** Publishes what the gate has let through. */
  #accept(change: AcceptedChange | undefined): void {
    if (change !== undefined) this.#publisher.add(change);
  }

  #onDelisted(delistings: readonly DelistingChange[], log: Logger): void {
    if (delistings.length === 0) return;
    log.info({ coins: delistings.map(({ coin, price }) => `${coin} at ${price}`) }, 'coins off the list have settlement prices');
    for (const delisting of delistings) {
      this.#funding.onDelisted(delisting);
      this.#accept(this.#state.onNewest(delisting));
    }
  }

  #setStatus(connectedSinceMs: number | null): void {
    this.#status = { ...this.#status, connectedSinceMs };
    this.#accept(this.#state.onNewest(this.#status));
  }
}

/** The funding, contexts and delistings that an earlier leader has published. */
function knownCoins({ fields }: MarketState): (FundingChange | ContextChange | DelistingChange)[] {
  const changes: (FundingChange | ContextChange | DelistingChange)[] = [];
  for (const change of fields.values()) {
    if (change.type === 'funding' || change.type === 'context' || change.type === 'delisting') changes.push(change);
  }
  return changes;
}
