// Facts about an account, in the past tense. A published format: fields and types are added, meanings never change.
// An event carries every number that is needed to apply it, so a replay computes no price and decides nothing.

import type { FeatureEvent } from './featureEvents.ts';
import type { EndedTrip, FillEvidence, HistoryKind } from './historyRows.ts';
import type { OrderStatus, OrderView } from './order.ts';
import type { OutOfReach, QueueText, RestingState, TakenText } from './queuePlace.ts';
import type { OwnTerms } from './terms.ts';

/** The further data of a fill of a liquidation order. */
export interface MarketLiquidation {
  readonly method: 'market';
  readonly markPrice: string;
  /** The order was for a part of the position: until then the next ones are for all of it. */
  readonly cooldownUntilMs?: number;
}

/** A whole position that left the account at one price, beside any order. */
export interface WholePosition {
  readonly oid: number;
  readonly tid: number;
  readonly asset: number;
  readonly coin: string;
  /** Of the account. */
  readonly side: 'buy' | 'sell';
  /** USD per coin. */
  readonly price: string;
  readonly size: string;
  /** Price times signed size: what cross cash gets beside the isolated margin, USD; negative for a short. */
  readonly usd: string;
  readonly closedPnl: string;
  /** What closing brought beyond its cost, USD to 40 decimals; absent where `closedPnl` is exact. */
  readonly exactPnl?: string;
  /** The round trip that this ends. */
  readonly trip?: EndedTrip;
  readonly startPosition: string;
  readonly direction: string;
}

