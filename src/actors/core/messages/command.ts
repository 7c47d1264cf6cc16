// The commands to an account. They are plain JSON: the API writes them into the account's stream, and the actor reads
// the same definitions. Numbers are the client's decimal text; the API checks that they can be read, and the rules
// check everything else.
import type { Format, StoredForm } from '../../../shared/domain/formats.ts';
import type { AccountLimits } from '../../../shared/domain/limits.ts';
import type { Plan } from '../../../shared/domain/plan.ts';
import type { HistoryKind, RowsWanted } from './historyRows.ts';
import type { ImportSource, LeftOut, SourceFill, SourceOpening, SourceOrder, SourcePosition } from './importReport.ts';
import type { LabNote } from './labNote.ts';
import type { Grouping, OrderRequest, OrderTarget, Side, TwapTrigger } from './order.ts';
import type { OwnTerms, Terms } from './terms.ts';

/** An entry of an account, and the state that it led to. */
export interface ForkOrigin {
  /** Id of the account that is forked. */
  readonly of: string;
  /** Number of its entry. */
  readonly seq: number;
  /** `stateHashOf` its state as of the entry. */
  readonly hash: string;
  /** Under which it goes on as a what-if; absent = it is none. */
  readonly terms?: Terms | undefined;
}

type Act =
  | {
      readonly type: 'placeOrders';
      readonly orders: readonly OrderRequest[];
      readonly grouping: Grouping;
    }
  | {
      readonly type: 'cancelOrders';
      /** Without an asset, as what-ifs of mirrored accounts get them: of whichever coin. */
      readonly cancels: readonly { readonly asset?: number; readonly target: OrderTarget }[];
      /** Refused for orders that wait for their trigger. */
      readonly isFast?: boolean;
    }
  | {
      readonly type: 'modifyOrders';
      readonly modifies: readonly { readonly target: OrderTarget; readonly order: OrderRequest }[];
      /** Places the new order even when there is none to replace. */
      readonly alwaysPlace?: boolean;
    }
  | {
      readonly type: 'updateLeverage';
      readonly asset: number;
      readonly marginMode: 'cross' | 'isolated';
      readonly leverage: number;
    }
  /** Moves USD from cross cash into an isolated position, or back when negative. Whole micro-USD. */
  | {
      readonly type: 'updateIsolatedMargin';
      readonly asset: number;
      readonly usd: string;
    }
  /** Moves what is missing for this leverage from cross cash into an isolated position. */
  | {
      readonly type: 'topUpIsolatedMargin';
      readonly asset: number;
      /** Notional by margin, not necessarily whole. */
      readonly leverage: string;
    }
  /** Pays for requests beyond the address limit. */
  | { readonly type: 'reserveRequests'; readonly weight: number }
  /** The dead man's switch, ms since the epoch; without a time it is removed. */
  | { readonly type: 'scheduleCancel'; readonly dueMs?: number }
  | {
      readonly type: 'startTwap';
      readonly asset: number;
      readonly side: Side;
      readonly size: string;
      readonly minutes: number;
      readonly reduceOnly: boolean;
      readonly randomize: boolean;
      /** The mark that starts it, and the price of the mark that ends it; absent = at once, and none. */
      readonly trigger?: TwapTrigger;
      readonly stopPrice?: string;
      /** The id that it is to have: that of the account which it is mirrored from. */
      readonly twapId?: number;
    }
  | { readonly type: 'cancelTwap'; readonly asset: number; readonly twapId: number }
  /** Deposits the difference to the current balance of its plan into an account of less than 100 USD. */
  | ({ readonly type: 'topUp' } & PlanStart)
  /** Begins again with the current balance of the plan: nothing of before is left. */
  | ({ readonly type: 'resetAccount' } & PlanStart)
  /** Makes cash exactly this many USD; refused while anything is open. */
  | { readonly type: 'setBalance'; readonly balanceUsd: string }
  /** What the plan pro has more than basic, USD: deposited the first time that the account becomes pro, once ever. */
  | { readonly type: 'creditPlan'; readonly usd: string }
  /**
   * Makes a sub-account of this account, its master. `limit`: how many the plan allows. With `fork` it is to begin with that state; the
   * same name and fork once more is answered by the sub-account that there is.
   */
  | {
      readonly type: 'createSubAccount';
      readonly name: string;
      readonly limit: number;
      readonly fork?: ForkOrigin;
    }
  /** Begins a sub-account that was made for it with the state of another account. Repeating it changes nothing. */
  | ({ readonly type: 'beginFork'; readonly state: StoredForm } & ForkOrigin)
  /** Begins an empty sub-account with what an address of the venue has. The same address and scale once more change nothing. */
  | ({
      readonly type: 'importAccount';
      readonly positions: readonly SourcePosition[];
      /** Oldest first. */
      readonly orders: readonly SourceOrder[];
      /** What the sender has left out already. */
      readonly left: readonly LeftOut[];
      /** It is decided and not done. */
      readonly isDryRun?: true;
    } & ImportSource)
  /** An account that began with this address follows it from the venue's time on. `orders`: numbers here and there. The same id changes nothing. */
  | {
      readonly type: 'followAddress';
      readonly id: string;
      readonly source: string;
      readonly sinceMs: number;
      readonly orders: readonly (readonly [oid: number, sourceOid: number])[];
    }
  /** What the address did. What was told before has no effect a second time. `term`: one below the highest that was heard is refused. */
  | {
      readonly type: 'followSource';
      readonly id: string;
      readonly term: number;
      readonly fills: readonly SourceFill[];
      /** The venue's numbers of orders that are over. */
      readonly ended: readonly number[];
      readonly opened: readonly SourceOpening[];
      /** Numbers of all that are open there, children too: those that are not among them are over. */
      readonly open?: readonly number[];
    }
  | { readonly type: 'unfollowAddress'; readonly id: string }
  | { readonly type: 'renameSubAccount'; readonly number: number; readonly name: string }
  /** Lets USD go to another account of the user. Whole micro-USD. */
  | { readonly type: 'sendTransfer'; readonly to: string; readonly usd: string }
  /** Takes what another account has sent, once, however often it comes. The other one's `transferSent` has the numbers. */
  | {
      readonly type: 'receiveTransfer';
      readonly from: string;
      readonly number: number;
      readonly after: number;
      readonly usd: string;
    }
  /** The other account has received it. */
  | { readonly type: 'settleTransfer'; readonly to: string; readonly number: number }
  /** From here on the account's commands go to a what-if of it, too. Repeating it changes nothing. */
  | { readonly type: 'addMirror'; readonly to: string }
  /** Command `number` of those that the account `of` mirrors to this what-if, from 1 on. Each has its effect once, and in order. */
  | {
      readonly type: 'mirrored';
      readonly of: string;
      readonly number: number;
      readonly command: CopiedCommand;
    }
  /** The what-if has had the commands up to this one; with `ended` it takes no more. */
  | {
      readonly type: 'settleMirror';
      readonly to: string;
      readonly through: number;
      readonly ended?: true;
    }
  /** House rules in place of those that there are; null: none. */
  | { readonly type: 'setHouseRules'; readonly rules: AccountLimits | null }
  /** Terms in place of those that there are. */
  | { readonly type: 'setTerms'; readonly terms: OwnTerms }
  /** Ends and closes all that is open. Cash and history stay. */
  | { readonly type: 'closeAccount' }
  /** Drops history rows below these numbers, each the first of a bucket document. */
  | {
      readonly type: 'forgetHistory';
      /** Every dropped row is older, ms: something open that was opened before it refuses the command. */
      readonly beforeMs: number;
      readonly firstRows: Readonly<Record<HistoryKind, number>>;
      /** Rows of each kind that go are of entries up to these. Absent in commands from before it was asked for. */
      readonly lastSeqs?: Readonly<Record<HistoryKind, number>>;
      /** Ends of orders in entries before this one go too. */
      readonly seq: number;
    };

