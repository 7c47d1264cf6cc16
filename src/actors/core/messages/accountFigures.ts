// The figures of an account, as questions are answered with them. Numbers are wire text, USD or coins.
import type { StoredForm } from '../../../shared/domain/formats.ts';
import type { FillModel } from './terms.ts';

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

/** Under which terms fills of the account are now. */
export interface TermsView {
  /** Rates as fractions of the notional, and where they come from; the venue's tier and rebate where they are of one. */
  readonly fees: {
    readonly source: 'default' | 'tier' | 'own' | 'volume' | 'what_if';
    readonly maker: string;
    readonly taker: string;
    readonly tier?: number;
    readonly rebate?: number;
  };
  /** Of orders that come to rest now. */
  readonly fillModel: FillModel;
  /** When they last changed; absent = all fills are under them. */
  readonly changedAtMs?: number;
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
  readonly terms: TermsView;
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
  readonly terms: TermsView;
}

/** Funding of a coin in which the account has a position or unpaid hours. */
export interface OwedFundingView {
  readonly coin: string;
  /** Coins; "0" without a position. */
  readonly signedSize: string;
  /** Of unpaid hours whose rate is known, USD; > 0 will be received. */
  readonly usd: string;
}

// An account given away by its owner, so that others answer questions about it (docs/adr/0011-account-views.md).

/**
 * An account given away. It is the account of now for as long as the shard's hash of versions names the answer's `seq` for it, and
 * this token as its owner, and the lease stands and is the owner's (`shardKeys.versions`).
 */
export interface ViewSource {
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
