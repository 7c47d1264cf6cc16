// The steps of a liquidation: an order to the market, and the take-over by the house.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { cut6, Decimal, roundOffResidue, roundUp } from '../../../shared/domain/decimal.ts';
import type { FeeRates } from '../../../shared/domain/fees.ts';
import { type Account, COOLDOWN_MS, hasTried, isCoolingDown, type Position } from '../account/account.ts';
import { NO_SIDES } from '../account/openOrderBook.ts';
import { type FreshMarket, freshMarket, nearestLegalPrice, toLegalPrice } from '../checks/checkForm.ts';
import { availabilityOf, filledUsdOf, reachableLevels, takenAfterFills, type Walk, walkBook } from '../fills/bookLiquidity.ts';
import { takerEvidence } from '../fills/fillEvent.ts';
import { feeRatesOf, planFills } from '../fills/fillPlan.ts';
import type { Draft } from '../fold/draft.ts';
import { type Context, clockOf } from '../fold/pipeline.ts';
import { wholePosition } from '../margin/position.ts';
import { isForBackstop, type MarginPool, type MarginPoolHealth, valuationOf } from '../margin/positionMargin.ts';
import type { OrderView } from '../messages/order.ts';

// The market step of a liquidation: one order with the ordinary taker fee, for all of a small position or a fifth of
// a large one; for all of any where the house would take the rest. It may not sell below the price that would leave the
// margin pool in debt (trading-rules 5.4).

/** A position with more notional than this is sold in parts, USD. */
const WHOLE_NOTIONAL_MAX = new Decimal(100_000);
/** The part of it that one order is for, rounded up to a lot. */
const PART = new Decimal('0.2');

/**
 * Sends the order if the book can take any of it, at most once into the same book. Own orders of the coin have ended by then.
 * @param account as it was before this check: a cooldown that begins in it counts from the next one
 * @returns true when something was filled
 */
export function sendLiquidationOrder(
  draft: Draft,
  { asset: assetId }: Position,
  { health, account, context }: { readonly health: MarginPoolHealth; readonly account: Account; readonly context: Context },
): boolean {
  const { market } = context;
  const position = draft.account.positions.get(assetId);
  const asset = market.asset(assetId);
  const fresh = freshMarket(market, { asset: assetId, nowMs: clockOf(context) });
  assert(position, `position in asset ${assetId} to be liquidated is gone`);
  if (!asset || fresh.type === 'stale' || hasTried(account, assetId, fresh.book.timeMs)) return false;

  const order = orderFor(position, asset, { health, account, context });
  const walk = walkFor(draft.account, order, fresh, asset);
  if (walk.takes.length === 0) return false;
  record(draft, { order, walk, fresh, asset, isWhole: position.signedSize.abs().eq(order.size) }, context);
  return true;
}

function orderFor(
  position: Position,
  asset: Asset,
  { health, account, context }: { readonly health: MarginPoolHealth; readonly account: Account; readonly context: Context },
): OrderView {
  const { market, nowMs, ids } = context;
  const held = position.signedSize.abs();
  const isSmall = valuationOf(position, market).notional.lte(WHOLE_NOTIONAL_MAX);
  const isWhole = isSmall || isForBackstop(health) || isCoolingDown(account, clockOf(context));
  const size = (isWhole ? held : Decimal.min(held, roundUp(held.times(PART), asset.sizeDecimals))).toString();
  const limitPrice = liquidationLimit(bankruptcyPrice(position, health, market), position, {
    asset,
    rates: feeRatesOf(account, context.nowMs),
  });
  return {
    oid: ids.next(),
    asset: asset.id,
    coin: asset.coin,
    side: position.signedSize.isPos() ? 'sell' : 'buy',
    limitPrice: limitPrice.toString(),
    size,
    originalSize: size,
    filledSize: '0',
    reduceOnly: true,
    timeInForce: 'liquidationMarket',
    placedAtMs: nowMs,
  };
}

function walkFor(account: Account, { side, limitPrice, size }: OrderView, fresh: FreshMarket, asset: Asset): Walk {
  const bookSide = side === 'buy' ? 'ask' : 'bid';
  const place = { asset: asset.id, bookSide, sizeDecimals: asset.sizeDecimals, book: fresh.book } as const;
  const levels = reachableLevels(fresh, bookSide);
  return walkBook({
    side,
    limitPrice: new Decimal(limitPrice),
    size: new Decimal(size),
    levels,
    availableAt: availabilityOf(account, levels, place),
    ownOpposite: NO_SIDES[side],
    queueAhead: () => '0',
  });
}

interface Executed {
  readonly order: OrderView;
  readonly walk: Walk;
  readonly fresh: FreshMarket;
  readonly asset: Asset;
  readonly isWhole: boolean;
}

