// What a mark does to TWAPs (trading-rules 2.8): it starts those that wait for it, and ends those whose stop price it has
// reached. Only a fresh market does either; on stale data they stay as they are. The first slice of one that starts is due
// at once, so the clock sends it.
import { Decimal } from '../../../shared/domain/decimal.ts';
import { isAt, sliceCount, type Twap, toTwapView, watchedPrice } from '../account/twap.ts';
import { type FreshMarket, freshMarket } from '../checks/checkForm.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { endTwap } from '../orders/endOrders.ts';

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
