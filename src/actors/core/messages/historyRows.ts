// History rows: the past of an account after it has left the state. Rows of a kind are numbered from 0 without gaps,
// in journal order; 256 of them share a bucket document. A row is a function of its journal entry alone.
import type { OrderStatus, OrderView, Side, TwapEnd, TwapView } from './order.ts';
import type { FillModel } from './terms.ts';

/**
 * Kinds of history rows; each is kept in bucket documents of its own. Fills of TWAP slices are a kind beside the other
 * fills, because clients ask for the two apart. A snapshot keeps their counts in this order.
 */
export const HISTORY_KINDS = ['fills', 'orders', 'ledger', 'funding', 'twapFills', 'twaps', 'equity', 'roundTrips'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** The rows that a question is about: the oldest `limit` of those within all bounds, or the newest. */
export interface RowsWanted {
  readonly limit: number;
  readonly newestFirst?: true;
  /** Numbers of rows: from this one on, and below that one. */
  readonly from?: number;
  readonly before?: number;
  /** Times, both included. */
  readonly startMs?: number;
  readonly endMs?: number;
  /** Of fills: tids up to this one. */
  readonly maxTid?: number;
}

export const ROWS_PER_BUCKET = 256;

/** `_id` of the bucket document that holds row `rowNumber`. Fixed width, so that ids of one account sort by number. */
export function bucketId(accountId: string, kind: HistoryKind, rowNumber: number): string {
  return `${accountId}:${kind}:${String(Math.floor(rowNumber / ROWS_PER_BUCKET)).padStart(8, '0')}`;
}

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
export const NO_ROWS: Readonly<Record<HistoryKind, number>> = {
  fills: 0,
  orders: 0,
  ledger: 0,
  funding: 0,
  twapFills: 0,
  twaps: 0,
  equity: 0,
  roundTrips: 0,
};
