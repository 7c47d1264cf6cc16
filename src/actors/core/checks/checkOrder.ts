// May this order be placed, and what would it do at once? The checks stand in the order of trading-rules 1.7, and the
// first that fails answers: form first, then the largest value, then the market by time in force, then the number of
// open orders (trading-rules 1.3, 1.5, 2.2). A fired trigger order passes the last part again. Nothing is changed
// here: the answer is a plan that `executeOrder` records.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { NO_SIDES, type RestingSide, type Sides } from '../account/openOrderBook.ts';
import { isWithinLimit, openOrderCount, oppositeOf } from '../account/ownOrders.ts';
import { availabilityOf, type LedgerPlace, reachableLevels, type Take, type Walk, walkBook } from '../fills/bookLiquidity.ts';
import { type FillPlan, feeRatesOf, planFills } from '../fills/fillPlan.ts';
import type { Draft } from '../fold/draft.ts';
import { closableSize } from '../margin/position.ts';
import { leverageOf } from '../margin/positionMargin.ts';
import type { OrderScript } from '../messages/labNote.ts';
import type { Side, TimeInForce } from '../messages/order.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import {
  checkForm,
  exceededValue,
  type FreshMarket,
  isImmediate,
  type KnownOrder,
  type OrderContext,
  type OrderForm,
} from './checkForm.ts';
import { capRefusal, checkMargin, sidesOf } from './checkMargin.ts';

/** USD; an order that closes exactly the whole position may be smaller. */
export const ORDER_VALUE_MIN = new Decimal(10);
/** From here on no further reduce-only orders; the plain limit grows with volume up to `OPEN_ORDERS_CAP`. */
const OPEN_ORDERS_BASE = 1000;
const OPEN_ORDERS_CAP = 5000;
const VOLUME_PER_OPEN_ORDER = new Decimal(5_000_000);

/** Checks one limit order. */
export function checkOrder(
  draft: Draft,
  order: KnownOrder,
  timeInForce: TimeInForce,
  context: OrderContext,
): AcceptedOrder | Rejection {
  const form = checkForm(order, context);
  if (form.type === 'rejected') return form;
  const { asset, twapId, request } = order;
  const { side, reduceOnly, script } = request;
  const exceeded = exceededValue(form, asset, { immediate: isImmediate(timeInForce) });
  if (exceeded) return rejection('valueTooLarge', exceeded);

  const { originalSize, limitPrice, fresh } = form;
  const wanted = { asset, side, limitPrice, originalSize, reduceOnly, timeInForce, fresh, isOfAnyValue: twapId !== undefined };
  const atMost = fillAtMost(script, originalSize, asset);
  return checkExecution(draft, atMost === undefined ? wanted : { ...wanted, fillAtMost: atMost }, context.market);
}

/** What the script of a failure lab lets fill at once, coins; undefined = all of it. */
export function fillAtMost(
  script: OrderScript | undefined,
  originalSize: Decimal,
  { sizeDecimals }: Pick<Asset, 'sizeDecimals'>,
): Decimal | undefined {
  const percent = script?.fillPercent;
  return percent === undefined ? undefined : cutTo(originalSize.times(percent).div(100), sizeDecimals);
}

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

/** The order as the market part of the checks needs it. */
interface WantedOrder extends OrderForm {
  readonly asset: Asset;
  readonly side: Side;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  /** Not held to the minimum value: children of a group, slices, liquidations (trading-rules 1.3). */
  readonly isOfAnyValue?: boolean;
  /** A failure lab lets it fill no more than this at once, coins. */
  readonly fillAtMost?: Decimal;
  /** Counted among the open orders already. */
  readonly isOpen?: boolean;
}

