// History rows: the past of an account after it has left the state. Rows of a kind are numbered from 0 without gaps,
// in journal order; 256 of them share a bucket document. A row is a function of its journal entry alone.
import type { HistoryKind, Side, TwapTrigger } from './command.ts';
import type { OrderNote } from './labNote.ts';
import type { FillModel } from './terms.ts';

export const ROWS_PER_BUCKET = 256;

/** `_id` of the bucket document that holds row `rowNumber`. Fixed width, so that ids of one account sort by number. */
export function bucketId(accountId: string, kind: HistoryKind, rowNumber: number): string {
  return `${accountId}:${kind}:${String(Math.floor(rowNumber / ROWS_PER_BUCKET)).padStart(8, '0')}`;
}

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

/** One status change of an order. An order that never rests has a single row, its end. */
export interface OrderRow {
  readonly order: OrderView;
  readonly status: OrderStatus;
  readonly timeMs: number;
  /** Of `reduceOnlyCanceled`: the newer reduce-only order that needed what it had of the position. */
  readonly gaveWayTo?: number;
  /** Of `triggered`: the order had fired before, and its size was cut. */
  readonly isCut?: true;
  /** Orders that wait for this one to fill; only in answers about an open order, never stored. */
  readonly children?: readonly OrderView[];
}

/** Why a fill could happen: what the market showed. `explainFill` is answered from it. */
export interface FillEvidence {
  /** Upstream time and version of the book that a taker walked, or that crossed a resting order. */
  readonly bookTimeMs?: number;
  readonly bookVersion?: number;
  /** Middle of that book's best bid and ask when a taker walked it; absent while a side is empty. */
  readonly midPrice?: string;
  /** Displayed size of the level and what the account had taken of it before; sums when there are several levels. */
  readonly displayed?: string;
  readonly consumed?: string;
  /** Of a taker's fill beyond the displayed levels: where its bucket of the aggregated book begins, and the upstream time of that book. */
  readonly deepFrom?: string;
  readonly deepTimeMs?: number;
  /** Levels of a book that crossed a resting order, best first: displayed, taken before, and taken by this fill. */
  readonly levels?: readonly (readonly [price: string, displayed: string, consumed: string, taken: string])[];
  /** The public trade that filled a resting order. */
  readonly tradeTid?: number;
  readonly tradePrice?: string;
  readonly tradeSize?: string;
  readonly tradeTimeMs?: number;
  /** What of the trade was left for this order, after own orders before it and the queue. */
  readonly tradeLeft?: string;
  /** Tick position of the trade. */
  readonly tick?: string;
  /** The queue ahead of a resting order before the trade or book. */
  readonly queueAhead?: string;
  /** How the resting order fills; absent = `queue`. */
  readonly model?: Exclude<FillModel, 'queue'>;
  /** Of an order that its trigger has fired: the trigger, and the mark that fired it when that is what made the fill. */
  readonly triggerPrice?: string;
  readonly markPrice?: string;
}

/** `direction` of the fill of a position in a coin that the venue has taken off its list. */
export const SETTLEMENT = 'Settlement';

export interface FillRow {
  readonly tid: number;
  readonly oid: number;
  readonly cloid?: string;
  readonly coin: string;
  readonly side: Side;
  readonly price: string;
  readonly size: string;
  readonly timeMs: number;
  /** Signed position before this fill. */
  readonly startPosition: string;
  /** `Open Long`, `Close Short`, `Long > Short`, … */
  readonly direction: string;
  readonly closedPnl: string;
  /** What closing brought beyond its cost, USD to 40 decimals: what is summed. Absent where `closedPnl`, which is shown, is exact. */
  readonly exactPnl?: string;
  readonly fee: string;
  readonly liquidity: 'maker' | 'taker';
  readonly evidence?: FillEvidence;
  /** The TWAP whose slice got it. */
  readonly twapId?: number;
  /** Of a liquidation: by an order to the book, or taken over by the house for exactly `usd`, whatever the price shows. */
  readonly liquidation?: { readonly method: 'market' | 'backstop'; readonly markPrice: string; readonly usd?: string };
}

