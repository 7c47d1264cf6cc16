// What an account takes of the positions and open orders of an address, at another scale.

import type { Account } from '../../../actors/core/account/account.ts';
import { isWithinLimit } from '../../../actors/core/account/ownOrders.ts';
import { checkAction } from '../../../actors/core/checks/checkAction.ts';
import { readOrder } from '../../../actors/core/checks/checkForm.ts';
import { openingRefusal } from '../../../actors/core/checks/checkOpening.ts';
import { ORDER_VALUE_MIN } from '../../../actors/core/checks/checkOrder.ts';
import type { Draft } from '../../../actors/core/fold/draft.ts';
import type { Context } from '../../../actors/core/fold/pipeline.ts';
import { LEVERAGE_MAX } from '../../../actors/core/lifecycle/settings.ts';
import { tierOf } from '../../../actors/core/margin/positionMargin.ts';
import type { CopiedCommand } from '../../../actors/core/messages/command.ts';
import type { OrderOutcome } from '../../../actors/core/messages/commandOutcome.ts';
import type { LeftOut, SourceOrder, SourcePosition, TakenPosition } from '../../../actors/core/messages/importReport.ts';
import type { Grouping, OrderRequest } from '../../../actors/core/messages/order.ts';
import { placeTogether } from '../../../actors/core/orders/placeOrders.ts';
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, cutTo, Decimal, quotient, ZERO } from '../../../shared/domain/decimal.ts';

type Refusal = Pick<LeftOut, 'reason' | 'text'>;

const BELOW_LOT: Refusal = { reason: 'below_lot', text: 'Less than a lot.' };
const NEVER_RESTS: Refusal = { reason: 'never_rests', text: 'Orders of this kind do not rest.' };
const WOULD_TRADE: Refusal = { reason: 'would_trade', text: 'It would fill at once on the book of now.' };
const GAVE_WAY: Refusal = { reason: 'refused', text: 'A newer reduce-only order needed what it had of the position.' };

interface Placed {
  readonly taken: readonly (readonly [oid: number, sourceOid: number])[];
  readonly left: readonly LeftOut[];
}

/**
 * The open orders of an address at another scale, placed by the rules of every order, oldest first, at the end of the queue at their price.
 * An import trades nothing: an order that would fill at once is left out.
 * Records on the draft what is placed; what is refused leaves a record of its end, which is not to be kept.
 */
export function importOrders(draft: Draft, orders: readonly SourceOrder[], scale: Decimal, context: Context): Placed {
  const taken: [oid: number, sourceOid: number][] = [];
  const left: LeftOut[] = [];
  const leave = ({ coin, oid }: SourceOrder, refusal: Refusal): unknown => left.push({ kind: 'order', coin, oid, ...refusal });
  for (const order of orders) {
    const family = [order, ...(order.children ?? [])];
    const refusal = refusalOf(order, scale, context);
    if (refusal !== undefined) for (const each of family) leave(each, refusal);
    else
      for (const [each, placed] of placeFamily(draft, family, scale, context).placed) {
        if (typeof placed === 'number') taken.push([placed, each.oid]);
        else leave(each, placed);
      }
  }
  const { orders: resting, triggers } = draft.account;
  const isOpen = ([oid]: readonly [number, number]): boolean => resting.has(oid) || triggers.has(oid);
  const byOid = new Map(orders.flatMap((order) => [order, ...(order.children ?? [])]).map((order) => [order.oid, order]));
  for (const pair of taken) {
    const source = byOid.get(pair[1]);
    if (source !== undefined && !isOpen(pair)) leave(source, GAVE_WAY);
  }
  return { taken: taken.filter(isOpen), left };
}

/** What can be said of any order before it is tried. */
export function unplaceable(order: SourceOrder, scale: Decimal, { market }: Context): Refusal | undefined {
  const asset = market.assetOf(order.coin);
  if (asset === undefined) return UNLISTED;
  if (order.trigger === undefined && order.timeInForce === 'never') return NEVER_RESTS;
  return order.trigger?.isPosition !== true && scaled(order, scale, asset).isZero() ? BELOW_LOT : undefined;
}