/** Checks one order by direction, value, match, tier, margin and count. */
export function checkExecution(draft: Draft, wanted: WantedOrder, market: MarketView): AcceptedOrder | Rejection {
  const { account } = draft;
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
    book: fresh.book,
  } as const;
  const sides = account.orders.size === 0 ? NO_SIDES : sidesOf(account, asset.id);
  const ownOpposite = sides[oppositeOf(side)];
  const wantedNow = wanted.fillAtMost?.lt(size) ? wanted.fillAtMost : size;
  const levels = reachableLevels(fresh, ledger.bookSide);
  const walked =
    timeInForce === 'alo' || wantedNow.isZero()
      ? { takes: [], selfTrades: 0, left: wantedNow }
      : walkBook({
          side,
          limitPrice,
          size: wantedNow,
          levels,
          availableAt: availabilityOf(account, levels, ledger),
          ownOpposite,
          queueAhead: (oid) => account.orders.get(oid)?.resting.ahead ?? '0',
        });
  const walk = wantedNow === size ? walked : withRest(walked, size.minus(wantedNow), { ownOpposite, limitPrice, immediate });

  const closesAll = !closable.isZero() && size.eq(closable);
  const valuePrice = (immediate ? walk.takes[0]?.price : undefined) ?? limitPrice;
  if (!wanted.isOfAnyValue && !closesAll && originalSize.times(valuePrice).lt(ORDER_VALUE_MIN))
    return rejection('valueTooSmall', id);

  if (timeInForce === 'alo') {
    const [bestLevel] = side === 'buy' ? fresh.book.asks : fresh.book.bids;
    const wouldMatch = bestLevel !== undefined && isWithinLimit(bestLevel.price, { side, limitPrice });
    if (wouldMatch || (ownOpposite.size > 0 && ownOpposite.countTo(limitPrice) > 0)) {
      return rejection('postOnlyWouldMatch', { ...id, ...bbo(fresh, sides) });
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
    rates: feeRatesOf(account, draft.timeMs),
  });
  const others = walk.selfTrades === 0 ? sides : { ...sides, [oppositeOf(side)]: ownOpposite.withoutBest(walk.selfTrades) };
  const rest = rests ? walk.left : ZERO;
  const plan = { asset, side, limitPrice, reduceOnly, after: fills.after, opens: fills.opens, rest, others };
  const capped = capRefusal(plan, { closable, filled: size.minus(walk.left) }, fresh.prices.oraclePrice);
  if (capped) return rejection(capped, id);
  const verdict = checkMargin(account, plan, market, draft.margin);
  if (verdict !== 'accepted') return rejection(verdict, id);
  const isCounted = rests || (reduceOnly && !wanted.isOfAnyValue);
  if (isCounted && !wanted.isOpen) {
    const openOrders = openOrderCount(account) - walk.selfTrades;
    if (!mayRest(account, { openOrders, isRefusedFirst: reduceOnly })) return rejection('tooManyOpenOrders', id);
  }
  return { type: 'accepted', limitPrice, size, walk, fills, ledger, fresh };
}

/**
 * The walk of an order that a failure lab lets fill in part, with the rest that it leaves. One that rests at its limit crosses no own
 * order: all that it would have met are ended, as the whole order would have ended them.
 */
function withRest(
  walk: Walk,
  rest: Decimal,
  { ownOpposite, limitPrice, immediate }: { ownOpposite: RestingSide; limitPrice: Decimal; immediate: boolean },
): Walk {
  const selfTrades = immediate || ownOpposite.size === 0 ? walk.selfTrades : ownOpposite.countTo(limitPrice);
  return { ...walk, selfTrades, left: walk.left.plus(rest) };
}

/** The best of the displayed book and of the account's own resting orders, which stand in the book of the venue; 0 = there is none. */
function bbo({ book: { bids, asks } }: FreshMarket, { buy, sell }: Sides): { bid: string; ask: string } {
  const [ownBid] = buy.rows();
  const [ownAsk] = sell.rows();
  const prices = (...of: readonly ({ readonly price: Decimal } | undefined)[]) =>
    of.flatMap((each) => (each ? [each.price] : []));
  const [bidPrices, askPrices] = [prices(bids[0], ownBid), prices(asks[0], ownAsk)];
  return {
    bid: bidPrices.length === 0 ? '0' : Decimal.max(...bidPrices).toString(),
    ask: askPrices.length === 0 ? '0' : Decimal.min(...askPrices).toString(),
  };
}

/** True when one more order may be open beside `openOrders` others. Reduce-only and trigger orders are refused first. */
export function mayRest(
  { totals }: Account,
  { openOrders, isRefusedFirst }: { openOrders: number; isRefusedFirst: boolean },
): boolean {
  if (openOrders < OPEN_ORDERS_BASE) return true;
  if (isRefusedFirst) return false;
  const earned = totals.volumeUsd.divToInt(VOLUME_PER_OPEN_ORDER).toNumber();
  return openOrders < Math.min(OPEN_ORDERS_CAP, OPEN_ORDERS_BASE + earned);
}
