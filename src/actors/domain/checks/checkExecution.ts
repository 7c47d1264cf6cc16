// May an order go to the market now, and what would it do at once? The second part of the checks of trading-rules 1.7, by
// time in force (trading-rules 2.2), for an order that has just come and for one that its trigger has fired. Nothing is changed here: the answer is a plan that
// `executeOrder` records.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { leverageOf } from '../account/leverageSetting.ts';
import { isWithinLimit, ownOrders, type RestingOrder } from '../account/ownOrders.ts';
import { openOrderCount } from '../account/waitingOrders.ts';
import { type FillPlan, planFills } from '../fills/fillPlan.ts';
import { availableAt, type LedgerPlace } from '../fills/takenLiquidity.ts';
import { type Take, type Walk, walkBook } from '../fills/walkBook.ts';
import { closableSize } from '../margin/position.ts';
import type { Side, TimeInForce } from '../messages/command.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { judgePlan } from './checkMargin.ts';
import type { FreshMarket } from './freshMarket.ts';
import { isImmediate } from './limitPrice.ts';
import { mayRest, ORDER_VALUE_MIN } from './orderLimits.ts';

/** An order that may be executed: its numbers, and what it would do at once. */
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

/** What is asked of the market. */
export interface WantedOrder {
  readonly asset: Asset;
  readonly side: Side;
  readonly limitPrice: Decimal;
  readonly originalSize: Decimal;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly fresh: FreshMarket;
  /** Not held to the minimum value: children of a group, slices, liquidations (trading-rules 1.3). */
  readonly isOfAnyValue?: boolean;
  /** Counted among the open orders already. */
  readonly isOpen?: boolean;
}

/** Judges one order by direction, value, match, tier, margin and count. */
export function judgeExecution(account: Account, wanted: WantedOrder, market: MarketView): AcceptedOrder | Rejection {
  const { asset, side, limitPrice, originalSize, reduceOnly, timeInForce, fresh } = wanted;
  const id = { asset: asset.id };
  const immediate = isImmediate(timeInForce);
  const closable = closableSize(account, asset.id, side);
  if (reduceOnly && closable.isZero()) return rejection('reduceOnlyWouldIncrease', id);
  const size = reduceOnly && closable.lt(originalSize) ? closable : originalSize;

  const ledger = {
    asset: asset.id,
    bookSide: side === 'buy' ? 'ask' : 'bid',
    feedTimeMs: market.feedTimeMs(asset.id),
    sizeDecimals: asset.sizeDecimals,
  } as const;
  const ownOpposite = account.orders.size === 0 ? [] : ownInTheWay(account, asset, { side, limitPrice });
  const walk =
    timeInForce === 'alo'
      ? { takes: [], selfTrades: [], left: size }
      : walkBook({
          side,
          limitPrice,
          size,
          levels: side === 'buy' ? fresh.book.asks : fresh.book.bids,
          availableAt: (level) => availableAt(account, level, ledger),
          ownOpposite,
        });

  const closesAll = !closable.isZero() && size.eq(closable);
  const valuePrice = (immediate ? walk.takes[0]?.price : undefined) ?? limitPrice;
  if (!wanted.isOfAnyValue && !closesAll && originalSize.times(valuePrice).lt(ORDER_VALUE_MIN))
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
  const fills = planFills({ cash: account.cash, position: account.positions.get(asset.id) }, walk.takes, {
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
  const isCounted = rests || (reduceOnly && !wanted.isOfAnyValue);
  if (isCounted && !wanted.isOpen) {
    const openOrders = openOrderCount(account) - walk.selfTrades.length;
    if (!mayRest(account, { openOrders, isRefusedFirst: reduceOnly })) return rejection('tooManyOpenOrders', id);
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
