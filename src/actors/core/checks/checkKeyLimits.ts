// May the API key that sends an order trade so far (docs/agents.md)? Asked before every other check of the order, and again where an
// order of the key opens something later: a trigger that fires, a slice, a resting order that a trade reaches. Limits stop what
// opens; orders that can only reduce pass all but the number of orders a minute.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, halfUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { KeyGuard, TradeLimits } from '../../../shared/domain/limits.ts';
import type { Account } from '../account/account.ts';
import { dayStartMs, ordersOfLate, secondOf } from '../account/limits.ts';
import { type Context, clockOf, type Decided } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { lossOfDay, resultOf } from '../margin/margin.ts';
import { leverageOf } from '../margin/positionMargin.ts';
import type { AccountEvent } from '../messages/event.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import type { ReadOrder } from './checkForm.ts';

/** An order as its key's limits see it. */
export interface GuardedOrder {
  readonly asset: Asset;
  readonly reduceOnly: boolean;
  /** The most that it can come to, USD; undefined where its numbers cannot be read, which later checks refuse. */
  readonly valueUsd: Decimal | undefined;
}

/** The first limit of the key that the order is beyond; undefined where there is none, or no limited key sends it. */
export function keyRefusal(account: Account, order: GuardedOrder, context: Context): Rejection | undefined {
  const { key } = context;
  if (key === undefined) return undefined;
  const id = { asset: order.asset.id };
  const refused = rateRefusal(account, key, { ...id, nowMs: clockOf(context) });
  if (refused !== undefined || order.reduceOnly) return refused;
  return (
    lossRefusal(account, key.dailyLossUsd, { ...id, market: context.market }) ??
    leverageRefusal(account, key, order.asset) ??
    valueRefusal(key, order)
  );
}

/** Whether it is a limit of the key that has refused. */
export const isOfKey = ({ reason }: Rejection): boolean => reason.startsWith('key');

function rateRefusal(
  account: Account,
  { keyId, ordersPerMinute: max }: KeyGuard,
  { asset, nowMs }: { readonly asset: number; readonly nowMs: number },
): Rejection | undefined {
  if (max === undefined) return undefined;
  const sent = ordersOfLate(account.keyOrders, keyId, nowMs);
  return sent < max ? undefined : rejection('keyOrdersPerMinute', { asset, sent, max });
}

/** The refusal of what opens once the day's loss has reached the limit. @param maxUsd undefined = no limit */
export function lossRefusal(
  account: Account,
  maxUsd: string | undefined,
  { asset, market }: { readonly asset: number; readonly market: MarketView },
): Rejection | undefined {
  if (maxUsd === undefined) return undefined;
  const lost = lossOfDay(account, resultOf(account, market));
  return lost.lt(maxUsd) ? undefined : rejection('keyDailyLoss', { asset, lost: usd(lost), max: usd(new Decimal(maxUsd)) });
}

function leverageRefusal(account: Account, { leverage: max }: TradeLimits, asset: Asset): Rejection | undefined {
  const { leverage } = leverageOf(account, asset);
  if (max === undefined || leverage <= max) return undefined;
  return rejection('keyLeverage', { asset: asset.id, leverage, max });
}

function valueRefusal({ orderUsd: max }: TradeLimits, { asset, valueUsd }: GuardedOrder): Rejection | undefined {
  if (max === undefined || valueUsd === undefined || valueUsd.lte(max)) return undefined;
  return rejection('keyOrderValue', { asset: asset.id, value: usd(valueUsd), max: usd(new Decimal(max)) });
}

/** The text for a leverage that the key may not set; undefined for one that it may. */
export function leverageText(leverage: number, { key }: Pick<Context, 'key'>): string | undefined {
  if (key?.leverage === undefined || !(leverage > key.leverage)) return undefined;
  return `Leverage ${leverage}x is above the limit of this API key: ${key.leverage}x.`;
}

/** An order of a client as its key's limits see it. */
export function guarded({ request, size, limitPrice, triggerPrice }: ReadOrder, asset: Asset, market: MarketView): GuardedOrder {
  const { side, reduceOnly } = request;
  const bid = side === 'sell' ? market.book(asset.id)?.bids[0]?.price : undefined;
  const prices = [limitPrice, triggerPrice, bid].filter((price) => price !== undefined);
  const highest = prices.length > 0 ? Decimal.max(...prices) : undefined;
  return { asset, reduceOnly, valueUsd: limitPrice && size && highest?.times(size) };
}

/** Records that the key has sent an order, where that is limited. */
export function countOrder(record: (event: AccountEvent) => void, context: Context): void {
  const { key } = context;
  if (key?.ordersPerMinute === undefined) return;
  record({ type: 'keyOrderCounted', keyId: key.keyId, second: secondOf(clockOf(context)) });
}

/** What an order has to remember of its key: where its loss ends what it may open. */
export const lossLimitOf = ({ key }: Context): { readonly lossMaxUsd?: string } =>
  key?.dailyLossUsd === undefined ? {} : { lossMaxUsd: key.dailyLossUsd };

/** What has to be known before the first order of a key whose loss is limited: what the account had gained until then. */
export function beginDay({ account }: Draft, context: Context): Decided {
  if (context.key?.dailyLossUsd === undefined || account.dayStart !== undefined) return { events: [] };
  return { events: [dayBegun(account, context)] };
}

/** A new UTC day, and what the account has gained until then. */
export const dayBegun = (account: Account, context: Context): AccountEvent => ({
  type: 'dayBegun',
  startMs: dayStartMs(clockOf(context)),
  resultUsd: resultOf(account, context.market).toString(),
});

const usd = (value: Decimal): string => halfUp(value, USD_DECIMALS).toFixed();