/** The commands that actions become. Each may carry the client's deadline. */
export type OwnersCommand = Act & { readonly expiresAfterMs?: number };

/** What changes an account: sent by its owner, by a job or an operator. */
type ChangeCommand =
  | OwnersCommand
  /** Makes the account with its first deposit. Repeating it changes nothing. */
  | { readonly type: 'openAccount'; readonly depositUsd: string };

export type AccountCommand =
  | ChangeCommand
  /** The same under the failure lab of the key that it came with. */
  | { readonly type: 'inLab'; readonly note: LabNote; readonly command: OwnersCommand }
  /** A request met a fault of the lab before it had any effect: the account writes the draw down. */
  | { readonly type: 'noteLab'; readonly note: LabNote }
  /** `stateHash`: the answer is to name the state that it is of, too. */
  | { readonly type: 'query'; readonly query: AccountQuery; readonly stateHash?: true };

/** What may wait in the account for its latency. */
export type DelayableCommand = Extract<ChangeCommand, { type: 'placeOrders' | 'modifyOrders' | 'cancelOrders' }>;

/** What a what-if receives of the account that it was forked from. */
export type CopiedCommand = Extract<
  ChangeCommand,
  {
    type:
      | 'placeOrders'
      | 'cancelOrders'
      | 'modifyOrders'
      | 'updateLeverage'
      | 'updateIsolatedMargin'
      | 'topUpIsolatedMargin'
      | 'scheduleCancel'
      | 'startTwap'
      | 'cancelTwap';
  }
