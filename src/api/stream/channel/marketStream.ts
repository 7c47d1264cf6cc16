// Hands the changes of this node's market view to the streams, each change once, whatever the number of sockets.
// Listeners are called when a message of the leader has been folded completely, so they read one consistent state.
import type { CandleChange, MarketChange, TradesChange } from '../../../market/domain/feed.ts';
import { MinuteCandles } from '../../accounts/minuteCandles.ts';
import type { Services } from '../../accounts/services.ts';

/** The topics of listeners: a kind of change of one coin, or one of all coins. */
export type MarketTopic = `${'book' | 'bbo' | 'trades' | 'context' | 'candle'}:${string}` | 'mids' | 'contexts';

/**
 * @param change the change of a coin; undefined when the view was loaded again (then anything may have changed), and for
 *   topics of all coins. Missed trades come as changes.
 */
export type MarketListener = (change?: MarketChange) => void;

/** What channels of the market are made of. */
export interface MarketParts {
  readonly services: Services;
  readonly market: MarketStream;
}

export class MarketStream {
  readonly minutes: MinuteCandles;
  readonly #listeners = new Map<string, Set<MarketListener>>();

  constructor(minutes = new MinuteCandles()) {
    this.minutes = minutes;
  }

  /** @returns a function that removes the listener */
  listen(topic: MarketTopic, listener: MarketListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  /** Takes the changes of a leader's message after they were folded. */
  onChanges(changes: readonly MarketChange[]): void {
    let hasContexts = false;
    for (const change of changes) {
      switch (change.type) {
        case 'candle':
          this.minutes.onCandle(change);
          this.#tell(`candle:${change.coin}`, change);
          break;
        case 'status':
          this.minutes.onStatus(change.connectedSinceMs);
          break;
        case 'book':
        case 'bbo':
        case 'trades':
          this.#tell(`${change.type}:${change.coin}`, change);
          break;
        case 'context':
          this.#tell(`context:${change.coin}`, change);
          hasContexts = true;
          break;
        case 'mids':
          this.#tell('mids');
          break;
        case 'deep':
        case 'pastTrades':
        case 'funding':
        case 'delisting':
        case 'meta':
          break;
      }
    }
    if (hasContexts) this.#tell('contexts');
  }

  /** Takes note that the whole state was loaded again. @param candles of the state, those of this connection of the feed */
  onLoad(missed: readonly TradesChange[], candles: readonly CandleChange[] = []): void {
    this.minutes.restart();
    for (const change of candles) this.minutes.onCandle(change);
    for (const change of missed) this.#tell(`trades:${change.coin}`, change);
    for (const topic of [...this.#listeners.keys()]) this.#tell(topic);
  }

  #tell(topic: string, change?: MarketChange): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(change);
  }
}
