// The shapes of an order and of a TWAP: the request of a client, and the view that answers, events and history rows have of it from then on.
import type { OrderNote, OrderScript } from './labNote.ts';

export type Side = 'buy' | 'sell';

/** `frontendMarket` is an `ioc` that shows as "Market". */
export type TimeInForce = 'gtc' | 'ioc' | 'alo' | 'frontendMarket';

export interface LimitOrderType {
  readonly kind: 'limit';
  readonly timeInForce: TimeInForce;
}

/** Waits for the mark, then goes on as an Ioc (`isMarket`) or a Gtc at its limit price. */
export interface TriggerOrderType {
  readonly kind: 'trigger';
  readonly triggerPrice: string;
  readonly isMarket: boolean;
  readonly tpsl: 'tp' | 'sl';
}

/** How the orders of a batch belong together (trading-rules 2.5). */
export type Grouping = 'na' | 'normalTpsl' | 'positionTpsl';

/** One order as a client asks for it. */
export interface OrderRequest {
  readonly asset: number;
  readonly side: Side;
  readonly limitPrice: string;
  readonly size: string;
  readonly reduceOnly: boolean;
  readonly type: LimitOrderType | TriggerOrderType;
  /** Client order id: `0x` and 32 hex digits, lower case. */
  readonly cloid?: string;
  /** The draw of the key's failure lab for it. */
  readonly script?: OrderScript;
  /** The id that it is to have: that of the account which it is mirrored from. */
  readonly oid?: number;
}

/** How a client names an order: by our id or by its own. */
export type OrderTarget = { readonly oid: number } | { readonly cloid: string };

/** All that a client may see of an order, at one moment. Numbers are decimal text without padding. */
export interface OrderView {
  readonly oid: number;
  readonly cloid?: string;
  readonly asset: number;
  readonly coin: string;
  readonly side: Side;
  readonly limitPrice: string;
  /** Left to fill. */
  readonly size: string;
  /** What it could ever fill: left and filled together. Cuts of a reduce-only order are taken from it, too. */
  readonly originalSize: string;
  /** As requested; absent while that is `originalSize`. */
  readonly requestedSize?: string;
  readonly filledSize: string;
  /** What its fills come to without fees, USD; absent before the first. */
  readonly filledUsd?: string;
  readonly reduceOnly: boolean;
  readonly timeInForce: 'gtc' | 'ioc' | 'alo' | 'frontendMarket' | 'liquidationMarket';
  readonly placedAtMs: number;
  /** Of an order that waits, or has waited, for the mark. */
  readonly trigger?: TriggerView;
  /** The TWAP that it is a slice of. */
  readonly twapId?: number;
  /** Draws of the failure lab that concern it, in the order of their arrival. */
  readonly lab?: readonly OrderNote[];
  /** The daily loss from which on it opens nothing more, USD: the limit of the API key that has sent it. */
  readonly lossMaxUsd?: string;
}

/** When an order fires and what it belongs to (trading-rules 2.4, 2.5). */
export interface TriggerView {
  /** Mark price at or beyond which it fires, USD per coin. */
  readonly price: string;
  readonly tpsl: 'tp' | 'sl';
  /** An Ioc when it has fired, else a Gtc. */
  readonly isMarket: boolean;
  /** Absent until it has fired. */
  readonly hasFired?: true;
  /** Reduce-only and placed without a position: it follows none until it has fired. */
  readonly placedFlat?: true;
  /** Absent for an order of its own. */
  readonly grouping?: 'normalTpsl' | 'positionTpsl';
  /** Of `normalTpsl`: the order that it protects; siblings have the same one. */
  readonly parentOid?: number;
}

/** Order statuses of wire-format 5.1 that can occur. */
export type OrderStatus =
  | 'open'
  | 'filled'
  | 'triggered'
  | 'canceled'
  | 'marginCanceled'
  | 'openInterestCapCanceled'
  | 'selfTradeCanceled'
  | 'reduceOnlyCanceled'
  | 'siblingFilledCanceled'
  | 'scheduledCancel'
  | 'liquidatedCanceled'
  | 'delistedCanceled'
  | 'rejected'
  | 'tickRejected'
  | 'minTradeNtlRejected'
  | 'perpMarginRejected'
  | 'reduceOnlyRejected'
  | 'badAloPxRejected'
  | 'iocCancelRejected'
  | 'badTriggerPxRejected'
  | 'marketOrderNoLiquidityRejected'
  | 'oracleRejected'
  | 'perpMaxPositionRejected'
  | 'positionFlipAtOpenInterestCapRejected'
  | 'positionIncreaseAtOpenInterestCapRejected'
  | 'tooAggressiveAtOpenInterestCapRejected'
  | 'tooManyOpenOrdersRejected';

/** A mark at or above this price, or at or below it. */
export interface TwapTrigger {
  /** USD per coin. */
  readonly price: string;
  readonly above: boolean;
}

/** All that a client may see of a TWAP, at one moment. Numbers are decimal text without padding. */
export interface TwapView {
  readonly twapId: number;
  readonly asset: number;
  readonly coin: string;
  readonly side: Side;
  /** Of all slices together, coins. */
  readonly size: string;
  /** What the slices have got so far: coins, and USD paid or received for them without fees. */
  readonly executedSize: string;
  readonly executedUsd: string;
  readonly minutes: number;
  readonly reduceOnly: boolean;
  readonly randomize: boolean;
  /** When it began to run; of one that waits: to wait. */
  readonly startedAtMs: number;
  /** The mark that starts it. */
  readonly trigger?: TwapTrigger;
  /** USD per coin: a mark at or above it ends a buy, one at or below it a sell. */
  readonly stopPrice?: string;
  /** As of an order. */
  readonly lossMaxUsd?: string;
}

export type TwapEnd =
  /** All slices are done, or nothing is left to do. */
  | { readonly status: 'finished' }
  /** By the client, or because its position or coin is gone. */
  | { readonly status: 'terminated' }
  /** The mark has reached its stop price. */
  | { readonly status: 'stopped' }
  /** A slice was refused. */
  | { readonly status: 'error'; readonly text: string };
