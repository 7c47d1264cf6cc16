// Facts about an account, in the past tense. A published format: fields and types are added, meanings never change.
// An event carries every number that is needed to apply it, so a replay computes no price and decides nothing.

import type { StoredForm } from '../../../shared/domain/formats.ts';
import type { HouseRule, HouseRules, KeyGuard } from '../../../shared/domain/limits.ts';
import type { DelayableCommand, ForkOrigin, HistoryKind, MirroredCommand } from './command.ts';
import type { CommandOutcome } from './commandOutcome.ts';
import type { EndedTrip, FillEvidence, OrderStatus, OrderView, TwapEnd, TwapView } from './historyRows.ts';
import type { ImportReport, SourceFill } from './importReport.ts';
import type { LabNote } from './labNote.ts';
import type { FillModel, OwnTerms } from './terms.ts';

/** Queue position and acceptance of a resting order. */
export interface RestingState {
  /** Displayed size ahead at its price; `'unknown'` while the price is outside the visible range. */
  readonly ahead: string;
  /** Newest upstream time of the coin when it was accepted: older trades do nothing. */
  readonly acceptedFeedTimeMs: number;
  /** Tick position when it was accepted: older ticks are ignored. */
  readonly acceptedTick: string;
  /** How it fills; absent = `queue`. */
  readonly model?: Exclude<FillModel, 'queue'>;
  /** Of a `probable` one whose queue is known: the size displayed at its price, with trades since taken off it. Never below `ahead`. */
  readonly shown?: string;
  /** What books took off `ahead` whose trades may not all have come; absent = nothing. */
  readonly takenOff?: TakenOff;
}

/** What books took off a queue or off taken liquidity, each with its time, oldest first; `unknown`: the queue had no known size before. */
export type TakenOff = readonly (readonly [bookTimeMs: number, size: string])[];

/** What keeps size inside its limit from an order: the account has taken it before, or it may stand beyond the levels that are shown. */
export type OutOfReach = 'taken' | 'beyond';

/** The further data of a fill of a liquidation order. */
export interface MarketLiquidation {
  readonly method: 'market';
  readonly markPrice: string;
  /** The order was for a part of the position: until then the next ones are for all of it. */
  readonly cooldownUntilMs?: number;
}

