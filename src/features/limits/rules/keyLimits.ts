// May the API key that sends an order trade so far (docs/agents.md)? Asked before every other check of the order, and again where an
// order of the key opens something later: a trigger that fires, a slice, a resting order that a trade reaches. Limits stop what
// opens; orders that can only reduce pass all but the number of orders a minute.

import type { Account } from '../../../actors/core/account/account.ts';
import {
  dayStartMs,
  nextDayMs,
  ordersOfLate,
  secondOf,
  withOrder,
  withoutBreaches,
} from '../../../actors/core/account/limits.ts';
import type { EvolveSteps } from '../../../actors/core/fold/evolve.ts';
import { type Context, clockOf, type DuePart, type Opening, type OpeningLimits } from '../../../actors/core/fold/pipeline.ts';
import { lossOfDay, resultOf } from '../../../actors/core/margin/drawdown.ts';
import { leverageOf } from '../../../actors/core/margin/positionMargin.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { type Rejection, rejection } from '../../../actors/core/messages/rejection.ts';
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, halfUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { KeyGuard, TradeLimits } from '../../../shared/domain/limits.ts';

/** Limits of the API key that sends an order now, or has sent it: of the latter the loss of a day alone. */
export const keyLimits: OpeningLimits = { refusalOf: keyRefusal, leverageRefusal: leverageText, counted: countOrder };

function keyRefusal(account: Account, { asset, reduceOnly, sent, lossMaxUsd }: Opening, context: Context): Rejection | undefined {
  const id = { asset: asset.id };
  if (sent === undefined) return reduceOnly ? undefined : lossRefusal(account, lossMaxUsd, { ...id, market: context.market });
  const { key } = context;
  if (key === undefined) return undefined;
  const refused = rateRefusal(account, key, { ...id, nowMs: clockOf(context) });
  if (refused !== undefined || reduceOnly) return refused;
  return (
    lossRefusal(account, key.dailyLossUsd, { ...id, market: context.market }) ??
    leverageRefusal(account, key, asset) ??
    valueRefusal(key, { asset, valueUsd: sent.valueUsd })
  );
}

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
function lossRefusal(
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

function valueRefusal(
  { orderUsd: max }: TradeLimits,
  { asset, valueUsd }: { readonly asset: Asset; readonly valueUsd: Decimal | undefined },
): Rejection | undefined {
  if (max === undefined || valueUsd === undefined || valueUsd.lte(max)) return undefined;
  return rejection('keyOrderValue', { asset: asset.id, value: usd(valueUsd), max: usd(new Decimal(max)) });
}

/** The text for a leverage that the key may not set; undefined for one that it may. */
function leverageText(leverage: number, { key }: Pick<Context, 'key'>): string | undefined {
  if (key?.leverage === undefined || !(leverage > key.leverage)) return undefined;
  return `Leverage ${leverage}x is above the limit of this API key: ${key.leverage}x.`;
}

/** The key has sent an order, where that is limited. */
function countOrder(context: Context): AccountEvent | undefined {
  const { key } = context;
  if (key?.ordersPerMinute === undefined) return undefined;
  return { type: 'keyOrderCounted', keyId: key.keyId, second: secondOf(clockOf(context)) };
}

/** What has to be known before the first order of a key whose loss is limited: what the account had gained until then. */
export function beginDay(account: Account, context: Context): AccountEvent | undefined {
  return context.key?.dailyLossUsd === undefined || account.dayStart !== undefined ? undefined : dayBegun(account, context);
}

/** The UTC day by which losses are measured. */
export const dayTurns: DuePart = {
  nextMs: ({ dayStart }) => nextDayMs(dayStart),
  run: (draft, context) => draft.record(dayBegun(draft.account, context)),
};

/** A new UTC day, and what the account has gained until then. */
export const dayBegun = (account: Account, context: Context): AccountEvent => ({
  type: 'dayBegun',
  startMs: dayStartMs(clockOf(context)),
  resultUsd: resultOf(account, context.market).toString(),
});

export const keySteps: EvolveSteps<'keyOrderCounted' | 'dayBegun'> = {
  keyOrderCounted({ account }, event) {
    account.keyOrders = withOrder(account.keyOrders, event);
  },
  dayBegun({ account }, { startMs, resultUsd }) {
    account.dayStart = { startMs, resultUsd: new Decimal(resultUsd) };
    if (account.house) account.house = withoutBreaches(account.house, 'dailyLoss');
  },
};

const usd = (value: Decimal): string => halfUp(value, USD_DECIMALS).toFixed();
