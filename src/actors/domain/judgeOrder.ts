// May this order be placed, and what would it do at once? The checks stand in the order of trading-rules 1.7, the first
// that fails answers, and nothing is changed here: an accepted order is a plan that `placeOrder` records.
import type { Asset } from '../../market/domain/asset.ts';
import type { MarketView } from '../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { judgePlan } from './acceptance.ts';
import type { Account } from './account.ts';
import type { Side } from './command.ts';
import { availableAt, type LedgerPlace } from './consumption.ts';
import { type FillPlan, planFills } from './fillPlan.ts';
import { leverageOf } from './leverageSetting.ts';
import { type FreshMarket, freshMarket } from './marketData.ts';
import { isImmediate } from './marketPrice.ts';
import { mayRest, ORDER_VALUE_MIN, orderValueMax } from './orderLimits.ts';
import { findOrder, isWithinLimit, ownOrders, type RestingOrder } from './ownOrders.ts';
import { isSameSide } from './position.ts';
import { hasTooManyDecimals, hasTooManyFigures, isWholeLots } from './priceGrid.ts';
import type { ReadOrder } from './readOrder.ts';
import { type Rejection, rejection } from './rejection.ts';
import { type Take, type Walk, walkBook } from './walkBook.ts';

/** An order that may be placed: its numbers, and what it would do at once. */
export interface AcceptedOrder {
  readonly type: 'accepted';
  readonly limitPrice: Decimal;
  /** Cut to the position when reduce-only. */
  readonly size: Decimal;
  readonly walk: Walk;
  readonly fills: FillPlan<Take>;
  readonly ledger: LedgerPlace;
  readonly fresh: FreshMarket;
}

export interface OrderContext {
  readonly nowMs: number;
  readonly market: MarketView;
}

/** Judges one order for an asset that exists. */
export function judgeOrder(
  account: Account,
  { request, size: originalSize, limitPrice, twapId }: ReadOrder,
  asset: Asset,
  { nowMs, market }: OrderContext,
): AcceptedOrder | Rejection {
  const id = { asset: asset.id };
  const { side, reduceOnly, cloid } = request;
  const { timeInForce } = request.type;
  const immediate = isImmediate(timeInForce);

  if (asset.isDelisted) return rejection('halted', id);
  const fresh = freshMarket(market, { asset: asset.id, nowMs });
  if (fresh.type === 'stale') return rejection('staleMarket', { ...id, age: fresh.age });
  if (cloid !== undefined && findOrder(account, { cloid })) return rejection('cloidInUse', id);

  if (!originalSize) return rejection('invalidSize', id);
  if (originalSize.isZero()) return rejection('zeroSize', id);
  if (!isWholeLots(originalSize, asset.sizeDecimals)) return rejection('invalidSize', id);

  if (!limitPrice || limitPrice.isZero()) return rejection('invalidPrice', id);
  if (hasTooManyFigures(limitPrice)) return rejection('priceOffTick', id);
  if (hasTooManyDecimals(limitPrice, asset.sizeDecimals)) return rejection('invalidPrice', id);

  const maxUsd = orderValueMax(asset, { immediate });
  const value = originalSize.times(limitPrice);
  if (value.gt(maxUsd)) return rejection('valueTooLarge', { maxUsd: `$${maxUsd}` });

  const position = account.positions.get(asset.id);
  const closable = position && !isSameSide(position, side) ? position.signedSize.abs() : ZERO;
  if (reduceOnly && closable.isZero()) return rejection('reduceOnlyWouldIncrease', id);
  const size = reduceOnly && closable.lt(originalSize) ? closable : originalSize;

  const ledger: LedgerPlace = {
    asset: asset.id,
    bookSide: side === 'buy' ? 'ask' : 'bid',
    feedTimeMs: market.feedTimeMs(asset.id),
  };
  const place = { ...ledger, sizeDecimals: asset.sizeDecimals };
  const ownOpposite = account.orders.size === 0 ? [] : ownInTheWay(account, asset, { side, limitPrice });
  const walk =
    timeInForce === 'alo'
      ? { takes: [], selfTrades: [], left: size }
      : walkBook({
          side,
          limitPrice,
          size,
          levels: side === 'buy' ? fresh.book.asks : fresh.book.bids,
          availableAt: (level) => availableAt(account, level, place),
          ownOpposite,
        });

  const mayBeSmall = twapId !== undefined || (!closable.isZero() && size.eq(closable));
  const firstPrice = immediate ? walk.takes[0]?.price : undefined;
  if (!mayBeSmall && (firstPrice ? originalSize.times(firstPrice) : value).lt(ORDER_VALUE_MIN))
    return rejection('valueTooSmall', id);

  if (timeInForce === 'alo') {
    const [bestLevel] = side === 'buy' ? fresh.book.asks : fresh.book.bids;
    const best = [bestLevel?.price, ownOpposite[0]?.limitPrice];
    if (best.some((price) => price && isWithinLimit(price, { side, limitPrice }))) {
      return rejection('postOnlyWouldMatch', { ...id, ...bbo(fresh) });
    }
  }
  if (immediate && walk.takes.length === 0) return rejection('nothingToMatch', id);

  const rests = !immediate && !walk.left.isZero();
  const fills = planFills({ cash: account.cash, position }, walk.takes, {
    asset,
    side,
    liquidity: 'taker',
    setting: leverageOf(account, asset),
    markPrice: fresh.prices.markPrice,
  });
  const verdict = judgePlan(
    account,
    {
      asset,
      side,
      after: fills.after,
      opens: fills.opens,
      gone: new Set(walk.selfTrades.map(({ oid }) => oid)),
      ...(rests && {
        rest: { asset: asset.id, side, limitPrice: limitPrice.toString(), size: walk.left.toString(), reduceOnly },
      }),
    },
    market,
  );
  if (verdict !== 'accepted') return rejection(verdict, id);
  if (rests && !mayRest(account, { openOrders: account.orders.size - walk.selfTrades.length, reduceOnly })) {
    return rejection('tooManyOpenOrders', id);
  }
  return { type: 'accepted', limitPrice, size, walk, fills, ledger, fresh };
}

/** Own resting orders of the other side that stand at the limit or better for the taker, best first. */
function ownInTheWay(account: Account, { id }: Asset, { side, limitPrice }: { side: Side; limitPrice: Decimal }): RestingOrder[] {
  const rough = limitPrice.toNumber();
  if (side === 'buy') return ownOrders(account, { asset: id, side: 'sell' }, (price) => price <= rough);
  return ownOrders(account, { asset: id, side: 'buy' }, (price) => price >= rough);
}

function bbo({ book: { bids, asks } }: FreshMarket): { bid: string; ask: string } {
  return { bid: bids[0]?.price.toString() ?? '0', ask: asks[0]?.price.toString() ?? '0' };
}
