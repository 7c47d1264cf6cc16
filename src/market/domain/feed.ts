// The messages that the market leader publishes and every follower folds into its view: the project's own, compact
// form of the upstream's frames. Numbers stay decimal text; `MarketView` parses the ones that are read.

import { type Format, readForm, type Upcasters, writeForm } from '../../shared/domain/formats.ts';
import type { VenueMeta } from './asset.ts';

/** `[price, size, orders]`. */
export type FeedLevel = readonly [price: string, size: string, orders: number];

/** A whole book, at most 20 levels a side, best first. `timeMs` is the upstream's. */
export interface BookChange {
  readonly type: 'book';
  readonly coin: string;
  readonly timeMs: number;
  readonly bids: readonly FeedLevel[];
  readonly asks: readonly FeedLevel[];
  /** When a test has set the coin's book last; absent = never. */
  readonly setMs?: number;
}

/** Best bid and offer, newer than the book. */
export interface BboChange {
  readonly type: 'bbo';
  readonly coin: string;
  readonly timeMs: number;
  readonly bid: FeedLevel | null;
  readonly ask: FeedLevel | null;
}

/**
 * The book with coarser prices, best first: the price of a bucket is its worst, and its size is that of all levels in it. At most 20 buckets a
 * side with 5 digits, and beyond them as many with 4, 3 and 2. Kept while a process wants it (src/market/deepBooks.ts); `timeMs` is the oldest of
 * the upstream's.
 */
export interface DeepChange {
  readonly type: 'deep';
  readonly coin: string;
  readonly timeMs: number;
  /** Significant digits of its coarsest prices. */
  readonly digits: number;
  readonly bids: readonly FeedLevel[];
  readonly asks: readonly FeedLevel[];
}

/** One public trade. `side` is the aggressor's. */
export interface MarketTrade {
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly timeMs: number;
  readonly tid: number;
  /** Transaction hash and `[buyer, seller]`, where the upstream sends them; only passed on to clients. */
  readonly hash?: string;
  readonly users?: readonly [buyer: string, seller: string];
}

/** New public trades of a coin, oldest first. `tick` is the id of their entry in the tick stream: `<ms>-<n>`. */
export interface TradesChange {
  readonly type: 'trades';
  readonly coin: string;
  readonly tick: string;
  readonly trades: readonly MarketTrade[];
}

/**
 * Trades that happened before the upstream's connection: they fill the list of recent trades and nothing else, because
 * nothing is filled retroactively after a gap. Newest last.
 */
export interface PastTradesChange {
  readonly type: 'pastTrades';
  readonly coin: string;
  readonly trades: readonly MarketTrade[];
}

/** The venue's asset context, field by field as it sends it (`null` where a market has no book). */
export interface AssetContext {
  readonly funding: string;
  readonly openInterest: string;
  readonly prevDayPx: string;
  readonly dayNtlVlm: string;
  readonly dayBaseVlm?: string;
  readonly premium: string | null;
  readonly oraclePx: string;
  readonly markPx: string;
  readonly midPx: string | null;
  readonly impactPxs: readonly [string, string] | null;
}

/** Mark, oracle and the rest of one coin. The upstream sends no time with it: `timeMs` is when the leader received it. */
export interface ContextChange {
  readonly type: 'context';
  readonly coin: string;
  readonly timeMs: number;
  readonly context: AssetContext;
}

/** A candle as the venue sends it: opening and closing time in ms, coin, interval, prices, volume in coins, number of trades. */
export interface VenueCandle {
  readonly t: number;
  readonly T: number;
  readonly s: string;
  readonly i: string;
  readonly o: string;
  readonly c: string;
  readonly h: string;
  readonly l: string;
  readonly v: string;
  readonly n: number;
}

/** The one-minute candle of a coin that is in progress. `timeMs` is when the leader received it. */
export interface CandleChange {
  readonly type: 'candle';
  readonly coin: string;
  readonly timeMs: number;
  readonly candle: VenueCandle;
}

