// One position as a client sees it: figures at mark, each with the rounding that the venue's answers show
// (trading-rules 4.1, 4.10, 5.2).
import type { MarketView } from '../../market/domain/marketView.ts';
import { type Decimal, halfUp, settle, toWire, USD_DECIMALS } from '../../shared/domain/decimal.ts';
import type { Position } from './account.ts';
import { liquidationPrice } from './liquidationPrice.ts';
import type { PositionView } from './outcome.ts';
import { entryPriceOf } from './position.ts';
import { maintenanceOf, marginTiersOf } from './positionMargin.ts';
import { valuationOf } from './valuation.ts';

/** Decimals of `returnOnEquity`. */
const RETURN_DECIMALS = 10;

/** What stands behind all cross positions together, USD. */
export interface CrossFigures {
  readonly accountValue: Decimal;
  readonly maintenance: Decimal;
}

export function positionView(position: Position, cross: CrossFigures, market: MarketView): PositionView {
  const { asset: assetId, coin, signedSize, entryNotional, leverage, funding } = position;
  const { notional, signedNotional, marginUsed } = valuationOf(position, market);
  const asset = market.asset(assetId);
  const unrealizedPnl = signedNotional.minus(signedSize.isPos() ? entryNotional : entryNotional.neg());
  return {
    asset: assetId,
    coin,
    signedSize: toWire(signedSize),
    entryPrice: toWire(halfUp(entryPriceOf(position), USD_DECIMALS - (asset?.sizeDecimals ?? 0))),
    positionValue: toWire(halfUp(notional, USD_DECIMALS)),
    unrealizedPnl: toWire(halfUp(settle(unrealizedPnl), USD_DECIMALS)),
    returnOnEquity: toWire(halfUp(settle(unrealizedPnl.times(leverage).div(entryNotional)), RETURN_DECIMALS)),
    liquidationPrice: liquidationText(position, cross, market),
    marginUsed: toWire(halfUp(marginUsed, USD_DECIMALS)),
    maxLeverage: asset?.maxLeverage ?? leverage,
    leverage: leverageView(position),
    funding: {
      allTime: toWire(funding.allTime),
      sinceOpen: toWire(funding.sinceOpen),
      sinceChange: toWire(funding.sinceChange),
    },
  };
}

function leverageView({ marginMode, leverage, rawUsd }: Position): PositionView['leverage'] {
  if (marginMode === 'cross') return { type: 'cross', value: leverage };
  return { type: 'isolated', value: leverage, rawUsd: toWire(rawUsd) };
}

function liquidationText(position: Position, cross: CrossFigures, market: MarketView): string | null {
  const { markPrice, marginUsed } = valuationOf(position, market);
  const price = liquidationPrice({
    signedSize: position.signedSize,
    markPrice,
    marginTiers: marginTiersOf(position, market),
    equity: position.marginMode === 'isolated' ? marginUsed : behindCross(position, cross, market),
  });
  return price ? toWire(price) : null;
}

/** Cross account value less the maintenance of all other cross positions. */
function behindCross(position: Position, { accountValue, maintenance }: CrossFigures, market: MarketView): Decimal {
  return accountValue.minus(maintenance).plus(maintenanceOf(position, market));
}
