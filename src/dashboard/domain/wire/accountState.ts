// `clearinghouseState` in full words. Every figure stays the server's text.
import { sumOf } from '../market/exactSums.ts';

/** What the server sends, as far as the page reads it. */
export interface WireAccountState {
  readonly marginSummary: { readonly accountValue: string; readonly totalMarginUsed: string };
  readonly crossMarginSummary: { readonly accountValue: string };
  readonly crossMaintenanceMarginUsed: string;
  readonly withdrawable: string;
  readonly assetPositions: readonly { readonly position: WirePosition }[];
  /** ms since the epoch */
  readonly time: number;
}

interface WirePosition {
  readonly coin: string;
  readonly szi: string;
  readonly leverage: { readonly type: 'cross' | 'isolated'; readonly value: number };
  readonly entryPx: string;
  readonly positionValue: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  readonly liquidationPx: string | null;
  readonly marginUsed: string;
  readonly cumFunding: { readonly sinceOpen: string };
}

/** USD, decimal text. */
export interface AccountFigures {
  readonly accountValue: string;
  readonly marginUsed: string;
  readonly withdrawable: string;
  /** Sum over the positions. A computed number, as text. */
  readonly unrealizedPnl: string;
  /** Maintenance margin by the equity of the cross account; undefined without equity. A computed number. */
  readonly marginRatio: number | undefined;
}

export interface OpenPosition {
  readonly coin: string;
  readonly side: 'long' | 'short';
  /** Coins, unsigned. */
  readonly size: string;
  readonly entryPrice: string;
  readonly notional: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  readonly leverage: number;
  readonly marginMode: 'cross' | 'isolated';
  readonly marginUsed: string;
  readonly liquidationPrice: string | null;
  /** Paid since the position was opened, USD; < 0 = received. */
  readonly fundingPaid: string;
}

export function readAccountState(state: WireAccountState): AccountFigures & { readonly positions: readonly OpenPosition[] } {
  const { marginSummary, crossMarginSummary, crossMaintenanceMarginUsed, withdrawable, assetPositions } = state;
  const equity = Number(crossMarginSummary.accountValue);
  return {
    accountValue: marginSummary.accountValue,
    marginUsed: marginSummary.totalMarginUsed,
    withdrawable,
    unrealizedPnl: sumOf(assetPositions.map(({ position }) => position.unrealizedPnl)),
    marginRatio: equity > 0 ? Number(crossMaintenanceMarginUsed) / equity : undefined,
    positions: assetPositions.map(({ position }) => readPosition(position)),
  };
}

const readPosition = (position: WirePosition): OpenPosition => ({
  coin: position.coin,
  side: position.szi.startsWith('-') ? 'short' : 'long',
  size: position.szi.replace(/^-/, ''),
  entryPrice: position.entryPx,
  notional: position.positionValue,
  unrealizedPnl: position.unrealizedPnl,
  returnOnEquity: position.returnOnEquity,
  leverage: position.leverage.value,
  marginMode: position.leverage.type,
  marginUsed: position.marginUsed,
  liquidationPrice: position.liquidationPx,
  fundingPaid: position.cumFunding.sinceOpen,
});
