// The figures of `clearinghouseState`: account value, margin in use and positions, at the current marks
// (trading-rules 4.1, 4.7). A view: it changes nothing and decides nothing.
import type { Asset, MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import {
  type Decimal,
  halfUp,
  halfUpQuotient,
  roundOffDust,
  toWire,
  USD_DECIMALS,
  ZERO,
} from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Account, Position } from '../account/account.ts';
import { leavableOf, type MarginState, mayLeave } from '../margin/margin.ts';
import { shownEntryPrice } from '../margin/position.ts';
import { maintenanceMargin, marginTiersOf, type Valuation, valueAt } from '../margin/positionMargin.ts';
import { liquidationPrice } from '../margin/wakePrices.ts';
import type { AccountStateView, MarginSummary, PositionView } from '../messages/accountFigures.ts';

/**
 * Positions come in order of their asset ids, as the venue lists them.
 * @param shown assets whose positions are told; the sums are of all. Absent = all of them
 */
export function accountState(
  account: MarginState & Pick<Account, 'funding'>,
  market: MarketView,
  timeMs: number,
  shown?: ReadonlySet<number>,
): AccountStateView {
  const held = [...account.positions.values()].sort((a, b) => a.asset - b.asset).map((position) => heldAt(position, market));
  const crossHeld = held.filter(({ position }) => position.marginMode === 'cross');
  const cross = sumsOf(crossHeld, account.cash);
  const all = crossHeld.length === held.length ? cross : sumsOf(held, account.cash);
  let left = account.cash;
  let maintenance = ZERO;
  for (const one of crossHeld) {
    left = left.plus(leavableOf(one.position, one.valuation));
    maintenance = maintenance.plus(one.maintenance);
  }
  const behindAll = cross.accountValue.minus(maintenance);
  return {
    marginSummary: summaryView(all),
    crossMarginSummary: summaryView(cross),
    crossMaintenanceMarginUsed: usdText(maintenance),
    withdrawable: usdText(mayLeave(left, account, market)),
    positions: (shown ? held.filter(({ position }) => shown.has(position.asset)) : held).map((one) =>
      positionView(one, equityOf(one, behindAll)),
    ),
    timeMs,
  };
}

/** Isolated: the bucket's equity. Cross: the account value less the maintenance of all other cross positions. */
const equityOf = ({ position, valuation, maintenance }: HeldPosition, behindAll: Decimal): Decimal =>
  position.marginMode === 'isolated' ? valuation.marginUsed : behindAll.plus(maintenance);

type Sums = { readonly [Field in keyof MarginSummary]: Decimal };

/** The identity of trading-rules 4.1: account value = raw USD + signed notional, cross and isolated alike. */
function sumsOf(held: readonly HeldPosition[], cash: Decimal): Sums {
  let totalRawUsd = cash;
  let signedNotional = ZERO;
  let totalNotional = ZERO;
  let totalMarginUsed = ZERO;
  for (const { position, valuation: value } of held) {
    totalRawUsd = totalRawUsd.plus(position.rawUsd);
    signedNotional = signedNotional.plus(value.signedNotional);
    totalNotional = totalNotional.plus(value.notional);
    totalMarginUsed = totalMarginUsed.plus(value.marginUsed);
  }
  return { accountValue: totalRawUsd.plus(signedNotional), totalNotional, totalRawUsd, totalMarginUsed };
}

function summaryView({ accountValue, totalNotional, totalRawUsd, totalMarginUsed }: Sums): MarginSummary {
  return {
    accountValue: usdText(accountValue),
    totalNotional: usdText(totalNotional),
    totalRawUsd: usdText(totalRawUsd),
    totalMarginUsed: usdText(totalMarginUsed),
  };
}

/** Exact when every coin has a mark; a position valued at its entry price may have more decimals. */
export function usdText(value: Decimal): string {
  return toWire(halfUp(value, USD_DECIMALS));
}

/** Decimals of `returnOnEquity`. */
const RETURN_DECIMALS = 10;

/** A position at its mark, and all that its figures are made of. */
interface HeldPosition {
  readonly position: Position;
  readonly asset: Asset | undefined;
  readonly valuation: Valuation;
  readonly tiers: readonly MarginTier[];
  /** Maintenance margin, USD. */
  readonly maintenance: Decimal;
}

/**
 * One position as a client sees it: figures at mark, each with the rounding that the venue's answers show
 * (trading-rules 4.1, 4.10, 5.2).
 */
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

/** A setting as clients see it, with the margin inside an isolated position. */
export function leverageView({
  marginMode,
  leverage,
  rawUsd,
}: Pick<Position, 'marginMode' | 'leverage' | 'rawUsd'>): PositionView['leverage'] {
  if (marginMode === 'cross') return { type: 'cross', value: leverage };
  return { type: 'isolated', value: leverage, rawUsd: toWire(rawUsd) };
}