export type AccountEvent =
  | FeatureEvent
  | { readonly type: 'accountOpened'; readonly depositUsd: string }
  /** The order has come to rest on the book (possibly after fills of the same entry). */
  | { readonly type: 'orderRested'; readonly order: OrderView; readonly resting: RestingState }
  /** The order has ended, whether it ever rested or not. `order` is its final form. */
  | {
      readonly type: 'orderEnded';
      readonly order: OrderView;
      readonly status: OrderStatus;
      /** Of `reduceOnlyCanceled`: the newer reduce-only order that needed what it had of the position. */
      readonly gaveWayTo?: number;
    }
  /** A trigger order is open: it waits for the mark, or as a child for its parent to fill. */
  | { readonly type: 'triggerPlaced'; readonly order: OrderView; readonly waitsFor: 'mark' | 'fill' }
  /** The parent of these children has filled: from now on they wait for the mark. */
  | { readonly type: 'triggersArmed'; readonly oids: readonly number[] }
  /** The mark has reached the trigger: the order goes on to execution, under the same oid. `order` as it goes there. */
  | { readonly type: 'orderTriggered'; readonly order: OrderView; readonly markPrice: string }
  /** A market order that has fired is open with what is left of it: it waits for a newer book. */
  | { readonly type: 'triggerWaits'; readonly order: OrderView; readonly outOfReach: OutOfReach }
  /** A parent was modified: its waiting children belong to the new order. */
  | { readonly type: 'parentReplaced'; readonly oid: number; readonly newOid: number }
  /** An open reduce-only order was cut to the position. `order` as it is from then on. */
  | { readonly type: 'orderResized'; readonly order: OrderView }
  | {
      readonly type: 'orderFilled';
      readonly oid: number;
      readonly tid: number;
      readonly cloid?: string;
      readonly asset: number;
      readonly coin: string;
      readonly side: 'buy' | 'sell';
      readonly price: string;
      readonly size: string;
      readonly liquidity: 'maker' | 'taker';
      readonly fee: string;
      readonly closedPnl: string;
      /** What closing brought beyond its cost, USD to 40 decimals; absent where `closedPnl` is exact. */
      readonly exactPnl?: string;
      /** The round trip that this ends. */
      readonly trip?: EndedTrip;
      readonly startPosition: string;
      readonly direction: string;
      /** Mode and leverage of the position that the fill opens or changes. */
      readonly marginMode: 'cross' | 'isolated';
      readonly leverage: number;
      /** USD moved from cross cash into the isolated margin by this fill (negative: back). Absent for cross. */
      readonly marginMovedUsd?: string;
      readonly evidence: FillEvidence;
      /** The TWAP whose slice it is. */
      readonly twapId?: number;
      /** The order was sent by a liquidation. */
      readonly liquidation?: MarketLiquidation;
    }
  /**
   * The house has taken a whole position over at its bankruptcy price; no fee, no order. `price` is the legal price next to that, shown only.
   * The money is `usd`: what the margin pool gets for the position, exact.
   */
  | ({
      readonly type: 'positionTakenOver';
      readonly marginMode: 'cross' | 'isolated';
      readonly markPrice: string;
    } & WholePosition)
  /** The venue has taken the coin off its list: the whole position was settled at one price, without fee and without an order. */
  | ({ readonly type: 'positionSettled' } & WholePosition)
  /** A margin pool was below its maintenance margin and positions of it were sold or taken over, in the same entry before this. */
  | {
      readonly type: 'liquidated';
      readonly lid: number;
      readonly marginMode: 'cross' | 'isolated';
      /** Of `positions` at mark, USD. */
      readonly notional: string;
      /** Equity of the pool when it was found, USD. */
      readonly accountValue: string;
      /** The positions concerned as they were then. */
      readonly positions: readonly { readonly coin: string; readonly signedSize: string }[];
      /** What the pool owed beyond its equity when the house took it over, USD. */
      readonly houseLossUsd?: string;
      /** USD that the house pays into cross cash: it was negative and no position was left to take over. */
      readonly paidUsd?: string;
    }
  /**
   * A whole position was closed at its mark because the account is closed or reset: no order, no fee. The house takes
   * it over.
   */
  | ({ readonly type: 'positionClosed' } & WholePosition)
  /** Money came (`usd` > 0) or went other than by trading. */
  | {
      readonly type: 'balanceAdjusted';
      readonly usd: string;
      /** From here on the account has had what the plan pro has more than basic. */
      readonly isPlanCredited?: true;
    }
  /**
   * The account is reset. What was open has ended in the same entry before this, and no event before it leaves a row:
   * rows go on at `firstRows`.
   */
  | {
      readonly type: 'accountReset';
      /** Cash from here on. */
      readonly balanceUsd: string;
      /** Cash up to here: it leaves the service. */
      readonly withdrawnUsd: string;
      readonly firstRows: Readonly<Record<HistoryKind, number>>;
      /** This entry for kinds of rows that it has told and that no store keeps: the ends of what was open; 0 for others. */
      readonly lastSeqs?: Readonly<Record<HistoryKind, number>>;
      readonly isPlanCredited?: true;
    }
  /** Rows below `firstRows` were dropped for their age, and the ends of orders in entries before `seq`. */
  | {
      readonly type: 'historyForgotten';
      readonly firstRows: Readonly<Record<HistoryKind, number>>;
      readonly seq: number;
      /** Sequence number of the newest dropped row of each kind; 0 = none. */
      readonly lastSeqs?: Readonly<Record<HistoryKind, number>>;
    }
  /** These terms hold from the next fill on, in place of those before. */
  | ({ readonly type: 'termsSet' } & OwnTerms)
  | { readonly type: 'leverageSet'; readonly asset: number; readonly marginMode: 'cross' | 'isolated'; readonly leverage: number }
  /** USD moved by the user from cross cash into an isolated position (negative: back). */
  | { readonly type: 'isolatedMarginMoved'; readonly asset: number; readonly usd: string }
  /** Funding of one coin and the hours up to `throughMs` was paid. */
  | {
      readonly type: 'fundingSettled';
      readonly asset: number;
      readonly coin: string;
      /** Of the history row: the settlement's time, which may be before the entry's. */
      readonly timeMs: number;
      readonly throughMs: number;
      /** Later hours up to this one are dropped. */
      readonly droppedToMs?: number;
      /** Credited to the account, negative = paid. The part in `bucketUsd` goes to the isolated margin, the rest to cash. */
      readonly usd: string;
      readonly bucketUsd?: string;
      /** Parts of `usd` for hours since the open position was opened, and since its size changed. */
      readonly sinceOpenUsd: string;
      readonly sinceChangeUsd: string;
      /** Averages over the `hours` with a position. Without an hour there is no row. */
      readonly signedSize: string;
      readonly fundingRate: string;
      readonly hours: number;
    }
  /** A job asked for a point of the equity curve: the entry has it. */
  | { readonly type: 'equitySampled' }
  /** Queue positions of resting orders of one coin after a market event. */
  | { readonly type: 'queueMoved'; readonly asset: number; readonly ahead: readonly QueueText[] }
  /**
   * Liquidity taken from one coin and book side at these prices; consumed `'0'` removes the level. `halvings`: half-lives since the last fill
   * for which it has been halved.
   */
  | {
      readonly type: 'consumptionSet';
      readonly asset: number;
      readonly bookSide: 'bid' | 'ask';
      readonly levels: readonly TakenText[];
    };
