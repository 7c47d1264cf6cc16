// The answers to commands. Plain JSON, in the project's own names; the API translates them to the wire.
import type { StoredForm } from '../../../shared/domain/formats.ts';
import type { AccountQuery, HistoryKind } from './command.ts';
import type { AccountEntry } from './entry.ts';
import type { NumberedRow, OrderRow, OrderStatus, OrderView, TwapView } from './historyRows.ts';

/** What became of one order of a batch. Texts are the venue's. */
export type OrderOutcome =
  | { readonly type: 'resting'; readonly oid: number; readonly cloid?: string }
  | {
      readonly type: 'filled';
      readonly oid: number;
      readonly cloid?: string;
      readonly totalSize: string;
      readonly averagePrice: string;
    }
  /** A child that waits for its parent, or for the mark. */
  | { readonly type: 'waitingForFill' | 'waitingForTrigger'; readonly oid: number; readonly cloid?: string }
  | { readonly type: 'error'; readonly text: string };

export type CancelOutcome = { readonly type: 'success' } | { readonly type: 'error'; readonly text: string };

export type Outcome =
  | { readonly type: 'accountOpened' }
  | { readonly type: 'orders'; readonly orders: readonly OrderOutcome[] }
  | { readonly type: 'cancels'; readonly cancels: readonly CancelOutcome[] }
  | { readonly type: 'twapRunning'; readonly twapId: number }
  | { readonly type: 'twapRefused'; readonly text: string }
  | { readonly type: 'done' }
  /** Current cash, and the amount deposited (negative: withdrawn), USD. */
  | { readonly type: 'balanceChanged'; readonly balanceUsd: string; readonly changeUsd: string }
  /** The whole action is refused: `{"status":"err","response":text}`, or the only element of an answer (wire-format 4.1). */
  | { readonly type: 'refused'; readonly text: string }
  /** The account does not exist yet; the API opens it and asks again. */
  | { readonly type: 'unknownAccount' }
  /**
   * `seq` is the account's newest entry: the answer is of the account right after it. `stateHash`, where it was asked for:
   * names the state of the account at that moment.
   */
  | { readonly type: 'answer'; readonly answer: QueryAnswer; readonly seq: number; readonly stateHash?: string };

export interface PositionView {
  readonly asset: number;
  readonly coin: string;
  readonly signedSize: string;
  readonly entryPrice: string;
  /** Mark, or the entry price while the coin has none. */
  readonly markPrice: string;
  readonly positionValue: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  /** `null` when no price can liquidate it. */
  readonly liquidationPrice: string | null;
  /** Of an isolated position: its equity. */
  readonly marginUsed: string;
  readonly maintenanceMargin: string;
  readonly maxLeverage: number;
  readonly leverage:
    | { readonly type: 'cross'; readonly value: number }
    | { readonly type: 'isolated'; readonly value: number; readonly rawUsd: string };
  readonly funding: { readonly allTime: string; readonly sinceOpen: string; readonly sinceChange: string };
}

export interface MarginSummary {
  readonly accountValue: string;
  readonly totalNotional: string;
  readonly totalRawUsd: string;
  readonly totalMarginUsed: string;
}

/** The figures of `clearinghouseState`. Every number is wire text (`"0.0"`), formulas in trading-rules section 4. */
export interface AccountStateView {
  readonly marginSummary: MarginSummary;
  readonly crossMarginSummary: MarginSummary;
  readonly crossMaintenanceMarginUsed: string;
  readonly withdrawable: string;
  readonly positions: readonly PositionView[];
  readonly timeMs: number;
}

export interface AssetDataView {
  readonly coin: string;
  readonly leverage: PositionView['leverage'];
  readonly maxTradeSizes: readonly [buy: string, sell: string];
  readonly availableToTrade: readonly [buy: string, sell: string];
  readonly markPrice: string;
}

/** Totals that the small account types are made of. */
export interface SummaryView {
  readonly openedAtMs: number;
  readonly accountValue: string;
  readonly withdrawable: string;
  readonly netDepositsUsd: string;
  /** Traded notional since ever, and by UTC day (newest last, at most 15 days), each split by liquidity. */
  readonly volumeUsd: string;
  readonly dailyVolumes: readonly { readonly day: string; readonly takerUsd: string; readonly makerUsd: string }[];
  /** Orders, cancels and modifies counted as the venue counts them. */
  readonly requestsUsed: number;
  /** Requests that were paid for; absent = none. */
  readonly requestsReserved?: number;
}

/** An account at one moment. Numbers are wire text, USD. */
export interface OverviewView {
  readonly state: AccountStateView;
  /** Account value less unrealized PnL. */
  readonly balance: string;
  readonly unrealizedPnl: string;
  /** Sums over all fills and payments since the account's history began; funding > 0 was received. */
  readonly realizedPnlUsd: string;
  readonly feesUsd: string;
  readonly fundingUsd: string;
  readonly netDepositsUsd: string;
  readonly openOrders: number;
  readonly openedAtMs: number;
}

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
  /** A trigger order whose mark has not come. */
  | 'waitsForMark'
  /** A child whose parent has not filled completely. */
  | 'waitsForParent';

