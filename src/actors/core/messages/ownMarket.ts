// The market as one account finds it: what its open orders wait for, and its own places in the book. Numbers are wire text.
import type { OrderView } from './order.ts';
import type { FillModel } from './terms.ts';

/** What an open order waits for. */
export type OpenReason =
  /** The book or mark is too old: nothing fills until new data comes. */
  | 'staleMarket'
  /** Opposite liquidity is displayed at the limit, but this account has taken it already, or it is not newer than the order. */
  | 'alreadyTaken'
  /** Its price is not among the visible levels: the queue there is not known yet. */
  | 'outOfSight'
  /** Others stand before it at its price. */
  | 'inQueue'
  /** No order stands before it: the next trade at its price or beyond fills it. */
  | 'frontOfQueue'
  /** Of a pessimistic what-if: a trade at its price does not fill it. */
  | 'waitsForBeyond'
  /** A trigger order whose mark has not come. */
  | 'waitsForMark'
  /** A child whose parent has not filled completely. */
  | 'waitsForParent'
  /** A stop that has fired: of what the book showed inside its limit, the account had taken some before. It tries each newer book. */
  | 'firedIntoTaken'
  /** The same where its limit lay beyond all levels that were shown. */
  | 'firedBeyondShown'
  /** A script of a failure lab: nothing fills it meanwhile. */
  | 'heldByLab';

/** An open order and the market it waits in. Numbers are wire text, but for `queue.ahead`, which may be `unknown`. */
export interface ExplainOpenOrderView {
  readonly order: OrderView;
  readonly reason: OpenReason;
  /** Of an order on the book. */
  readonly queue?: {
    readonly ahead: string;
    readonly model: FillModel;
    /** Only newer trades and books can fill it. */
    readonly acceptedFeedTimeMs: number;
    readonly acceptedTick: string;
    /** Opposite size displayed at the limit or better, and what of it the account has taken. Coins. */
    readonly displayedAtLimit: string;
    readonly consumedAtLimit: string;
  };
  /** Of an order beside it: the mark at or beyond which it fires, and the order that must fill first. */
  readonly trigger?: { readonly price: string; readonly firesWhen: 'above' | 'below'; readonly parentOid?: number };
  /**
   * Of an order that has fired and waits for a newer book: when it fired, and the opposite size displayed inside its limit, with what of it
   * the account has taken. Coins.
   */
  readonly fired?: { readonly timeMs: number; readonly displayed: string; readonly consumed: string };
  /** How old the data is, in words, when it is stale. */
  readonly age?: string;
  readonly bookTimeMs?: number;
  readonly bookVersion?: number;
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly markPrice: string | null;
}

/** A price at which the account has orders, or a displayed level of which it has taken something. Coins, wire text. */
export interface OwnLevelView {
  readonly price: string;
  /** Absent where the price is beyond the displayed levels, or the coin has no book. */
  readonly displayed?: string;
  /** Taken by the account and not shown to it again; absent = nothing. */
  readonly consumed?: string;
  /** The own orders; `ahead` is the public queue before the first of them, or `unknown`. */
  readonly own?: { readonly size: string; readonly orders: number; readonly ahead: string };
}

/** The book of a coin as one account finds it. */
export interface OwnBookView {
  /** Time and version of the book, and when it was last heard of; absent = there is none. */
  readonly bookTimeMs?: number;
  readonly bookWholeMs?: number;
  readonly bookVersion?: number;
  readonly markTimeMs?: number;
  /** With a book or mark older than this nothing is traded. */
  readonly maxAgeMs: number;
  /** How old the data is, in words, when it is too old. */
  readonly staleAge?: string;
  /** Best first. */
  readonly bids: readonly OwnLevelView[];
  readonly asks: readonly OwnLevelView[];
}
