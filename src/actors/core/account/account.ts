// The state of one account: cash, positions, open orders, settings, and what honest fills need (queue positions,
// taken liquidity). Immutable to callers; built only by folding journal entries.
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { CommandId } from '../messages/entry.ts';
import { type HistoryKind, NO_ROWS, type TripSums } from '../messages/historyRows.ts';
import type { OrderView, TriggerView } from '../messages/order.ts';
import type { OutOfReach, TakenOff } from '../messages/queuePlace.ts';
import type { Following, Fork, Imported, WhatIfQueue } from './copies.ts';
import type { CoinFunding } from './fundingAccrual.ts';
import type { LabState } from './labState.ts';
import type { AddressLimit, DayStart, KeyOrders, LimitsState } from './limits.ts';
import { OpenOrderBook, type OpenOrders } from './openOrderBook.ts';
import { OrderMap } from './orderMap.ts';
import { NOT_SCHEDULED, type ScheduledCancel } from './scheduledCancel.ts';
import type { SubAccount, Transfers } from './subAccounts.ts';
import type { TermsState } from './terms.ts';
import type { Twap } from './twap.ts';

/** An open order that is not on the book: it waits for the mark, as a child for its parent to fill, or has fired and waits for a newer book. */
export interface WaitingOrder extends OrderView {
  readonly trigger: TriggerView;
  readonly waitsFor: 'mark' | 'fill' | 'book';
  /** Of one that waits for a book: when it fired, and why it did not end then. */
  readonly fired?: { readonly timeMs: number; readonly outOfReach: OutOfReach };
}

/** Waiting orders by oid, to those who may only read. */
export type WaitingOrders = ReadonlyMap<number, WaitingOrder> &
  Pick<OrderMap<WaitingOrder>, 'findByCloid' | 'inGroup' | 'overlay'>;

/** One position; none of size 0 exists. */
export interface Position {
  readonly asset: number;
  readonly coin: string;
  /** Coins, long > 0. */
  readonly signedSize: Decimal;
  /** What the position cost when it was opened, USD > 0: entry price times size. Sums of opening fills stay exact. */
  readonly entryNotional: Decimal;
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
  /** Isolated margin: the cash inside the position (`rawI`, negative for a long); 0 for a cross position. */
  readonly rawUsd: Decimal;
  /** Funding paid by the account (positive = paid): ever in this coin, since opened or flipped, since the size changed. */
  readonly funding: { readonly allTime: Decimal; readonly sinceOpen: Decimal; readonly sinceChange: Decimal };
  readonly trip: OpenTrip;
}

export interface LeverageSetting {
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
}

/** What the account has taken from one displayed level (trading-rules 3.2). */
export interface TakenLevel {
  readonly consumed: string;
  /** Upstream time of the coin at the last fill on the level. */
  readonly lastFillFeedTimeMs: number;
  /** Half-lives since then for which it has been halved; absent = none. */
  readonly halvings?: number;
  /** Taken from a bucket of the aggregated book (trading-rules 3.5): from here, this price not in it, to the price of the entry. */
  readonly from?: string;
  /** What books took off it whose trades may not all have come; absent = nothing. */
  readonly takenOff?: TakenOff;
}

/** By price text, per book side. */
export interface TakenLiquidity {
  readonly bid: ReadonlyMap<string, TakenLevel>;
  readonly ask: ReadonlyMap<string, TakenLevel>;
}

export interface Account {
  readonly id: string;
  /** Sequence number of the last entry; 0 = never opened. */
  readonly seq: number;
  /** Time of the last entry. */
  readonly timeMs: number;
  readonly openedAtMs: number;
  /** Cross cash, USD (`rawX`). */
  readonly cash: Decimal;
  readonly positions: ReadonlyMap<number, Position>;
  /** Orders on the book by oid, in order of acceptance. */
  readonly orders: OpenOrders;
  /** Trigger orders that have not fired, or wait for a newer book since, by oid. */
  readonly triggers: WaitingOrders;
  /** Set by the user; without an entry: `defaultLeverage` of the asset. */
  readonly leverage: ReadonlyMap<number, LeverageSetting>;
  readonly consumption: ReadonlyMap<number, TakenLiquidity>;
  readonly scheduledCancel: ScheduledCancel;
  /** Running TWAPs by id, in order of their start. */
  readonly twaps: ReadonlyMap<number, Twap>;
  /** By asset: unpaid funding hours, and the sum ever paid. */
  readonly funding: ReadonlyMap<number, CoinFunding>;
  /** Highest command counter consumed per API incarnation, and when (kept 60 s at least). */
  readonly commandIds: ReadonlyMap<string, { readonly counter: number; readonly timeMs: number }>;
  /** Number of the next history row of each kind. */
  readonly rowCounts: Readonly<Record<HistoryKind, number>>;
  readonly historyStart: HistoryStart;
  /** When the account value was last recorded (its newest equity row); 0 = never. */
  readonly equityNotedMs: number;
  readonly totals: AccountTotals;
  /** Absent while no round trip has ended. */
  readonly tripSums?: TripSums | undefined;
  /** True once the account has had what the plan pro has more than basic. */
  readonly isPlanCredited: boolean;
  /** Absent while there is nothing to remember of a liquidation. */
  readonly liquidation?: LiquidationMemory | undefined;
  /** Absent while nothing was paid for and nothing let through beyond the limit. */
  readonly addressLimit?: AddressLimit | undefined;
  /** Of a master; absent while there are none. */
  readonly subAccounts?: readonly SubAccount[] | undefined;
  /** Absent while there were none. */
  readonly transfers?: Transfers | undefined;
  /** Absent while no key had a failure lab. */
  readonly lab?: LabState | undefined;
  /** Of a sub-account that began as a fork; absent in others, and after a reset. */
  readonly fork?: Fork | undefined;
  /** Absent while no key with a limit of orders has sent one. */
  readonly keyOrders?: KeyOrders | undefined;
  /** Absent while nothing has limited the loss of a day. */
  readonly dayStart?: DayStart | undefined;
  /** Absent while it had no what-if that receives its commands. */
  readonly mirrors?: WhatIfQueue | undefined;
  /** Absent while it never had others than the service's. */
  readonly terms?: TermsState | undefined;
  /** Absent while there are no house rules. */
  readonly house?: LimitsState | undefined;
  /** Of a sub-account that began as an import; absent in others, and after a reset. */
  readonly imported?: Imported | undefined;
  /** Of one that follows the address that it began with; absent while it does not. */
  readonly following?: Following | undefined;
}

