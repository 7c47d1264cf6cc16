// What an account could trade of one coin right now (`activeAssetData`, trading-rules 4.8). A guide for clients: an
// accepted order also pays the fee.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, cutQuotient, Decimal, quotient, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import { freeMargin, type MarginState } from '../margin/margin.ts';
import { isSameSide } from '../margin/position.ts';
import { leverageOf } from '../margin/positionMargin.ts';
import type { AssetDataView } from '../messages/accountFigures.ts';
import type { Side } from '../messages/order.ts';
import { leverageView } from './accountState.ts';

/** `undefined` when the coin is unknown or has no mark. */
export function assetData(account: MarginState, assetId: number, market: MarketView): AssetDataView | undefined {
  const asset = market.asset(assetId);
  const markPrice = market.prices(assetId)?.markPrice;
  if (!asset || !markPrice) return undefined;

  const setting = leverageOf(account, asset);
  const position = account.positions.get(assetId);
  const free = Decimal.max(ZERO, freeMargin(account, market));
  const trade = { asset, leverage: setting.leverage, markPrice, position, free };
  return {
    coin: asset.coin,
    leverage: leverageView({ ...setting, rawUsd: position?.rawUsd ?? ZERO }),
    maxTradeSizes: [maxTradeSize(trade, 'buy'), maxTradeSize(trade, 'sell')],
    availableToTrade: [availableToTrade(trade, 'buy'), availableToTrade(trade, 'sell')],
    markPrice: toWire(markPrice),
  };
}

interface Trade {
  readonly asset: Asset;
  readonly leverage: number;
  readonly markPrice: Decimal;
  readonly position: Position | undefined;
  /** USD, not negative. */
  readonly free: Decimal;
}

/** Coins, the part bought with margin cut to the lot. */
function maxTradeSize(trade: Trade, side: Side): string {
  const { free, leverage, markPrice, asset } = trade;
  const opening = cutQuotient(free.times(leverage), markPrice, asset.sizeDecimals);
  return toWire(opening.plus(turnable(trade, side)));
}

/** USD of margin: free margin, and on the side against the position what closing and turning it gives. */
function availableToTrade(trade: Trade, side: Side): string {
  const { free, leverage, markPrice } = trade;
  return toWire(cut6(free.plus(quotient(turnable(trade, side).times(markPrice), leverage))));
}

/** Coins against a position: its size to close it and as much again to stand on the other side. */
function turnable({ position }: Trade, side: Side): Decimal {
  return position && !isSameSide(position, side) ? position.signedSize.abs().times(2) : ZERO;
}
