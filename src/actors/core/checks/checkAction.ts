// Checks of a whole action. They come before any single order is checked; a failed one is answered with one text, and
// nothing of the action is done (trading-rules 1.4, 1.5, 1.7; wire-format 4.1). A TP/SL group is checked from its
// payload alone: which orders may belong together, in which order, and that every child can only reduce
// (trading-rules 2.5).
import type { CoinPrices, MarketView } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Decision } from '../fold/draft.ts';
import type { Grouping, OrderRequest, TriggerOrderType } from '../messages/order.ts';
import type { ReadOrder } from './checkForm.ts';

/** Orders, cancels or modifies in one action. */
export const ACTION_ELEMENTS_MAX = 1000;
/** Children of a parent: at most one take-profit and one stop. A position may have any number of each. */
const CHILDREN_MAX = 2;

/** A price may be this many percent of the larger of the two away from the reference. */
const BAND_PERCENT = 95;

const PRICE_TOO_FAR = `Order price cannot be more than ${BAND_PERCENT}% away from the reference price`;

export const REFUSALS = {
  expired: 'Action already expired',
  empty: 'Orders are empty',
  tooManyElements: `Signed action over weight limit of ${ACTION_ELEMENTS_MAX}.`,
  priceTooFar: PRICE_TOO_FAR,
} as const;

export const GROUP_REFUSALS = {
  triggerFirst: 'Main order cannot be trigger order.',
  wrongNumber: 'Unexpected number of trigger orders',
  wrongType: 'Trigger order has unexpected type.',
  notReduceOnly: 'Trigger order is not reduce only.',
  wrongSide: 'Trigger order has unexpected side.',
} as const;

/** The decision that refuses a whole action. */
export const refused = (text: string, requests: number): Decision => ({
  events: [],
  outcome: { type: 'refused', text },
  requests,
});

/** The refusal of an action with these orders, or undefined. */
export function checkAction(
  orders: readonly ReadOrder[],
  { grouping, market }: { readonly grouping: Grouping; readonly market: MarketView },
): string | undefined {
  const refusal = checkCount(orders.length) ?? groupRefusal(orders, grouping);
  return refusal ?? (orders.some((order) => isTooFar(order, market)) ? REFUSALS.priceTooFar : undefined);
}

/** The refusal of an action with this many elements, or undefined. */
export function checkCount(elements: number): string | undefined {
  if (elements === 0) return REFUSALS.empty;
  return elements > ACTION_ELEMENTS_MAX ? REFUSALS.tooManyElements : undefined;
}

interface TriggerRequest extends OrderRequest {
  readonly type: TriggerOrderType;
}

/** The refusal of a group of this shape, or undefined. */
function groupRefusal(orders: readonly ReadOrder[], grouping: Grouping): string | undefined {
  if (grouping === 'na') return undefined;
  const [first, ...rest] = orders.map(({ request }) => request);
  if (!first) return undefined;
  if (grouping === 'positionTpsl') return firstMisfit([first, ...rest], first);
  if (isTrigger(first)) return GROUP_REFUSALS.triggerFirst;
  return childrenRefusal(rest, { asset: first.asset, side: first.side === 'buy' ? 'sell' : 'buy' });
}

/** Why one of these orders may not belong to a group of this coin and side, or undefined. */
function firstMisfit(orders: readonly OrderRequest[], { asset, side }: Pick<OrderRequest, 'asset' | 'side'>): string | undefined {
  for (const order of orders) {
    if (!isTrigger(order) || order.asset !== asset) return GROUP_REFUSALS.wrongType;
    if (!order.reduceOnly) return GROUP_REFUSALS.notReduceOnly;
    if (order.side !== side) return GROUP_REFUSALS.wrongSide;
  }
  return undefined;
}

function childrenRefusal(children: readonly OrderRequest[], wanted: Pick<OrderRequest, 'asset' | 'side'>): string | undefined {
  const misfit = firstMisfit(children, wanted);
  if (misfit !== undefined) return misfit;
  const kinds = children.filter(isTrigger).map((child) => child.type.tpsl);
  const isPair = kinds.length > 0 && kinds.length <= CHILDREN_MAX && new Set(kinds).size === kinds.length;
  return isPair ? undefined : GROUP_REFUSALS.wrongNumber;
}

function isTrigger(request: OrderRequest): request is TriggerRequest {
  return request.type.kind === 'trigger';
}

/** True when the limit is outside the band. Orders without a usable price fail a later check of their own. */
function isTooFar({ request, asset, limitPrice, triggerPrice }: ReadOrder, market: MarketView): boolean {
  if (!asset || asset.isDelisted || !limitPrice || limitPrice.isZero()) return false;
  if (request.type.kind === 'trigger') {
    return triggerPrice !== undefined && !triggerPrice.isZero() && isBeyond(limitPrice, bandAround(triggerPrice));
  }
  const prices = market.prices(asset.id);
  return prices !== undefined && isBeyond(limitPrice, bandOf(prices));
}

// How far a limit price may be from its reference (trading-rules 1.4). All that the band is made of stands here: its share, its reference
// and the text of its refusal. The venue's text has named 80 % and 95 %; 95 % is what clients report of perpetuals, of the oracle price.

/** The lowest legal price is above this share of the reference, the highest is the reference divided by it: 0.05 and 20 times. */
const LOWER = new Decimal(100 - BAND_PERCENT).div(100);
const UPPER = new Decimal(1).div(LOWER);

interface PriceBand {
  /** Not legal itself. */
  readonly lower: Decimal;
  readonly upper: Decimal;
}

/** The band of orders that are no triggers: around the oracle price. */
const bandOf = rememberFor(({ oraclePrice }: CoinPrices): PriceBand => bandAround(oraclePrice));

/** The band around a reference price; of a trigger order that is its trigger. Exact, no rounding. */
function bandAround(reference: Decimal): PriceBand {
  return { lower: reference.times(LOWER), upper: reference.times(UPPER) };
}

/** True when the price is outside the band. */
function isBeyond(price: Decimal, { lower, upper }: PriceBand): boolean {
  return price.lte(lower) || price.gt(upper);
}