/** The same, of one that is to trade nothing. */
function refusalOf(order: SourceOrder, scale: Decimal, context: Context): Refusal | undefined {
  const { market } = context;
  const asset = market.assetOf(order.coin);
  const refusal = unplaceable(order, scale, context);
  if (refusal !== undefined || asset === undefined || order.trigger !== undefined) return refusal;
  const book = market.book(asset.id);
  const [best] = (order.side === 'buy' ? book?.asks : book?.bids) ?? [];
  const limit = { side: order.side, limitPrice: new Decimal(order.limitPrice) };
  return best !== undefined && isWithinLimit(best.price, limit) ? WOULD_TRADE : undefined;
}

export interface PlacedFamily {
  /** Each order, with its number or why it is left out. */
  readonly placed: readonly (readonly [SourceOrder, number | Refusal])[];
  /** The same as a command; undefined where it could be none. */
  readonly command?: CopiedCommand;
}

/** Places a parent and its children. */
export function placeFamily(draft: Draft, family: readonly SourceOrder[], scale: Decimal, context: Context): PlacedFamily {
  const { market } = context;
  const [first] = family;
  const asset = first && market.assetOf(first.coin);
  const refuse = (refusal: Refusal): PlacedFamily => ({ placed: family.map((order) => [order, refusal]) });
  if (first === undefined || asset === undefined) return refuse(UNLISTED);
  const requests = family.map((order) => toRequest(order, scale, asset));
  const read = requests.map((request) => readOrder(request, market));
  const grouping: Grouping = first.trigger?.isPosition ? 'positionTpsl' : family.length > 1 ? 'normalTpsl' : 'na';
  const refusal = checkAction(read, { grouping, market });
  if (refusal !== undefined) return refuse({ reason: 'refused', text: refusal });
  const outcomes = placeTogether(draft, read, grouping, context);
  const placed = family.map((order, at): readonly [SourceOrder, number | Refusal] => {
    const outcome = outcomes[at];
    if (outcome === undefined || outcome.type === 'error')
      return [order, { reason: 'refused', text: outcome?.text ?? 'It was not placed.' }];
    return [order, outcome.oid];
  });
  return { placed, command: { type: 'placeOrders', grouping, orders: requests.map((each, at) => withOid(each, outcomes[at])) } };
}

/** The request, with the number that the order has here: later commands name it. */
const withOid = (request: OrderRequest, outcome: OrderOutcome | undefined): OrderRequest =>
  outcome === undefined || outcome.type === 'error' ? request : { ...request, oid: outcome.oid };

function toRequest(order: SourceOrder, scale: Decimal, asset: Asset): OrderRequest {
  const { side, limitPrice, reduceOnly, cloid, trigger, timeInForce } = order;
  return {
    asset: asset.id,
    side,
    limitPrice,
    size: trigger?.isPosition ? '0' : scaled(order, scale, asset).toFixed(),
    reduceOnly,
    type:
      trigger === undefined
        ? { kind: 'limit', timeInForce: timeInForce === 'alo' ? 'alo' : 'gtc' }
        : { kind: 'trigger', triggerPrice: trigger.price, isMarket: trigger.isMarket, tpsl: trigger.tpsl },
    ...(cloid !== undefined && { cloid }),
  };
}

/** Cut toward zero to whole lots. */
const scaled = ({ size }: SourceOrder, scale: Decimal, { sizeDecimals }: Asset): Decimal =>
  cutTo(new Decimal(size).times(scale), sizeDecimals);

/** So far sums of what the venue has rounded may be off, USD. */
const ROUNDING = new Decimal('0.01');

interface Positions {
  readonly taken: readonly TakenPosition[];
  readonly left: readonly LeftOut[];
  /** Of those that were taken, at the venue's mark, USD. */
  readonly unrealizedPnl: Decimal;
}

/**
 * The positions of an address at another scale, as an account here can have them. A size is cut toward zero to whole lots, an isolated margin
 * in the same proportion; the price at which a position was entered stays.
 * @param options.value account value that the account is to begin with, USD
 */
