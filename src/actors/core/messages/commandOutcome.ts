// The answers to commands, and to a command's dry run.
import type { AccountStateView, PositionView } from './accountFigures.ts';
import type { ImportReport } from './importReport.ts';
import type { OrderStatus, OrderView } from './order.ts';

// What a command that may change an account is answered. Plain JSON, in the project's own names; the API translates it to the wire.

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

export type CommandOutcome =
  | { readonly type: 'accountOpened' }
  | { readonly type: 'orders'; readonly orders: readonly OrderOutcome[] }
  | { readonly type: 'cancels'; readonly cancels: readonly CancelOutcome[] }
  | { readonly type: 'twapRunning'; readonly twapId: number }
  | { readonly type: 'twapRefused'; readonly text: string }
  | { readonly type: 'done' }
  /** It waits for its latency: the question `delayedAction` tells its outcome from `dueMs` on. */
  | { readonly type: 'delayed'; readonly number: number; readonly dueMs: number }
  | { readonly type: 'subAccountCreated'; readonly number: number }
  /** It has left; the numbers name it to the receiver. */
  | { readonly type: 'transferSent'; readonly number: number; readonly after: number }
  /** What was taken of the address, or would be. */
  | { readonly type: 'imported'; readonly report: ImportReport }
  /** The same import was made before, by this entry. */
  | { readonly type: 'importedBefore'; readonly seq: number }
  /** Only an empty account can begin with something else. */
  | { readonly type: 'notEmpty'; readonly text: string }
  /** Current cash, and the amount deposited (negative: withdrawn), USD. */
  | { readonly type: 'balanceChanged'; readonly balanceUsd: string; readonly changeUsd: string }
  /** The whole action is refused: `{"status":"err","response":text}`, or the only element of an answer (wire-format 4.1). */
  | { readonly type: 'refused'; readonly text: string }
  /** The account does not exist yet; the API opens it and asks again. */
  | { readonly type: 'unknownAccount' };

// What a command would do if it came now, as its dry run is answered.

/** What a command would do if it came now. Numbers are wire text, USD or coins. */
export interface DryRunView {
  readonly timeMs: number;
  /** What it would be answered. */
  readonly outcome: CommandOutcome;
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
