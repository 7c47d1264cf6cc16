// Fills of a mirrored address. One that belongs to an order with a copy here is the copy's own matter: the market fills it, or does not. One that
// came before its order was seen resting, and one of an order without a copy, becomes an Ioc order at the market. Fills of one
// order that come together are one order here.
import type { Asset } from '../../../../market/domain/asset.ts';
import { cutTo, Decimal, ZERO } from '../../../../shared/domain/decimal.ts';
import { isNewFill } from '../../account/group/following.ts';
import { readOrder } from '../../checks/readOrder.ts';
import type { Context } from '../../fold/decision.ts';
import type { Draft } from '../../fold/draft.ts';
import type { SourceFill } from '../../messages/answers/sourceFacts.ts';
import type { MirroredCommand } from '../../messages/command.ts';
import type { AccountEvent } from '../../messages/event.ts';
import { placeOrder } from '../../orders/placeOrders.ts';
import { withOid } from './importOrders.ts';
import { UNLISTED } from './importPositions.ts';

/**
 * Records on the draft each fill that was not heard of, and what is ordered for it.
 * @returns the orders, as commands
 */
export function takeFills(draft: Draft, fills: readonly SourceFill[], scale: Decimal, context: Context): MirroredCommand[] {
  const { following } = draft.account;
  const oldestFirst = fills
    .filter((fill) => following !== undefined && isNewFill(following, fill))
    .sort((a, b) => a.timeMs - b.timeMs || a.tid - b.tid);
  return runsOf(oldestFirst).flatMap((run) => takeRun(draft, run, scale, context));
}

/** Those in a row that are of one order, and all close or none. */
function runsOf(fills: readonly SourceFill[]): SourceFill[][] {
  const runs: SourceFill[][] = [];
  const tids = new Set<number>();
  for (const fill of fills) {
    if (tids.has(fill.tid)) continue;
    tids.add(fill.tid);
    const last = runs.at(-1);
    const [first] = last ?? [];
    if (last && first?.oid === fill.oid && first.closes === fill.closes) last.push(fill);
    else runs.push([fill]);
  }
  return runs;
}

function takeRun(draft: Draft, run: readonly SourceFill[], scale: Decimal, context: Context): MirroredCommand[] {
  const [first] = run;
  if (first === undefined) return [];
  const met = metBy(first, context);
  const takenBefore = takenOf(draft, first.oid);
  for (const { oid: sourceOid, ...fill } of run) {
    const size = partWithoutCopy(draft, sourceOid, new Decimal(fill.size));
    draft.record({ type: 'sourceFilled', sourceOid, ...fill, taken: size.toString(), ...met });
  }
  const takenAfter = takenOf(draft, first.oid);
  if (takenAfter.eq(takenBefore)) return [];
  const asset = context.market.assetOf(first.coin);
  // What is cut off is made up for by later fills of the order.
  const upTo = (taken: Decimal): Decimal => cutTo(taken.times(scale), asset?.sizeDecimals ?? 0);
  const size = upTo(takenAfter).minus(upTo(takenBefore));
  const { taken, command } = ordered(draft, first, { asset, size }, context);
  draft.record(taken);
  return command === undefined ? [] : [command];
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

const takenOf = (draft: Draft, sourceOid: number): Decimal =>
  new Decimal(draft.account.following?.orders.get(sourceOid)?.taken ?? '0');

/** Places the order; what comes of it, and the order as a command. */
function ordered(
  draft: Draft,
  { oid: sourceOid, coin, side, closes }: SourceFill,
  { asset, size }: { readonly asset: Asset | undefined; readonly size: Decimal },
  context: Context,
): { readonly taken: AccountEvent; readonly command?: MirroredCommand } {
  const event = { type: 'sourceTaken', sourceOid, coin, size: size.toString() } as const;
  if (asset === undefined) return { taken: { ...event, text: UNLISTED.text } };
  if (size.isZero()) return { taken: { ...event, text: 'Less than a lot.' } };
  const type = { kind: 'limit', timeInForce: 'ioc' } as const;
  const request = { asset: asset.id, side, limitPrice: '0', size: size.toFixed(), reduceOnly: closes === true, type };
  const outcome = placeOrder(draft, readOrder(request, context.market), context);
  const taken = outcome.type === 'error' ? { ...event, text: outcome.text } : { ...event, oid: outcome.oid };
  return { taken, command: { type: 'placeOrders', grouping: 'na', orders: [withOid(request, outcome)] } };
}
