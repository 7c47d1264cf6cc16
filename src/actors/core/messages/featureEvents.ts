// Events of features: copies, sub-accounts, limits, the failure lab, TWAPs, the dead man's switch. They are a part of the union of all events
// (event.ts), and as published as the others.
import type { StoredForm } from '../../../shared/domain/formats.ts';
import type { AccountLimits, KeyGuard, LimitName } from '../../../shared/domain/limits.ts';
import type { CopiedCommand, DelayableCommand, ForkOrigin } from './command.ts';
import type { CommandOutcome } from './commandOutcome.ts';
import type { ImportReport, SourceFill } from './importReport.ts';
import type { LabNote } from './labNote.ts';
import type { TwapEnd, TwapView } from './order.ts';
import type { RestingState } from './queuePlace.ts';

export type FeatureEvent =
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
  | { readonly type: 'commandMirrored'; readonly number: number; readonly command: CopiedCommand }
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
      readonly rules: AccountLimits;
      readonly peakUsd: string;
      /** Hours are looked at from this time on. */
      readonly turnedMs: number;
    }
  | { readonly type: 'houseRulesSet'; readonly rules: null }
  /** The account has gained more than ever under its house rules, USD, noted in steps; or its peak goes with money that came or went. */
  | { readonly type: 'housePeakRaised'; readonly peakUsd: string; readonly shareKept?: string }
  /** A house rule was found broken. `found`: what was lost, USD, or the drawdown, percent. What follows is in the same entry after this. */
  | { readonly type: 'houseRuleBroken'; readonly rule: LimitName; readonly coin?: string; readonly found?: string }
  /** The hours of the house rules have begun or ended. */
  | { readonly type: 'houseHoursTurned'; readonly turnedMs: number }
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
  | { readonly type: 'orderLetGo'; readonly oid: number };