/** Mid prices, only the coins that changed. */
export interface MidsChange {
  readonly type: 'mids';
  readonly timeMs: number;
  readonly mids: Readonly<Record<string, string>>;
}

/** The venue's own description of its assets, whole. */
export interface MetaChange {
  readonly type: 'meta';
  readonly meta: VenueMeta;
  /** Coins at their cap of open interest; absent = none, or from a build that did not ask. Since generation 4. */
  readonly atOpenInterestCap?: readonly string[];
}

/** Where the data comes from, and whether it flows. `connectedSinceMs` is null while the upstream is away. */
export interface StatusChange {
  readonly type: 'status';
  readonly source: 'live' | 'emulated' | 'replay';
  readonly connectedSinceMs: number | null;
}

/**
 * The funding of a coin by hour boundary, whole: at most `HOURS_KEPT` hours, oldest first. A number that is not known yet is
 * `null`; the upstream's rate comes some time after the hour.
 */
export interface FundingChange {
  readonly type: 'funding';
  readonly coin: string;
  /** Hour boundaries up to this one are not in `hours`: before the first, or too old to be kept. */
  readonly sinceMs: number;
  readonly hours: readonly RecordedHour[];
}

/** A boundary, the venue's rate for it, and the oracle price last published at or before it. */
export type RecordedHour = readonly [hourMs: number, rate: string | null, oraclePrice: string | null];

/** A coin that the venue has taken off its list. */
export interface DelistingChange {
  readonly type: 'delisting';
  readonly coin: string;
  /** When the leader saw it. */
  readonly timeMs: number;
  /** The price at which positions are settled: the average oracle price of the hour before, USD per coin. */
  readonly price: string;
}

export type MarketChange =
  | BookChange
  | BboChange
  | DeepChange
  | TradesChange
  | PastTradesChange
  | ContextChange
  | CandleChange
  | MidsChange
  | FundingChange
  | DelistingChange
  | MetaChange
  | StatusChange;

/** A trades change as the tick stream keeps it: the entry's id is its `tick`. */
export type StoredTrades = Omit<TradesChange, 'tick'>;

/** A change as the leader accepts it: trades get their tick when they are written. */
export type AcceptedChange = Exclude<MarketChange, { type: 'trades' }> | StoredTrades;

// The texts of the market's leader. A change is the same form in a
// message, in the stored state and in the stream of trades, and names its generation in each of them.

/** One message on the feed channel. */
interface MarketMessage {
  readonly leader: string;
  readonly seq: number;
  readonly changes: readonly MarketChange[];
}

const CHANGE_UPCASTERS: Upcasters = {};
const MESSAGE_UPCASTERS: Upcasters = {};

/** Of a message, of a field of the state, or of trades in their stream. */
export const writeChange = (change: AcceptedChange, format: Format): string => writeForm(change, format);

/** The field of the stored state that has the newest change of its kind: of the trades of a coin, the recent ones. */
export function fieldOf(change: AcceptedChange): string {
  if (!('coin' in change)) return change.type;
  const kind = change.type === 'context' ? 'ctx' : change.type === 'pastTrades' ? 'trades' : change.type;
  return `${kind}:${change.coin}`;
}

/** A field of the stored state. @throws {NewerFormat} when a newer build has written it */
export const readChange = <Change extends AcceptedChange = AcceptedChange>(text: string): Change =>
  toChange<Change>(JSON.parse(text));

/** Trades of the stream; their tick is the id of their entry. @throws as `readChange` */
export const readTrades = (text: string, tick: string): TradesChange => ({ ...toChange<StoredTrades>(JSON.parse(text)), tick });

/** @throws as `readChange` */
export function readMessage(text: string): MarketMessage {
  const message: MarketMessage = readForm('market message', JSON.parse(text), MESSAGE_UPCASTERS);
  return { ...message, changes: message.changes.map(toChange<MarketChange>) };
}

/** The end of a message, behind its changes: the script that puts the message together writes its generation there. */
export const messageEnd = (format: Format): string => `,"v":${format}}`;

const toChange = <Change extends object>(parsed: unknown): Change => readForm('market change', parsed, CHANGE_UPCASTERS);
