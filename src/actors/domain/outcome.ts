// What a command's sender is told. Plain JSON, in the project's own names; the API translates it to the wire.
import type { AccountQuery } from './command.ts';
import type { NumberedRow, OrderRow, OrderView, TwapView } from './history.ts';

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
  | { readonly type: 'error'; readonly text: string };

export type CancelOutcome = { readonly type: 'success' } | { readonly type: 'error'; readonly text: string };

export type Outcome =
  | { readonly type: 'accountOpened' }
  | { readonly type: 'orders'; readonly orders: readonly OrderOutcome[] }
  | { readonly type: 'cancels'; readonly cancels: readonly CancelOutcome[] }
  | { readonly type: 'twapRunning'; readonly twapId: number }
  | { readonly type: 'twapRefused'; readonly text: string }
  | { readonly type: 'done' }
  /** The whole action is refused: `{"status":"err","response":text}`. */
  | { readonly type: 'refused'; readonly text: string }
  /** The account does not exist yet; the API opens it and asks again. */
  | { readonly type: 'unknownAccount' }
  | { readonly type: 'answer'; readonly answer: QueryAnswer };

export interface PositionView {
  readonly asset: number;
  readonly coin: string;
  readonly signedSize: string;
  readonly entryPrice: string;
  readonly positionValue: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  /** `null` when no price can liquidate it. */
  readonly liquidationPrice: string | null;
  readonly marginUsed: string;
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
}

export type QueryAnswer =
  | { readonly kind: 'accountState'; readonly state: AccountStateView }
  | { readonly kind: 'openOrders'; readonly orders: readonly OrderView[] }
  /** Oldest first. */
  | { readonly kind: 'runningTwaps'; readonly twaps: readonly TwapView[] }
  /** `undefined` when the coin has no price yet. */
  | { readonly kind: 'assetData'; readonly data: AssetDataView | undefined }
  /** From memory: open, or among the rows not yet in MongoDB. `notHere` = ask MongoDB. */
  | { readonly kind: 'orderStatus'; readonly found: OrderRow | 'notHere' }
  | { readonly kind: 'summary'; readonly summary: SummaryView }
  | { readonly kind: 'history'; readonly rows: readonly NumberedRow[]; readonly total: number };

export type AnswerOf<K extends AccountQuery['kind']> = Extract<QueryAnswer, { kind: K }>;