>;

/** The plan of this moment and its balance, USD. */
interface PlanStart {
  readonly plan: Plan;
  readonly balanceUsd: string;
}

/** What a question may try out: the actions on orders, leverage and margin. */
export type TriedCommand = Extract<
  AccountCommand,
  { type: 'placeOrders' | 'cancelOrders' | 'modifyOrders' | 'updateLeverage' | 'updateIsolatedMargin' | 'topUpIsolatedMargin' }
>;

/** Questions about live state. They go through the same mailbox, change nothing and leave no journal entry. */
export type AccountQuery =
  | { readonly kind: 'accountState' }
  | { readonly kind: 'openOrders' }
  | { readonly kind: 'runningTwaps' }
  | { readonly kind: 'assetData'; readonly asset: number }
  | { readonly kind: 'orderStatus'; readonly target: OrderTarget }
  | { readonly kind: 'whyOpen'; readonly target: OrderTarget }
  /** The book of a coin as the account finds it. */
  | { readonly kind: 'ownBook'; readonly asset: number }
  /** What became of an action that had to wait for its latency. */
  | { readonly kind: 'delayedAction'; readonly number: number }
  /** House rules, and what is broken of them. */
  | { readonly kind: 'houseRules' }
  /** Funding that is neither paid nor forgotten. */
  | { readonly kind: 'owedFunding' }
  /** What the command would do if it came now. */
  | { readonly kind: 'dryRun'; readonly command: TriedCommand }
  | { readonly kind: 'summary' }
  /** All that a dashboard shows at once. */
  | { readonly kind: 'overview' }
  /** Of a master. */
  | { readonly kind: 'subAccounts' }
  /** The same as `overview`, and the account's transfers with others: its part of an answer about all accounts of a user. */
  | { readonly kind: 'groupMember' }
  /** Rows that MongoDB may not have yet, and how many rows there are in all. */
  | { readonly kind: 'history'; readonly rows: HistoryKind; readonly want: RowsWanted }
  /** Journal entries after this sequence number, oldest first, as far as the journal still has them. */
  | { readonly kind: 'entries'; readonly afterSeq: number }
  /**
   * The whole account, for an API node that answers questions about it by itself (ADR 11). `follows`: the node is to be told what
   * happens to the account then, as far as its owner does that (ADR 14).
   */
  | { readonly kind: 'accountView'; readonly follows?: true };

// Which generation of forms brought each command and question. An API node sends none that an older pod of the same
// deployment would not know: the deployment's record says so, for it is raised when every pod does.

/** Those that generation 1 does not have. `test/formats` names one that is missing here. */
const NEWER: { readonly [Name in Exclude<AccountCommand['type'], 'query'> | AccountQuery['kind']]?: Format } = {};

/** The generation that a deployment has to be at before the command may be sent. */
export const generationOf = (command: AccountCommand): Format =>
  NEWER[command.type === 'query' ? command.query.kind : command.type] ?? 1;