/** Where the history begins: older rows were dropped, by a reset or for their age, even if a store still has a copy. */
export interface HistoryStart {
  /** Number of the first row of each kind that is kept; always the first of a bucket document. */
  readonly firstRows: Readonly<Record<HistoryKind, number>>;
  /** Ends of orders in entries before this one were dropped. */
  readonly seq: number;
  /** Of each kind, the entry of the newest row dropped for its age, or told at a reset and never kept; 0 = none. Absent = none of any kind. */
  readonly lastSeqs?: Readonly<Record<HistoryKind, number>>;
}

export interface AccountTotals {
  readonly netDepositsUsd: Decimal;
  readonly volumeUsd: Decimal;
  /** Sums of all fills' exact PnL and fees, and of all funding (received > 0). */
  readonly realizedPnlUsd: Decimal;
  readonly feesUsd: Decimal;
  readonly fundingUsd: Decimal;
  /** Newest last, at most 15 UTC days (`2026-11-21`). */
  readonly dailyVolumes: readonly { readonly day: string; readonly takerUsd: Decimal; readonly makerUsd: Decimal }[];
  readonly requestsUsed: number;
}

/** An account before its first entry. */
export function emptyAccount(id: string): Account {
  return {
    id,
    seq: 0,
    timeMs: 0,
    openedAtMs: 0,
    cash: ZERO,
    positions: new Map(),
    orders: new OpenOrderBook(),
    triggers: new OrderMap(),
    leverage: new Map(),
    consumption: new Map(),
    scheduledCancel: NOT_SCHEDULED,
    twaps: new Map(),
    funding: new Map(),
    commandIds: new Map(),
    rowCounts: NO_ROWS,
    historyStart: { firstRows: NO_ROWS, seq: 0 },
    isPlanCredited: false,
    equityNotedMs: 0,
    totals: {
      netDepositsUsd: ZERO,
      volumeUsd: ZERO,
      realizedPnlUsd: ZERO,
      feesUsd: ZERO,
      fundingUsd: ZERO,
      dailyVolumes: [],
      requestsUsed: 0,
    },
  };
}

/** True when the command was already consumed: its counter is at or below the highest one known of its incarnation. */
export function hasSeen(account: Account, { incarnation, counter }: CommandId): boolean {
  const seen = account.commandIds.get(incarnation);
  return seen !== undefined && counter <= seen.counter;
}

// What an account remembers of its liquidation (trading-rules 5.4): no second order into the same book, and for half
// a minute after a partial one only orders for whole positions.

/** After an order for a part of a position, the next ones are for all of it so long. */
export const COOLDOWN_MS = 30_000;

export interface LiquidationMemory {
  /** Until then orders are for whole positions; 0 = there was no partial one. */
  readonly cooldownUntilMs: number;
  /** Upstream time of the book that the last order of each open position went to: unlike a version it survives a restart. */
  readonly bookTimesMs: ReadonlyMap<number, number>;
}

interface WithMemory {
  /** Absent while there is nothing to remember. */
  readonly liquidation?: LiquidationMemory | undefined;
}

export function isCoolingDown({ liquidation }: WithMemory, nowMs: number): boolean {
  return liquidation !== undefined && nowMs < liquidation.cooldownUntilMs;
}

/** True when an order was sent into this book, or into a newer one. */
export function hasTried({ liquidation }: WithMemory, asset: number, bookTimeMs: number): boolean {
  return bookTimeMs <= (liquidation?.bookTimesMs.get(asset) ?? Number.NEGATIVE_INFINITY);
}

// What a position remembers of its round trip so far (trading-rules 7.3).

/** The open round trip of a position. */
export interface OpenTrip {
  /** 0 in a plan: the time of the entry that is being made. */
  readonly openedAtMs: number;
  /** Entry of its first fill; 0 = it began before the account's own history, in a fork's source or at an imported address. */
  readonly openedSeq: number;
  readonly fills: number;
  /** Largest size held so far, coins. */
  readonly sizeMax: Decimal;
  /** Of all opening fills: coins, and price times size, USD. */
  readonly openedSize: Decimal;
  readonly openedUsd: Decimal;
  /** Exact PnL of what was closed, USD. */
  readonly pnlUsd: Decimal;
  readonly feesUsd: Decimal;
}