/** The fills, what they took of the book, and the order's end. */
function record(draft: Draft, { order, walk, fresh, asset, isWhole }: Executed, context: Context): void {
  const { market, ids } = context;
  const { cash, positions } = draft.account;
  const { prices } = fresh;
  const position = positions.get(asset.id);
  assert(position, `position in asset ${asset.id} to be liquidated is gone`);
  const rates = feeRatesOf(draft.account, draft.timeMs);
  const terms = { asset, side: order.side, liquidity: 'taker', setting: position, markPrice: prices.markPrice, rates } as const;
  const liquidation = {
    method: 'market',
    markPrice: prices.markPrice.toString(),
    ...(!isWhole && { cooldownUntilMs: clockOf(context) + COOLDOWN_MS }),
  } as const;
  for (const plan of planFills({ cash, position }, walk.takes, terms).fills) {
    const evidence = takerEvidence(fresh, plan.execution);
    draft.recordFill({ order, tid: ids.next(), plan, liquidity: 'taker', evidence, liquidation });
  }
  const bookSide = order.side === 'buy' ? 'ask' : 'bid';
  const consumption = takenAfterFills(walk.takes, { asset: asset.id, bookSide, feedTimeMs: market.feedTimeMs(asset.id) });
  if (consumption) draft.record(consumption);
  const filledSize = new Decimal(order.size).minus(walk.left).toString();
  const final = { ...order, size: walk.left.toString(), filledSize, ...filledUsdOf(walk.takes) };
  draft.record({ type: 'orderEnded', order: final, status: walk.left.isZero() ? 'filled' : 'canceled' });
}

// The backstop of a liquidation: the house takes every position of a margin pool at its bankruptcy price, without a
// fee. The pool is left with exactly nothing; what it owed beyond that is the house's loss (trading-rules 5.3, 5.4).

/** Records the take-over of all positions of a pool, which together pay exactly what its cash lacks, by asset id. */
export function takeOver(draft: Draft, { cash, positions }: MarginPool, { health, context }: Backstop): void {
  let left = cash;
  const sorted = [...positions].sort((a, b) => a.asset - b.asset);
  for (const [index, position] of sorted.entries()) {
    const price = bankruptcyPrice(position, health, context.market);
    const isLast = index === sorted.length - 1;
    const usd = isLast ? left.neg() : cut6(roundOffResidue(price.times(position.signedSize)));
    left = left.plus(usd);
    recordTakeOver(draft, position, { price, usd, context });
  }
}

interface Backstop {
  readonly health: MarginPoolHealth;
  readonly context: Context;
}

function recordTakeOver(
  draft: Draft,
  position: Position,
  { price, usd, context }: { readonly price: Decimal; readonly usd: Decimal; readonly context: Context },
): void {
  const { asset, signedSize, marginMode } = position;
  const { market, ids } = context;
  const direction = `Liquidated ${marginMode === 'cross' ? 'Cross' : 'Isolated'} ${signedSize.isPos() ? 'Long' : 'Short'}`;
  const shown = nearestLegalPrice(price, market.asset(asset)?.sizeDecimals ?? 0);
  draft.record({
    type: 'positionTakenOver',
    ...wholePosition(position, { price: shown, usd, direction }, { ids, market, place: draft.place }),
    marginMode,
    markPrice: valuationOf(position, market).markPrice.toString(),
  });
}

/**
 * The price at which selling everything would leave a margin pool with exactly nothing (trading-rules 5.5). It bounds
 * the market step of a liquidation, and the house pays it in a take-over.
 */
const ONE = new Decimal(1);

/** USD per coin, exact to 40 decimals: each position of the pool bears the equity by its share of the notional. */
function bankruptcyPrice(position: Position, { equity, notional }: MarginPoolHealth, market: MarketView): Decimal {
  const value = valuationOf(position, market);
  const borne = equity.times(value.notional).div(notional);
  return roundOffResidue(value.markPrice.minus(borne.div(position.signedSize)));
}

/** Limit of the market step: the bankruptcy price with room for the taker fee, on the grid, toward less aggressive. */
function liquidationLimit(
  bankrupt: Decimal,
  { signedSize }: Position,
  { asset: { sizeDecimals }, rates }: { readonly asset: Asset; readonly rates: FeeRates },
): Decimal {
  const isLong = signedSize.isPos();
  const withFee = roundOffResidue(bankrupt.div(isLong ? ONE.minus(rates.taker) : ONE.plus(rates.taker)));
  return toLegalPrice(withFee, { side: isLong ? 'sell' : 'buy', sizeDecimals });
}