/** A position from flat to flat, as the fill that ends it carries it. Decimal text; USD exact, `fundingUsd` > 0 was received. */
export interface EndedTrip {
  readonly openedAtMs: number;
  /** Entry of its first fill; 0 = it began before the account's own history, in a fork's source or at an imported address. */
  readonly openedSeq: number;
  readonly fills: number;
  readonly direction: 'long' | 'short';
  /** Largest size held, coins. */
  readonly sizeMax: string;
  /** Of all opening fills: coins, and price times size, USD. */
  readonly openedSize: string;
  readonly openedUsd: string;
  /** Exact PnL of closing, without fees and funding. */
  readonly pnlUsd: string;
  /** Of a fill that flips, the part for the coins that close. */
  readonly feesUsd: string;
  /** Paid while it was open. */
  readonly fundingUsd: string;
  /** Of this round trip and all before it: those of a range are the difference of two rows. */
  readonly sums: TripSums;
}

/** Sums over all round trips of the account that have ended; a direction without one is absent. */
export interface TripSums {
  readonly long?: DirectionSums;
  readonly short?: DirectionSums;
}

/** Decimal text, USD exact. A result is net of fees and funding; one of exactly 0 is neither won nor lost. */
export interface DirectionSums {
  readonly trips: number;
  readonly wins: number;
  readonly losses: number;
  readonly wonUsd: string;
  /** Negative. */
  readonly lostUsd: string;
  readonly feesUsd: string;
  readonly fundingUsd: string;
  /** From the first fill to the last. */
  readonly heldMs: number;
}

/** A round trip, with the fill that ended it. */
export interface RoundTripRow extends EndedTrip {
  readonly timeMs: number;
  readonly coin: string;
  readonly tid: number;
  /** `direction` of that fill: `Close Long`, `Long > Short`, `Liquidated Cross Long`, `Settlement`, … */
  readonly endedBy: string;
}

/** Money that came or went other than by trading and funding, and the notes of liquidations. */
export type LedgerRow = TransferRow | SubAccountTransferRow | LiquidationRow;

/** `usd` is signed: a deposit is positive. */
export interface TransferRow {
  readonly timeMs: number;
  readonly kind: 'deposit' | 'withdraw';
  readonly usd: string;
}

/** A transfer from (`usd` > 0) or to another account of the user, which has a row with the same number. */
export interface SubAccountTransferRow {
  readonly timeMs: number;
  readonly kind: 'transfer';
  readonly usd: string;
  /** Id of the other account. */
  readonly with: string;
  readonly number: number;
}

/** A liquidation: the pool's equity, USD, and its positions before it. */
export interface LiquidationRow {
  readonly timeMs: number;
  readonly kind: 'liquidation';
  readonly lid: number;
  readonly marginMode: 'cross' | 'isolated';
  readonly notional: string;
  readonly accountValue: string;
  readonly positions: readonly { readonly coin: string; readonly signedSize: string }[];
  /** What the house paid beside the take-overs, USD. */
  readonly paidUsd?: string;
}

/** One funding payment. `usd` > 0 was received. */
export interface FundingRow {
  readonly timeMs: number;
  readonly coin: string;
  readonly usd: string;
  readonly signedSize: string;
  readonly fundingRate: string;
  readonly hours: number;
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

/** A change of a TWAP's status: each has two rows in the end, and one more if it waited for its trigger. */
export interface TwapRow {
  readonly timeMs: number;
  readonly twap: TwapView;
  readonly change: TwapEnd | { readonly status: 'activated' | 'waitingForTrigger' };
}

/** Decimal text, USD, half up after 6 decimals. */
export interface EquityNote {
  /** Cash, isolated margins and positions at the marks of the moment. */
  readonly accountValue: string;
  /** The same with every position at its entry price: account value less unrealized PnL. */
  readonly balance: string;
  /** All deposits less all withdrawals so far. */
  readonly netDepositsUsd: string;
  readonly openPositions: number;
}

/** The account value after a fill, a payment or a deposit, or when a sample was taken. */
export interface EquityRow extends EquityNote {
  readonly timeMs: number;
}

export interface HistoryRows {
  fills: FillRow;
  orders: OrderRow;
  ledger: LedgerRow;
  funding: FundingRow;
  /** Fills of TWAP slices, each with its `twapId`. */
  twapFills: FillRow;
  twaps: TwapRow;
  equity: EquityRow;
  roundTrips: RoundTripRow;
}

/** Kinds of rows that tell what a reset has ended: its entry has such rows, which are told and not kept. */
export const ENDED_BY_RESET = ['orders', 'twaps'] as const satisfies readonly HistoryKind[];

/** A row with its place: kind and number within the account. */
export type NumberedRow = {
  [K in HistoryKind]: { readonly kind: K; readonly number: number; readonly row: HistoryRows[K] };
}[HistoryKind];

/** Counts of an account without a past. */
export function noRows(): Record<HistoryKind, number> {
  return { fills: 0, orders: 0, ledger: 0, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 };
}
