// One slice of a TWAP when its time has come (trading-rules 2.8): an Ioc of its own within 3 % of the mid, checked
// like any order but for the minimum value. Missed slices are not sent: the next one makes up for them within its
// cap.

import type { Account } from '../../../actors/core/account/account.ts';
import {
  isAt,
  latestSlice,
  leftOf,
  nextSliceMs,
  sliceCount,
  sliceSize,
  stopOf,
  type Twap,
  toTwapView,
  watchedPrice,
} from '../../../actors/core/account/twap.ts';
import { type FreshMarket, freshMarket, toLegalPrice } from '../../../actors/core/checks/checkForm.ts';
import { openingRefusal } from '../../../actors/core/checks/checkOpening.ts';
import type { Draft } from '../../../actors/core/fold/draft.ts';
import { type Context, clockOf, type DuePart } from '../../../actors/core/fold/pipeline.ts';
import { type Rejection, type RejectReason, rejection } from '../../../actors/core/messages/rejection.ts';
import { endTwap } from '../../../actors/core/orders/endOrders.ts';
import { placeOrder } from '../../../actors/core/orders/placeOrders.ts';
import type { Asset } from '../../../market/domain/asset.ts';
import type { CoinPrices } from '../../../market/domain/marketView.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';

/** How far beyond the mid a slice may go. */
const BUY_FACTOR = new Decimal('1.03');
const SELL_FACTOR = new Decimal('0.97');

/** A slice that is refused for this has found nothing; the next ones catch up. Any other reason ends the TWAP. */
const NOTHING_FOUND: RejectReason = 'nothingToMatch';

/** The next slice of any TWAP that runs. */
export const slicesDue: DuePart = { nextMs: earliestSliceMs, run: sendDueSlices };

/** Gives every TWAP its turn whose next slice is due at this time; one TWAP's slice may end another. */
function sendDueSlices(draft: Draft, context: Context, dueMs: number): void {
  const due = [...draft.account.twaps.values()].filter((each) => !each.isWaiting && nextSliceMs(each) === dueMs);
  for (const { twapId } of due) {
    const twap = draft.account.twaps.get(twapId);
    if (twap) takeTurn(draft, twap, context);
  }
}

/** Of all running TWAPs. */
function earliestSliceMs({ twaps }: Account): number | undefined {
  let earliestMs: number | undefined;
  for (const twap of twaps.values()) {
    if (twap.isWaiting) continue;
    const dueMs = nextSliceMs(twap);
    if (earliestMs === undefined || dueMs < earliestMs) earliestMs = dueMs;
  }
  return earliestMs;
}

/** The latest slice whose time has come. */
function takeTurn(draft: Draft, twap: Twap, context: Context): void {
  if (isStopped(twap, context)) {
    endTwap(draft, twap, { status: 'stopped' });
    return;
  }
  const slice = latestSlice(twap, clockOf(context));
  draft.record({ type: 'twapSliced', twapId: twap.twapId, slice });
  const refused = sendSlice(draft, twap, slice, context);
  const after = draft.account.twaps.get(twap.twapId);
  if (!after) return;
  if (refused?.reason === 'reduceOnlyWouldIncrease') endTwap(draft, after, { status: 'terminated' });
  else if (refused && refused.reason !== NOTHING_FOUND) endTwap(draft, after, { status: 'error', text: refused.text });
  else if (slice === twap.slices - 1 || leftOf(after).isZero()) endTwap(draft, after, { status: 'finished' });
}

/** True when a fresh mark has reached the stop price, though the account was not shown it. */
function isStopped({ asset, side, stopPrice }: Twap, context: Context): boolean {
  if (stopPrice === undefined) return false;
  const fresh = freshMarket(context.market, { asset, nowMs: clockOf(context) });
  return fresh.type === 'fresh' && isAt(stopOf(side, stopPrice), fresh.prices.markPrice);
}