/** An open order and the market it waits in. Numbers are wire text, but for `queue.ahead`, which may be `unknown`. */
export interface ExplainOpenOrderView {
  readonly order: OrderView;
  readonly reason: OpenReason;
  /** Of an order on the book. */
  readonly queue?: {
    readonly ahead: string;
    /** Only newer trades and books can fill it. */
    readonly acceptedFeedTimeMs: number;
    readonly acceptedTick: string;
    /** Opposite size displayed at the limit or better, and what of it the account has taken. Coins. */
    readonly displayedAtLimit: string;
    readonly consumedAtLimit: string;
  };
  /** Of an order beside it: the mark at or beyond which it fires, and the order that must fill first. */
  readonly trigger?: { readonly price: string; readonly firesWhen: 'above' | 'below'; readonly parentOid?: number };
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

/** Funding of a coin in which the account has a position or unpaid hours. */
export interface OwedFundingView {
  readonly coin: string;
  /** Coins; "0" without a position. */
  readonly signedSize: string;
  /** Of unpaid hours whose rate is known, USD; > 0 will be received. */
  readonly usd: string;
}

/** What a command would do if it came now. Numbers are wire text, USD or coins. */
export interface DryRunView {
  readonly timeMs: number;
  /** What it would be answered. */
  readonly outcome: Outcome;
  /** Orders that would be filled at once, in the order of their first fills. */
  readonly executions: readonly ExecutionView[];
  /** Orders that would come to rest on the book, as they would stand there. */
  readonly resting: readonly (Pick<OrderView, 'oid' | 'coin' | 'side' | 'limitPrice' | 'size'> & {
    readonly makerFee: string;
    /** The public queue before it, or `unknown`. */
    readonly ahead: string;
  })[];
  /** Open orders that would end. */
  readonly ends: readonly { readonly oid: number; readonly coin: string; readonly status: OrderStatus }[];
  /** A margin pool would be below its maintenance margin: positions would be sold or taken over. */
  readonly isLiquidated: boolean;
  readonly before: DryRunFigures;
  readonly after: DryRunFigures;
  /** Of the coins that the command names, and of those of which a position would change. */
  readonly coins: readonly DryRunCoin[];
}

/** All fills of one order, which would cross the book. */
export interface ExecutionView extends Pick<OrderView, 'oid' | 'coin' | 'side' | 'size'> {
  readonly averagePrice: string;
  readonly notional: string;
  readonly fee: string;
  readonly closedPnl: string;
  /** From the middle of the book to the average price, hundredths of a percent, > 0 to the order's disadvantage; `null` without a middle. */
  readonly slippageBps: string | null;
  /** What it would take, best first. */
  readonly levels: readonly {
    readonly price: string;
    readonly displayed: string;
    readonly consumed: string;
    readonly size: string;
  }[];
}

/** The account as `clearinghouseState` shows it, without its positions, and what new orders may still use. */
export interface DryRunFigures extends Omit<AccountStateView, 'positions' | 'timeMs' | 'crossMarginSummary'> {
  readonly freeMargin: string;
}

/** A coin with the account's position in it before and after, and the market that was looked at. */
export interface DryRunCoin {
  readonly coin: string;
  /** In force after. */
  readonly leverage: { readonly type: 'cross' | 'isolated'; readonly value: number };
  readonly before: PositionView | undefined;
  readonly after: PositionView | undefined;
  readonly markPrice: string | null;
  readonly markTimeMs: number | null;
  /** Middle of the best bid and ask. */
  readonly midPrice: string | null;
  readonly bookTimeMs: number | null;
  readonly bookVersion: number | null;
  /** How old the data is, in words, when it is too old. */
  readonly staleAge?: string;
}

/** Rows before `from` are in MongoDB. */
export interface HeldRows {
  /** Number of the oldest row that the actor has; that of the next row when it has none. */
  readonly from: number;
  /** Time of that row. */
  readonly fromMs?: number;
  /** More rows are wanted than fit into one answer: they are asked for again, beyond those that are given. */
  readonly isCut?: boolean;
}

/**
 * An account given away. It is the account of now for as long as the shard's hash of versions names the answer's `seq` for it, and
 * this token as its owner, and the lease stands and is the owner's (`shardKeys.versions`).
 */
export interface AccountView {
  /** `<token of the lease>:<random>`: no two recoveries have the same. */
  readonly token: string;
  /** When the account acts by itself, ms: from then on the actor has to be asked. `null` = never. */
  readonly nextDueMs: number | null;
  /** Its snapshot; `readSnapshot` makes it an account. */
  readonly state: StoredForm;
}

/**
 * An account stays in memory at least this long after a view of it was given away, and the view holds no longer than the account
 * is in memory, ms. Who goes on answering from a view asks for it anew after half of it.
 */
export const VIEW_LIFE_MS = 300_000;

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
  | { readonly kind: 'owedFunding'; readonly coins: readonly OwedFundingView[]; readonly timeMs: number }
  | { readonly kind: 'dryRun'; readonly dryRun: DryRunView }
  | { readonly kind: 'summary'; readonly summary: SummaryView }
  | { readonly kind: 'overview'; readonly overview: OverviewView }
  /** `total` is the number of the next row, `first` that of the first one that is kept: a whole number of buckets. */
  | {
      readonly kind: 'history';
      readonly rows: readonly NumberedRow[];
      readonly total: number;
      readonly first: number;
      /** What the actor has of the kind, where the question says what it wants. */
      readonly held?: HeldRows;
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
  | { readonly kind: 'accountView'; readonly view: AccountView | undefined };

export type AnswerOf<K extends AccountQuery['kind']> = Extract<QueryAnswer, { kind: K }>;
