// One position as a client sees it: figures at mark, each with the rounding that the venue's answers show
// (trading-rules 4.1, 4.10, 5.2).
import type { Asset, MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUp, halfUpQuotient, roundOffDust, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Position } from '../account/account.ts';
import { liquidationPrice } from '../margin/liquidationPrice.ts';
import { shownEntryPrice } from '../margin/position.ts';
import { maintenanceMargin, marginTiersOf, type Valuation, valueAt } from '../margin/positionMargin.ts';
import type { PositionView } from '../messages/answers/accountFigures.ts';

/** Decimals of `returnOnEquity`. */
const RETURN_DECIMALS = 10;

/** A position at its mark, and all that its figures are made of. */
export interface HeldPosition {
  readonly position: Position;
  readonly asset: Asset | undefined;
  readonly valuation: Valuation;
  readonly tiers: readonly MarginTier[];
  /** Maintenance margin, USD. */
  readonly maintenance: Decimal;
}

export function heldAt(position: Position, market: MarketView): HeldPosition {
  const { asset: assetId } = position;
  const valuation = valueAt(position, market.prices(assetId)?.markPrice);
  const asset = market.asset(assetId);
  const tiers = marginTiersOf(position, market);
  return { position, asset, valuation, tiers, maintenance: maintenanceMargin(tiers, valuation.notional) };
}

/** @param equity what covers the position, as for its liquidation price */
export function positionView({ position, asset, valuation, tiers, maintenance }: HeldPosition, equity: Decimal): PositionView {
  const { signedSize, entryNotional, leverage } = position;
  const { markPrice, notional, signedNotional, marginUsed } = valuation;
  const unrealizedPnl = signedNotional.minus(signedSize.isPos() ? entryNotional : entryNotional.neg());
  const price = liquidationPrice({ signedSize, markPrice, equity, marginTiers: tiers });
  const still = stillOf(position, asset);
  return {
    asset: position.asset,
    coin: position.coin,
    signedSize: still.signedSize,
    entryPrice: still.entryPrice,
    markPrice: toWire(markPrice),
    positionValue: toWire(halfUp(notional, USD_DECIMALS)),
    unrealizedPnl: toWire(halfUp(roundOffDust(unrealizedPnl), USD_DECIMALS)),
    returnOnEquity: toWire(halfUpQuotient(unrealizedPnl.times(leverage), entryNotional, RETURN_DECIMALS)),
    liquidationPrice: price ? toWire(price) : null,
    marginUsed: toWire(halfUp(marginUsed, USD_DECIMALS)),
    maintenanceMargin: toWire(maintenance),
    maxLeverage: asset?.maxLeverage ?? leverage,
    leverage: still.leverage,
    funding: still.funding,
  };
}

/** What marks do not move. */
const stillOf = rememberFor(
  (position: Position, asset: Asset | undefined) => {
    const { signedSize, funding } = position;
    return {
      asset,
      signedSize: toWire(signedSize),
      entryPrice: toWire(shownEntryPrice(position, asset?.sizeDecimals ?? 0)),
      leverage: leverageView(position),
      funding: {
        allTime: toWire(funding.allTime),
        sinceOpen: toWire(funding.sinceOpen),
        sinceChange: toWire(funding.sinceChange),
      },
    };
  },
  (last, asset) => last.asset === asset,
);

function leverageView({ marginMode, leverage, rawUsd }: Position): PositionView['leverage'] {
  if (marginMode === 'cross') return { type: 'cross', value: leverage };
  return { type: 'isolated', value: leverage, rawUsd: toWire(rawUsd) };
}