/** @returns the refusal, if a check refused the slice; undefined also when there was nothing to send */
function sendSlice(draft: Draft, twap: Twap, slice: number, context: Context): Rejection | undefined {
  const asset = context.market.asset(twap.asset);
  assert(asset, `TWAP ${twap.twapId} of unknown asset ${twap.asset}`);
  if (asset.isDelisted) return rejection('halted', { asset: asset.id });
  const size = sliceSize(twap, slice, asset);
  const fresh = freshMarket(context.market, { asset: asset.id, nowMs: clockOf(context) });
  if (size.isZero() || fresh.type === 'stale') return undefined;
  const { side, reduceOnly, twapId, lossMaxUsd } = twap;
  const beyond = openingRefusal(draft.account, { asset, reduceOnly, lossMaxUsd }, context);
  if (beyond) return beyond;
  const limitPrice = limitOf(twap, asset, fresh.prices);
  const request = {
    asset: asset.id,
    side,
    limitPrice: limitPrice.toString(),
    size: size.toString(),
    reduceOnly,
    type: { kind: 'limit', timeInForce: 'ioc' },
  } as const;
  const placed = placeOrder(draft, { request, asset, size, limitPrice, twapId }, context);
  return placed.type === 'rejected' ? placed : undefined;
}

/** Mid and 3 %, as a legal price; by the mark while there is no mid. */
function limitOf({ side }: Twap, { sizeDecimals }: Asset, { midPrice, markPrice }: CoinPrices): Decimal {
  const farthest = (midPrice ?? markPrice).times(side === 'buy' ? BUY_FACTOR : SELL_FACTOR);
  return toLegalPrice(farthest, { side, sizeDecimals });
}

// What a mark does to TWAPs (trading-rules 2.8): it starts those that wait for it, and ends those whose stop price it has
// reached. Only a fresh market does either; on stale data they stay as they are. The first slice of one that starts is due
// at once, so the clock sends it.

/** Starts and ends all TWAPs of the coin for which its mark is the one, oldest first. */
export function fireTwaps(draft: Draft, coin: string, context: Context): void {
  if (draft.account.twaps.size === 0) return;
  const asset = context.market.assetOf(coin);
  if (!asset || asset.isDelisted) return;
  const watching = [...draft.account.twaps.values()].filter((twap) => twap.asset === asset.id && watchedPrice(twap));
  if (watching.length === 0) return;
  const fresh = freshMarket(context.market, { asset: asset.id, nowMs: clockOf(context) });
  if (fresh.type === 'stale') return;
  for (const { twapId } of watching) fire(draft, twapId, { fresh, context });
}

/** One whose trigger lies beyond its stop starts and ends at the same mark. */
function fire(
  draft: Draft,
  twapId: number,
  { fresh, context }: { readonly fresh: FreshMarket; readonly context: Context },
): void {
  for (let twap = reached(draft, twapId, fresh); twap; twap = reached(draft, twapId, fresh)) {
    if (twap.isWaiting) start(draft, twap, { fresh, context });
    else endTwap(draft, twap, { status: 'stopped' });
  }
}

function reached({ account }: Draft, twapId: number, { prices }: FreshMarket): Twap | undefined {
  const twap = account.twaps.get(twapId);
  const price = twap && watchedPrice(twap);
  return price && isAt(price, prices.markPrice) ? twap : undefined;
}

/** It runs from now on, with as many slices as its value is worth now. */
function start(draft: Draft, twap: Twap, { fresh, context }: { readonly fresh: FreshMarket; readonly context: Context }): void {
  const { midPrice, markPrice } = fresh.prices;
  const notional = new Decimal(twap.size).times(midPrice ?? markPrice);
  draft.record({
    type: 'twapTriggered',
    twap: { ...toTwapView(twap), startedAtMs: clockOf(context) },
    slices: sliceCount({ minutes: twap.minutes, notional }),
    markPrice: markPrice.toString(),
  });
}
