// Fills of a mirrored address. One that belongs to an order with a copy here is the copy's own matter: the market fills it, or does not. One that
// came before its order was seen resting, and one of an order without a copy, becomes an Ioc order at the market. Fills of one
// order that come together are one order here, or as many as it takes where they are worth more than one may be.

import { isNewFill } from '../../../actors/core/account/copies.ts';
import { orderValueMax, type ReadOrder, readOrder } from '../../../actors/core/checks/checkForm.ts';
import type { Draft } from '../../../actors/core/fold/draft.ts';
import type { Context } from '../../../actors/core/fold/pipeline.ts';
import type { CopiedCommand } from '../../../actors/core/messages/command.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { SourceFill } from '../../../actors/core/messages/importReport.ts';
import type { OrderRequest } from '../../../actors/core/messages/order.ts';
import { placeOrder } from '../../../actors/core/orders/placeOrders.ts';
import type { Asset } from '../../../market/domain/asset.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { UNLISTED } from './importOrders.ts';

type TakenEvent = Extract<AccountEvent, { type: 'sourceTaken' }>;

/** Orders for the fills of one order that come together: as many as the largest that can rest at the venue is worth. */
const PARTS_MAX = 10;

/**
 * Records on the draft each fill that was not heard of, and what is ordered for it.
 * @returns the orders, as commands
 */
export function takeFills(draft: Draft, fills: readonly SourceFill[], scale: Decimal, context: Context): CopiedCommand[] {
  const { following } = draft.account;
  const oldestFirst = fills
    .filter((fill) => following !== undefined && isNewFill(following, fill))
    .sort((a, b) => a.timeMs - b.timeMs || a.tid - b.tid);
  return runsOf(oldestFirst).flatMap((run) => takeRun(draft, run, scale, context));
}

/** Those in a row that are of one order, and all close or none. */
function runsOf(fills: readonly SourceFill[]): SourceFill[][] {
  const runs: SourceFill[][] = [];
  const names = new Set<string>();
  for (const fill of fills) {
    const name = `${fill.timeMs} ${fill.tid} ${fill.oid}`;
    if (names.has(name)) continue;
    names.add(name);
    const last = runs.at(-1);
    const [first] = last ?? [];
    if (last && first?.oid === fill.oid && first.closes === fill.closes) last.push(fill);
    else runs.push([fill]);
  }
  return runs;
}

function takeRun(draft: Draft, run: readonly SourceFill[], scale: Decimal, context: Context): CopiedCommand[] {
  const [first] = run;
  if (first === undefined) return [];
  const met = metBy(first, context);
  let coins = ZERO;
  for (const { oid: sourceOid, ...fill } of run) {
    const size = partWithoutCopy(draft, sourceOid, new Decimal(fill.size));
    draft.record({ type: 'sourceFilled', sourceOid, ...fill, taken: size.toString(), ...met });
    coins = coins.plus(size);
  }
  if (coins.isZero()) return [];
  const asset = context.market.assetOf(first.coin);
  const { taken, ordered = '0' } = draft.account.following?.orders.get(first.oid) ?? { taken: '0' };
  // What was cut off or put off before is made up for.
  const size = cutTo(scale.times(taken), asset?.sizeDecimals ?? 0).minus(ordered);
  const note = (done: Pick<TakenEvent, 'size' | 'oid' | 'text'>): void =>
    draft.record({ type: 'sourceTaken', sourceOid: first.oid, coin: first.coin, ...done });
  if (asset === undefined) note({ size: size.toString(), text: UNLISTED.text });
  else if (size.isZero()) note({ size: '0', text: 'Less than a lot.' });
  else return [{ type: 'placeOrders', grouping: 'na', orders: order(draft, first, { asset, size, note }, context) }];
  return [];
}

/** The prices here when the fill came. */
function metBy({ coin, side }: SourceFill, { market }: Context): { readonly touchPrice?: string; readonly markPrice?: string } {
  const asset = market.assetOf(coin);
  if (asset === undefined) return {};
  const book = market.book(asset.id);
  const [touch] = (side === 'buy' ? book?.asks : book?.bids) ?? [];
  const mark = market.prices(asset.id)?.markPrice;
  return { ...(touch && { touchPrice: touch.price.toString() }), ...(mark && { markPrice: mark.toString() }) };
}

/** How much of the next fill of the order is not the matter of its copy, coins. */
function partWithoutCopy(draft: Draft, sourceOid: number, size: Decimal): Decimal {
  const seen = draft.account.following?.orders.get(sourceOid);
  if (seen?.oid === undefined) return size;
  return Decimal.max(ZERO, Decimal.min(size, new Decimal(seen.before ?? '0').minus(seen.taken)));
}

interface Wanted {
  readonly asset: Asset;
  /** Coins. */
  readonly size: Decimal;
  /** Records what came of an order. */
  readonly note: (done: Pick<TakenEvent, 'size' | 'oid' | 'text'>) => void;
}

/**
 * Places orders for all of the size, none worth more than one may be. After a refusal the rest is ordered no more; where it is worth less
 * than an order may be, it is put off until more of the address's order is filled.
 * @returns the orders
 */
function order(draft: Draft, { side, closes }: SourceFill, { asset, size, note }: Wanted, context: Context): OrderRequest[] {
  const orders: OrderRequest[] = [];
  for (let rest = size; rest.gt(0); ) {
    const type = { kind: 'limit', timeInForce: 'ioc' } as const;
    const request = { asset: asset.id, side, limitPrice: '0', size: rest.toFixed(), reduceOnly: closes === true, type };
    const whole = readOrder(request, context.market);
    const most = orders.length < PARTS_MAX ? largestSize(whole, asset) : rest;
    const part = Decimal.min(rest, most).toFixed();
    const outcome = placeOrder(draft, { ...whole, request: { ...request, size: part }, size: new Decimal(part) }, context);
    const oid = 'oid' in outcome ? { oid: outcome.oid } : {};
    orders.push({ ...request, size: part, ...oid });
    if ('text' in outcome) {
      const isPutOff = outcome.type === 'rejected' && outcome.reason === 'valueTooSmall';
      note({ size: isPutOff ? '0' : rest.toString(), text: outcome.text });
      break;
    }
    note({ size: part, ...oid });
    rest = rest.minus(part);
  }
  return orders;
}

/** Coins that one order may be for, in whole lots. */
function largestSize({ limitPrice, size }: ReadOrder, asset: Asset): Decimal {
  if (size === undefined || limitPrice === undefined || limitPrice.isZero()) return size ?? ZERO;
  const lot = new Decimal(10).pow(-asset.sizeDecimals);
  const lots = new Decimal(orderValueMax(asset, { immediate: true })).divToInt(limitPrice.times(lot));
  return lots.isZero() ? size : lots.times(lot);
}