export function importPositions(
  account: Account,
  positions: readonly SourcePosition[],
  { value, scale, context }: { readonly value: Decimal; readonly scale: Decimal; readonly context: Context },
): Positions {
  const { market } = context;
  const taken: TakenPosition[] = [];
  const left: LeftOut[] = [];
  let unrealizedPnl = ZERO;
  /** Of the account value, what no isolated margin has. */
  let free = value.plus(scale.times(ROUNDING));
  for (const source of positions) {
    const { coin } = source;
    const asset = market.assetOf(coin);
    const size = asset && cutTo(new Decimal(source.signedSize).times(scale), asset.sizeDecimals);
    const refusal = positionRefusal(source, { asset, size, market }) ?? refusalOfHouse(account, asset, context);
    if (refusal !== undefined || asset === undefined || size === undefined) {
      left.push({ kind: 'position', coin, ...(refusal ?? UNLISTED) });
      continue;
    }
    const share = (usd: string): Decimal => quotient(new Decimal(usd).times(size.abs()), new Decimal(source.signedSize).abs());
    const { entryPrice, marginMode } = source;
    const rawUsd = marginMode === 'cross' ? ZERO : cut6(share(source.rawUsd));
    const signedValue = size.isNeg() ? share(source.value).neg() : share(source.value);
    const margin = marginMode === 'cross' ? ZERO : Decimal.max(ZERO, signedValue.plus(rawUsd));
    if (margin.gt(free)) {
      left.push({ kind: 'position', coin, ...UNCOVERED });
      continue;
    }
    free = free.minus(margin);
    const { leverage, lowered } = leverageFor(source, asset, size.abs().times(market.prices(asset.id)?.markPrice ?? 0));
    if (lowered !== undefined) left.push({ kind: 'leverage', coin, reason: 'leverage', text: lowered });
    unrealizedPnl = unrealizedPnl.plus(signedValue).minus(size.times(entryPrice));
    taken.push({
      ...{ asset: asset.id, coin, signedSize: size.toString(), entryPrice },
      ...{ marginMode, leverage, rawUsd: rawUsd.toString() },
    });
  }
  return { taken, left, unrealizedPnl };
}

/** The account would owe what the margin has, and have it forgiven with the next liquidation. */
const UNCOVERED: Refusal = { reason: 'refused', text: 'The account value does not cover its isolated margin.' };
export const UNLISTED: Refusal = { reason: 'unlisted', text: 'The coin is no perpetual of the main list.' };

interface Wanted {
  readonly asset: Asset | undefined;
  readonly size: Decimal | undefined;
  readonly market: MarketView;
}

function positionRefusal({ marginMode }: SourcePosition, { asset, size, market }: Wanted): Refusal | undefined {
  if (asset === undefined || size === undefined) return UNLISTED;
  if (asset.isDelisted) return { reason: 'delisted', text: 'The venue has taken the coin off its list.' };
  const mark = market.prices(asset.id)?.markPrice;
  if (mark === undefined) return { reason: 'no_price', text: 'There is no mark of the coin at the moment.' };
  if (marginMode === 'cross' && asset.onlyIsolated) return { reason: 'margin_mode', text: 'The coin allows no cross margin.' };
  if (size.isZero()) return { reason: 'below_lot', text: `Less than a lot: sizes have ${asset.sizeDecimals} decimals.` };
  if (size.abs().times(mark).lt(ORDER_VALUE_MIN))
    return { reason: 'below_minimum', text: `It is worth less than ${ORDER_VALUE_MIN.toString()} USD.` };
  return undefined;
}

/** A position that the house rules of the account would let no order open. */
function refusalOfHouse(account: Account, asset: Asset | undefined, context: Context): Refusal | undefined {
  const refused = asset && openingRefusal(account, { asset, reduceOnly: false }, context);
  return refused && { reason: 'refused', text: refused.text };
}

/** No more than the coin, its tier and the service allow. */
function leverageFor(
  { leverage: wanted }: SourcePosition,
  { maxLeverage, marginTiers }: Asset,
  notional: Decimal,
): { readonly leverage: number; readonly lowered?: string } {
  const most = Math.min(maxLeverage, LEVERAGE_MAX, tierOf(marginTiers, notional).maxLeverage);
  if (wanted <= most) return { leverage: wanted };
  return { leverage: most, lowered: `${wanted}x is more than is allowed: the position has ${most}x.` };
}
