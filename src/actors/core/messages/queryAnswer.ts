// The answers to questions about an account, one for each kind of `AccountQuery`.
import type { AccountLimits, LimitName } from '../../../shared/domain/limits.ts';
import type {
  AccountStateView,
  AssetDataView,
  OverviewView,
  OwedFundingView,
  SummaryView,
  ViewSource,
} from './accountFigures.ts';
import type { AccountQuery, ForkOrigin } from './command.ts';
import type { CommandOutcome, DryRunView } from './commandOutcome.ts';
import type { AccountEntry } from './entry.ts';
import type { HistoryKind, NumberedRow, OrderRow } from './historyRows.ts';
import type { FollowingView } from './importReport.ts';
import type { OrderView, TwapView } from './order.ts';
import type { ExplainOpenOrderView, OwnBookView } from './ownMarket.ts';

/** Rows before `from` are in MongoDB. */
interface HeldRows {
  /** Number of the oldest row that the actor has; that of the next row when it has none. */
  readonly from: number;
  /** Time of that row. */
  readonly fromMs?: number;
  /** More rows are wanted than fit into one answer: they are asked for again, beyond those that are given. */
  readonly isCut?: boolean;
}

export type QueryAnswer =
  | { readonly kind: 'accountState'; readonly state: AccountStateView }
  | { readonly kind: 'openOrders'; readonly orders: readonly OrderView[] }
  /** Oldest first. */
  | { readonly kind: 'runningTwaps'; readonly twaps: readonly TwapView[] }
  /** `undefined` when the coin has no price yet. */
  | { readonly kind: 'assetData'; readonly data: AssetDataView | undefined }
  /**
   * From memory: open, or among the rows not yet in MongoDB. `notHere` = ask MongoDB, where rows of `orders` below
   * `firstRow` are gone.
   */
  | { readonly kind: 'orderStatus'; readonly found: OrderRow | 'notHere'; readonly firstRow: number }
  /** `undefined` for an order that is not open. */
  | { readonly kind: 'whyOpen'; readonly why: ExplainOpenOrderView | undefined }
  | { readonly kind: 'ownBook'; readonly own: OwnBookView }
  /** `waiting` while it is not decided; `gone` when its outcome is not kept any more, or it was dropped. */
  | { readonly kind: 'delayedAction'; readonly found: CommandOutcome | 'waiting' | 'gone' }
  /** Undefined while there are none. */
  | { readonly kind: 'houseRules'; readonly house: AccountLimitsView | undefined }
  | { readonly kind: 'owedFunding'; readonly coins: readonly OwedFundingView[]; readonly timeMs: number }
  | { readonly kind: 'dryRun'; readonly dryRun: DryRunView }
  | { readonly kind: 'summary'; readonly summary: SummaryView }
  | { readonly kind: 'overview'; readonly overview: OverviewView }
  /** Oldest first. */
  | { readonly kind: 'subAccounts'; readonly subAccounts: readonly SubAccountView[] }
  | {
      readonly kind: 'groupMember';
      readonly overview: OverviewView;
      readonly transfers: readonly TransfersView[];
      /** Of an account that began as a fork. */
      readonly fork?: ForkView;
      /** Of an account that has what-ifs, or had. */
      readonly mirrors?: WhatIfQueueView;
      /** Of one that began as an import. */
      readonly imported?: ImportedView;
      /** Of one that follows the address that it began with. */
      readonly following?: FollowingView;
    }
  /** `total` is the number of the next row, `first` that of the first one that is kept: a whole number of buckets. */
  | {
      readonly kind: 'history';
      readonly rows: readonly NumberedRow[];
      readonly total: number;
      readonly first: number;
      /** What the actor has of the kind. */
      readonly held: HeldRows;
    }
  /** Rows of entries that are left out are in MongoDB, except those of entries before `firstSeq`, which were dropped. */
  | {
      readonly kind: 'entries';
      /** The oldest of them when there are many. */
      readonly entries: readonly AccountEntry[];
      readonly firstSeq: number;
      /** Rows of each kind dropped for their age are of entries up to these. */
      readonly lastGoneSeqs: Readonly<Record<HistoryKind, number>>;
    }
  /** `undefined` for an account that is not given away: it is too long, or its owner cannot name its state for sure. */
  | { readonly kind: 'accountView'; readonly view: ViewSource | undefined };

export type AnswerOf<K extends AccountQuery['kind']> = Extract<QueryAnswer, { kind: K }>;

/** The answers to commands and to questions. */
export type Outcome =
  | CommandOutcome
  /**
   * `seq` is the account's newest entry: the answer is of the account right after it. `stateHash`, where it was asked for:
   * names the state of the account at that moment.
   */
  | { readonly type: 'answer'; readonly answer: QueryAnswer; readonly seq: number; readonly stateHash?: string };

// What an account tells of itself for answers about all accounts of a user.

interface SubAccountView {
  readonly number: number;
  readonly name: string;
  readonly createdAtMs: number;
  /** Of one that begins as a fork. */
  readonly fork?: ForkOrigin | undefined;
}

/** How a fork began. */
export interface ForkView extends ForkOrigin {
  /** Time of the entry. */
  readonly timeMs: number;
  /** Balance that the fork began with, USD: cash, isolated margins and positions at their cost. No other account has lost it. */
  readonly usd: string;
  /** Of a what-if: how many commands of its source it has had. */
  readonly received?: number | undefined;
}

/** The what-ifs of an account. */
export interface WhatIfQueueView {
  /** Number of the newest command that went to them; 0 = none. */
  readonly last: number;
  readonly to: readonly WhatIfProgress[];
}

export interface WhatIfProgress {
  readonly account: string;
  /** Number of the last command before it began: it counts its own from 1 on. */
  readonly start: number;
  /** Number of the last command that it has had, by the numbers of its source. */
  readonly through: number;
  /** Why it receives no more. */
  readonly ended?: 'lagging' | 'gone' | undefined;
}

/** How an imported account began. */
export interface ImportedView {
  /** Address at the venue. */
  readonly source: string;
  readonly scale: string;
  /** The account's entry that has it, and its time. */
  readonly seq: number;
  readonly timeMs: number;
  /** Balance that it began with, USD. No other account has lost it. */
  readonly usd: string;
}

/** All transfers with one other account, sums of USD over the life of both. */
interface TransfersView {
  /** Id of the other one. */
  readonly account: string;
  readonly sentUsd: string;
  readonly receivedUsd: string;
  /** Sent, and not known to be received. */
  readonly underWay: readonly { readonly number: number; readonly usd: string; readonly sentAtMs: number }[];
}

// The answer to the question for an account's house rules.

/** A rule that was found broken. */
export interface Breach {
  readonly rule: LimitName;
  readonly timeMs: number;
  /** Of `coins`. */
  readonly coin?: string;
  /** What was lost, USD, or how deep the drawdown was, percent. */
  readonly found?: string;
}

export interface AccountLimitsView {
  readonly rules: AccountLimits;
  /** Oldest first. */
  readonly breaches: readonly Breach[];
  /** Since the UTC day began, USD; negative = gained. Where the loss of a day is limited. */
  readonly lostUsd?: string;
  /** How far the account is below its peak, percent. Where that is limited. */
  readonly drawdownPercent?: string;
}