/** A whole position that left the account at one price, beside any order. */
interface WholePosition {
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
  /** The house has taken a whole position over at its bankruptcy price; no fee, no order. The money is `usd`, not `price`. */
  | {
      readonly type: 'positionTakenOver';
      readonly oid: number;
      readonly tid: number;
      readonly asset: number;
      readonly coin: string;
      /** Of the account. */
      readonly side: 'buy' | 'sell';
      /** USD per coin, the legal price next to the bankruptcy price; shown only. */
      readonly price: string;
      readonly size: string;
      /** What the margin pool gets for the position, USD, exact; negative for a short. */
      readonly usd: string;
      readonly closedPnl: string;
      /** What closing brought beyond its cost, USD to 40 decimals; absent where `closedPnl` is exact. */
      readonly exactPnl?: string;
      /** The round trip that this ends. */
      readonly trip?: EndedTrip;
      readonly startPosition: string;
      readonly direction: string;
      readonly marginMode: 'cross' | 'isolated';
      readonly markPrice: string;
    }
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
  /** The master has a sub-account more; numbers rise by one. `fork`: with which state it is to begin. */
  | {
      readonly type: 'subAccountCreated';
      readonly number: number;
      readonly name: string;
      readonly fork?: ForkOrigin;
    }
  /**
   * The first event of a fork: it goes on with this state of another account, under its own name. What is due moves by the time
   * between the two, funding hours in between are not its own, figures of profit begin anew, and history, transfers and sub-accounts
   * are not taken over.
   */
  | ({
      readonly type: 'forked';
      /** The snapshot of the other account, as of the entry. */
      readonly state: StoredForm;
      /** Its balance: cash, isolated margins and positions at their cost. Counts as a deposit. */
      readonly usd: string;
      /** The places in the queue that its resting orders have now. */
      readonly resting: readonly (readonly [oid: number, resting: RestingState])[];
    } & ForkOrigin)
  /**
   * An empty sub-account begins with what an address of the venue had: these positions, their leverage, and the balance `usd`, which counts
   * as a deposit. Orders that were taken follow in the same entry. `left` is what was not taken.
   */
  | ({ readonly type: 'imported' } & ImportReport)
  /** From the venue's time on the account follows the address that it began with. `orders`: numbers here and there of open orders. */
  | {
      readonly type: 'followBegun';
      readonly id: string;
      readonly sinceMs: number;
      readonly orders: readonly (readonly [oid: number, sourceOid: number])[];
    }
  | { readonly type: 'followEnded'; readonly id: string }
  /** Another process tells from now on what the address does. */
  | { readonly type: 'followTermBegun'; readonly term: number }
  /** An order of the address rests. Its copy, if there is one, was placed in the same entry before this; `text`: why there is none. */
  | {
      readonly type: 'sourceOrderSeen';
      readonly sourceOid: number;
      /** Coins of it that were filled before. */
      readonly before: string;
      readonly oid?: number;
      readonly text?: string;
    }
  /** It is over there; what was left of its copy ended in the same entry before this. */
  | { readonly type: 'sourceOrderEnded'; readonly sourceOid: number }
  /**
   * A fill of the address. `taken`: the coins of it that are no matter of a copy; an order for them is in the same entry after this. With the
   * best price of the other side of the book here, and the mark, when it came; absent = there was none.
   */
  | ({
      readonly type: 'sourceFilled';
      readonly sourceOid: number;
      readonly taken: string;
      readonly touchPrice?: string;
      readonly markPrice?: string;
    } & Omit<SourceFill, 'oid'>)
  /**
   * An Ioc order for coins of the address's fills before this: what it did is in the same entry before this. `text`: why it did nothing. With a
   * size of 0 its coins are put off until later fills.
   */
  | {
      readonly type: 'sourceTaken';
      readonly sourceOid: number;
      readonly coin: string;
      readonly size: string;
      readonly oid?: number;
      readonly text?: string;
    }
  | { readonly type: 'subAccountRenamed'; readonly number: number; readonly name: string }
  /** USD have left for another account of the user. `after`: number of the transfer to it before this one, 0 = none. */
  | {
      readonly type: 'transferSent';
      readonly to: string;
      readonly number: number;
      readonly after: number;
      readonly usd: string;
    }
  /** What another account has sent is here. */
  | {
      readonly type: 'transferReceived';
      readonly from: string;
      readonly number: number;
      readonly after: number;
      readonly usd: string;
    }
  /** The other account has it. */
  | { readonly type: 'transferSettled'; readonly to: string; readonly number: number }
  /** From the next command on they go to this what-if, too. */
  | { readonly type: 'mirrorAdded'; readonly to: string }
  /** A command for the what-ifs, as it was decided here in the same entry. Numbers rise by one. */
  | { readonly type: 'commandMirrored'; readonly number: number; readonly command: MirroredCommand }
  /** The what-if has had as many commands. */
  | { readonly type: 'mirrorSettled'; readonly to: string; readonly through: number }
  /** It receives no more: too many commands waited for it, or it takes none any more. */
  | { readonly type: 'mirrorEnded'; readonly to: string; readonly why: 'lagging' | 'gone' }
  /** Of a what-if: command `number` of its source; what it did is in the same entry after this. */
  | { readonly type: 'mirrorReceived'; readonly of: string; readonly number: number }
  /** The dead man's switch was set to this time, or removed. */
  | { readonly type: 'cancelScheduled'; readonly dueMs?: number }
  /** The time has come: all open orders end in the same entry, and it counts for the UTC day of the entry. */
  | { readonly type: 'scheduledCancelFired' }
  /** `slices` in all, with the times of trading-rules 2.8; `seed` of their sizes when they are random. */
  | {
      readonly type: 'twapStarted';
      readonly twap: TwapView;
      readonly slices: number;
      readonly seed: number;
      /** It waits for its trigger: `slices` are those that it would have now. */
      readonly isWaiting?: true;
    }
  /** The mark has reached the trigger of one that waited: it runs from now on. `twap` with the time of its start. */
  | { readonly type: 'twapTriggered'; readonly twap: TwapView; readonly slices: number; readonly markPrice: string }
  /** Slice `slice` (from 0) has had its turn, whatever it got; those before it that had none were missed. */
  | { readonly type: 'twapSliced'; readonly twapId: number; readonly slice: number }
  /** `twap` is its final form. */
  | { readonly type: 'twapEnded'; readonly twap: TwapView; readonly end: TwapEnd }
  /** So many requests are paid for; the money is a `balanceAdjusted` before it. */
  | { readonly type: 'requestsReserved'; readonly weight: number }
  /** An action beyond the address limit was let through; the next one is no earlier than this, ms. */
  | { readonly type: 'requestLetThrough'; readonly nextAtMs: number }
  /** An API key with a limit of orders a minute has sent one, in this second since 1970. */
  | { readonly type: 'keyOrderCounted'; readonly keyId: string; readonly second: number }
  /** A UTC day has begun, or is looked at for the first time: account value less deposits then, USD. */
  | { readonly type: 'dayBegun'; readonly startMs: number; readonly resultUsd: string }
  /** House rules hold from now on, in place of those before; null: none. Nothing is broken yet, and the peak is this, USD. */
  | {
      readonly type: 'houseRulesSet';
      readonly rules: HouseRules;
      readonly peakUsd: string;
      /** Hours are looked at from this time on. */
      readonly turnedMs: number;
    }
  | { readonly type: 'houseRulesSet'; readonly rules: null }
  /** These terms hold from the next fill on, in place of those before. */
  | ({ readonly type: 'termsSet' } & OwnTerms)
  /** The account has gained more than ever under its house rules, USD, noted in steps; or its peak goes with money that came or went. */
  | { readonly type: 'housePeakRaised'; readonly peakUsd: string; readonly shareKept?: string }
  /** A house rule was found broken. `found`: what was lost, USD, or the drawdown, percent. What follows is in the same entry after this. */
  | { readonly type: 'houseRuleBroken'; readonly rule: HouseRule; readonly coin?: string; readonly found?: string }
  /** The hours of the house rules have begun or ended. */
  | { readonly type: 'houseHoursTurned'; readonly turnedMs: number }
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
  /** A request of a key with a failure lab met this; what effect it had is in the same entry after this. */
  | { readonly type: 'labDrawn'; readonly note: LabNote }
  /** An action waits for its latency. `oids`: open orders that it names. */
  | {
      readonly type: 'actionDelayed';
      readonly number: number;
      readonly dueMs: number;
      readonly note: LabNote;
      readonly command: DelayableCommand;
      readonly oids: readonly number[];
      /** Limits of its key, as the envelope had them. */
      readonly key?: KeyGuard;
    }
  /** It was decided: what it did is in the same entry before this. */
  | { readonly type: 'delayedActionDecided'; readonly number: number; readonly outcome: CommandOutcome }
  /** All that wait are dropped: the account is closed. */
  | { readonly type: 'delayedActionsDropped' }
  /** Nothing fills the order until then (null = ever), by the script of a failure lab. */
  | { readonly type: 'orderHeld'; readonly oid: number; readonly untilMs: number | null }
  /** The market may fill it from now on. */
  | { readonly type: 'orderLetGo'; readonly oid: number }
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

/** The place of an order after a change. `shown` of a `probable` one. Without `takenOff` there is none any more. */
export type QueueText = readonly [oid: number, ahead: string, shown?: string | null, takenOff?: TakenOff];

/** What is taken at one price after a change. */
export type TakenText = readonly [
  price: string,
  consumed: string,
  lastFillFeedTimeMs: number,
  halvings?: number | null,
  /** Of a bucket of the aggregated book: where it begins; `price` is its end. */
  from?: string | null,
  takenOff?: TakenOff,
];
