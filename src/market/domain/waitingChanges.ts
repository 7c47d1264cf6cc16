// Changes that the leader has accepted and not yet published. Books and contexts are conflated: the latest wins. Trades are never left out.
// When many coins change at once, one message has a part of them: each follower parses it in one piece, and its
// requests wait meanwhile.
import type { Format } from '../../shared/domain/formats.ts';
import { type AcceptedChange, type CandleChange, fieldOf, type MidsChange, type StoredTrades, writeChange } from './feed.ts';
import type { MarketState } from './marketState.ts';

/** Text of conflated changes in one message: parsing it takes about half a millisecond. The last one may go beyond. */
const MESSAGE_TEXT = 64 * 1024;

/** The content of one message. */
export interface TakenChanges {
  /** Fields of the stored state and their texts, in turn. */
  readonly fields: readonly string[];
  readonly trades: readonly StoredTrades[];
  /** Texts of the changes in the message beside the trades. */
  readonly others: readonly string[];
}

export class WaitingChanges {
  readonly #state: Pick<MarketState, 'fields'>;
  /** Fields of the state that changed and were not taken since, the first changed first. */
  readonly #dirty = new Set<string>();
  /** The fields among them whose recent trades have to be replaced. */
  readonly #past = new Set<string>();
  #mids: MidsChange | undefined;
  /** By field: the newest waiting candle of each coin; and candles that ended while they waited: their last state must be sent too. */
  readonly #candles = new Map<string, CandleChange>();
  #endedCandles: CandleChange[] = [];
  #trades: StoredTrades[] = [];
  #tradeCount = 0;

  constructor(state: Pick<MarketState, 'fields'>) {
    this.#state = state;
  }

  /** Single trades that wait. */
  get tradeCount(): number {
    return this.#tradeCount;
  }

  get isEmpty(): boolean {
    return this.#dirty.size === 0 && this.#trades.length === 0 && this.#mids === undefined;
  }

  /** Takes a change that the state has accepted. */
  add(change: AcceptedChange): void {
    switch (change.type) {
      case 'trades':
        this.#trades.push(change);
        this.#tradeCount += change.trades.length;
        this.#dirty.add(fieldOf(change));
        break;
      case 'mids':
        this.#mids = { ...change, mids: { ...this.#mids?.mids, ...change.mids } };
        break;
      case 'pastTrades':
        this.#past.add(fieldOf(change));
        this.#dirty.add(fieldOf(change));
        break;
      case 'candle': {
        const field = fieldOf(change);
        const waiting = this.#candles.get(field);
        if (waiting !== undefined && waiting.candle.t < change.candle.t) this.#endedCandles.push(waiting);
        this.#candles.set(field, change);
        this.#dirty.add(field);
        break;
      }
      default:
        this.#dirty.add(fieldOf(change));
    }
  }

  /** Puts back trades that were taken and reached nobody: they are older than those that wait. */
  returnTrades(trades: readonly StoredTrades[]): void {
    this.#trades.unshift(...trades);
    this.#tradeCount += trades.reduce((sum, change) => sum + change.trades.length, 0);
  }

  /** The whole state, for a leader's first message, and the trades that wait. */
  takeWhole(format: Format): TakenChanges {
    const fields = [...this.#state.fields].flatMap(([field, change]) => [field, writeChange(change, format)]);
    const trades = this.#takeTrades();
    this.#dirty.clear();
    this.#past.clear();
    this.#candles.clear();
    this.#endedCandles = [];
    this.#mids = undefined;
    return { fields, trades, others: [] };
  }

  /** All trades, with what the state has of them; of the rest the first changed, as much as one message may have. */
  take(format: Format): TakenChanges {
    const others = this.#endedCandles.map((change) => writeChange(change, format));
    const fields: string[] = [];
    const traded = new Set(this.#trades.map(fieldOf));
    let length = 0;
    for (const field of this.#dirty) {
      if (length >= MESSAGE_TEXT && !traded.has(field)) continue;
      const taken = this.#takeField(field, format);
      if (taken === undefined) continue;
      fields.push(field, taken.text);
      // Trades reach the followers with their ticks.
      if (field.startsWith('trades:') && !taken.isPast) continue;
      others.push(taken.text);
      length += taken.text.length;
    }
    if (this.#mids !== undefined) {
      const mids = this.#state.fields.get('mids');
      if (mids !== undefined) fields.push('mids', writeChange(mids, format));
      others.push(writeChange(this.#mids, format));
    }
    this.#mids = undefined;
    this.#endedCandles = [];
    return { fields, trades: this.#takeTrades(), others };
  }

  #takeField(field: string, format: Format): { readonly text: string; readonly isPast: boolean } | undefined {
    const change = this.#state.fields.get(field);
    const isPast = this.#past.delete(field);
    this.#dirty.delete(field);
    this.#candles.delete(field);
    return change && { text: writeChange(change, format), isPast };
  }

  #takeTrades(): readonly StoredTrades[] {
    const trades = this.#trades;
    this.#trades = [];
    this.#tradeCount = 0;
    return trades;
  }
}
