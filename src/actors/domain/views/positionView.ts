// One position as a client sees it: figures at mark, each with the rounding that the venue's answers show
// (trading-rules 4.1, 4.10, 5.2).
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUp, roundOffResidue, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Position } from '../account/account.ts';
import { liquidationPrice } from '../margin/liquidationPrice.ts';
import { entryPriceOf } from '../margin/position.ts';
import { maintenanceOf, marginTiersOf, type Valuation, valuationOf } from '../margin/positionMargin.ts';
import type { PositionView } from '../messages/outcome.ts';

/** Decimals of `returnOnEquity`. */
const RETURN_DECIMALS = 10;

/** What stands behind all cross positions together, USD. */
export interface CrossFigures {
  readonly accountValue: Decimal;
  readonly maintenance: Decimal;
}

/** Figures that a view is made of, and that decide whether a view still holds. */
interface ViewInput {
  readonly valuation: Valuation;
  readonly asset: Asset | undefined;
  readonly equity: Decimal;
  readonly market: MarketView;
}

export function positionView(position: Position, cross: CrossFigures, market: MarketView): PositionView {
  const valuation = valuationOf(position, market);
  const equity = equityBehind(position, cross, market);
  return viewBy(position, { valuation, asset: market.asset(position.asset), equity, market }).view;
}

/** Clients poll faster than marks move: a view is made again when the position's mark or what stands behind it has changed. */
const viewBy = rememberFor(
  (position: Position, { valuation, asset, equity, market }: ViewInput) => {
    const maintenance = maintenanceOf(position, market);
    const price = liquidationText(position, equity, market);
    return { valuation, asset, equity, view: viewOf(position, { valuation, asset, maintenance, price }) };
  },
  (last, { valuation, asset, equity }) => last.valuation === valuation && last.asset === asset && last.equity.eq(equity),
);

function viewOf(
  position: Position,
  figures: { valuation: Valuation; asset: Asset | undefined; maintenance: Decimal; price: string | null },
): PositionView {
  const { asset: assetId, coin, signedSize, entryNotional, leverage, funding } = position;
  const { valuation, asset, maintenance, price } = figures;
  const { notional, signedNotional, marginUsed } = valuation;
  const unrealizedPnl = signedNotional.minus(signedSize.isPos() ? entryNotional : entryNotional.neg());
  return {
    asset: assetId,
    coin,
    signedSize: toWire(signedSize),
    entryPrice: toWire(halfUp(entryPriceOf(position), USD_DECIMALS - (asset?.sizeDecimals ?? 0))),
    markPrice: toWire(valuation.markPrice),
    positionValue: toWire(halfUp(notional, USD_DECIMALS)),
    unrealizedPnl: toWire(halfUp(roundOffResidue(unrealizedPnl), USD_DECIMALS)),
    returnOnEquity: toWire(halfUp(roundOffResidue(unrealizedPnl.times(leverage).div(entryNotional)), RETURN_DECIMALS)),
    liquidationPrice: price,
    marginUsed: toWire(halfUp(marginUsed, USD_DECIMALS)),
    maintenanceMargin: toWire(maintenance),
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

/** Isolated: the bucket's equity. Cross: the account value less the maintenance of all other cross positions. */
function equityBehind(position: Position, { accountValue, maintenance }: CrossFigures, market: MarketView): Decimal {
  if (position.marginMode === 'isolated') return valuationOf(position, market).marginUsed;
  return accountValue.minus(maintenance).plus(maintenanceOf(position, market));
}

function liquidationText(position: Position, equity: Decimal, market: MarketView): string | null {
  const { signedSize } = position;
  const { markPrice } = valuationOf(position, market);
  const price = liquidationPrice({ signedSize, markPrice, equity, marginTiers: marginTiersOf(position, market) });
  return price ? toWire(price) : null;
}
