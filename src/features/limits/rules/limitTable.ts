// The limits on what an account opens, as one table in the order of docs/errors.md. A row has the measure of a limit and the reason of its
// refusal. Limits of an API key come before limits of the account. The core asks them of each order before every other check. It asks again
// where an order opens something later: a trigger that fires, a slice, a resting order that a trade reaches. `addressLimit.ts` has the limit
// on commands. `watchLimits.ts` records that an account is beyond a limit of its own.
import type { Account } from '../../../actors/core/account/account.ts';
import { breachOf, isOutside, type LimitsState, ordersOfLate, secondOf } from '../../../actors/core/account/limits.ts';
import { type Context, clockOf, type Opening, type OpeningLimits } from '../../../actors/core/fold/pipeline.ts';
import { drawdownOf, lossOfDay, percentOf, resultOf } from '../../../actors/core/margin/drawdown.ts';
import { hasFreshMarks, leverageOf } from '../../../actors/core/margin/positionMargin.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { type Rejection, type RejectReason, rejection } from '../../../actors/core/messages/rejection.ts';
import { Decimal, halfUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import { type AccountLimits, type KeyGuard, type LimitName, minuteText } from '../../../shared/domain/limits.ts';

type Numbers = Readonly<Record<string, string | number>>;

interface Measured {
  readonly account: Account;
  readonly opening: Opening;
  readonly context: Context;
}

interface Limit<Limits> {
  readonly reason: RejectReason;
  /** Orders that can only reduce are under it, too. */
  readonly ofReducing?: true;
  /** The numbers of the refusal, where the measure is beyond the limit. Undefined where it is within, and without such a limit. */
  readonly beyond: (limits: Limits, measured: Measured) => Numbers | undefined;
}

const KEY_LIMITS: readonly Limit<Partial<KeyGuard>>[] = [
  { reason: 'keyOrdersPerMinute', beyond: ordersBeyond, ofReducing: true },
  { reason: 'keyDailyLoss', beyond: lossBeyondKey },
  { reason: 'keyLeverage', beyond: leverageBeyond },
  { reason: 'keyOrderValue', beyond: valueBeyond },
];

const ACCOUNT_LIMITS: readonly Limit<LimitsState>[] = [
  { reason: 'houseDailyLoss', beyond: lossBeyondLimit },
  { reason: 'houseDrawdown', beyond: drawdownBeyondLimit },
  { reason: 'houseHours', beyond: hoursBeyond },
  { reason: 'houseCoins', beyond: coinsBeyond },
];

/** The first limit that keeps the order from opening anything. */
function firstRefusal<Limits>(table: readonly Limit<Limits>[], limits: Limits, measured: Measured): Rejection | undefined {
  const { reduceOnly, asset } = measured.opening;
  for (const { reason, ofReducing, beyond } of table) {
    const numbers = reduceOnly && !ofReducing ? undefined : beyond(limits, measured);
    if (numbers !== undefined) return rejection(reason, { asset: asset.id, ...numbers });
  }
  return undefined;
}

/** Limits of the API key that sends an order now. An order that goes on later is under the loss of a day alone. */
export const keyLimits: OpeningLimits = {
  refusalOf(account, opening, context) {
    const { sent, lossMaxUsd } = opening;
    const later = lossMaxUsd === undefined ? undefined : { dailyLossUsd: lossMaxUsd };
    const limits = sent === undefined ? later : context.key;
    return limits && firstRefusal(KEY_LIMITS, limits, { account, opening, context });
  },
  leverageRefusal: leverageText,
  counted: countOrder,
};

export const accountLimits: OpeningLimits = {
  refusalOf: (account, opening, context) =>
    account.house && firstRefusal(ACCOUNT_LIMITS, account.house, { account, opening, context }),
  opened: noteCoin,
};

function ordersBeyond({ keyId, ordersPerMinute: max }: Partial<KeyGuard>, { account, context }: Measured): Numbers | undefined {
  if (keyId === undefined || max === undefined) return undefined;
  const sent = ordersOfLate(account.keyOrders, keyId, clockOf(context));
  return sent < max ? undefined : { sent, max };
}

function lossBeyondKey({ dailyLossUsd: max }: Partial<KeyGuard>, { account, context }: Measured): Numbers | undefined {
  if (max === undefined) return undefined;
  const lost = lossOfDay(account, resultOf(account, context.market));
  return lost.lt(max) ? undefined : { lost: usd(lost), max: usd(new Decimal(max)) };
}

function leverageBeyond({ leverage: max }: Partial<KeyGuard>, { account, opening }: Measured): Numbers | undefined {
  const { leverage } = leverageOf(account, opening.asset);
  return max === undefined || leverage <= max ? undefined : { leverage, max };
}

function valueBeyond({ orderUsd: max }: Partial<KeyGuard>, { opening: { sent } }: Measured): Numbers | undefined {
  const value = sent?.valueUsd;
  return max === undefined || value === undefined || value.lte(max)
    ? undefined
    : { value: usd(value), max: usd(new Decimal(max)) };
}

/** A limit of the account, where it refuses what opens. */
function refusing<Name extends LimitName>({ rules }: LimitsState, name: Name): AccountLimits[Name] | undefined {
  const limit = rules[name];
  return limit?.act === 'warn' ? undefined : limit;
}

function lossBeyondLimit(house: LimitsState, measured: Measured): Numbers | undefined {
  const limit = refusing(house, 'dailyLoss');
  if (limit === undefined) return undefined;
  const max = usd(new Decimal(limit.usd));
  const lost = found('dailyLoss', house, measured, max);
  return lost === undefined ? undefined : { lost, max };
}

function drawdownBeyondLimit(house: LimitsState, measured: Measured): Numbers | undefined {
  const max = refusing(house, 'drawdown')?.percent;
  if (max === undefined) return undefined;
  const fall = found('drawdown', house, measured, max);
  return fall === undefined ? undefined : { found: fall, max };
}

/**
 * The measure of the breach that the account remembers, or the measure of now. An order of a batch comes before the watch finds the
 * breach, and so does an order that fires at the mark of the breach.
 */
function found(
  name: 'dailyLoss' | 'drawdown',
  house: LimitsState,
  { account, context }: Measured,
  max: string,
): string | undefined {
  const breach = breachOf(house, name);
  if (breach !== undefined) return breach.found ?? max;
  const resultUsd = freshResult(account, context);
  return resultUsd && (name === 'dailyLoss' ? lossBeyond : drawdownBeyond)(account, house, resultUsd);
}

function hoursBeyond(house: LimitsState, { context }: Measured): Numbers | undefined {
  const hours = refusing(house, 'hours');
  if (hours === undefined || !isOutside(hours, clockOf(context))) return undefined;
  return { from: minuteText(hours.fromMinute), to: minuteText(hours.toMinute) };
}

function coinsBeyond(house: LimitsState, { opening: { asset } }: Measured): Numbers | undefined {
  const only = refusing(house, 'coins')?.only;
  return only === undefined || only.includes(asset.coin) ? undefined : { coin: asset.coin, only: only.join(', ') };
}

/** Something is open in a coin that the limits do not name: noted once of each coin. Where they refuse the coin, nothing is open. */
export function noteCoin({ house }: Pick<Account, 'house'>, coin: string): AccountEvent | undefined {
  const { coins } = house?.rules ?? {};
  if (house === undefined || coins === undefined || coins.only.includes(coin) || breachOf(house, 'coins', coin)) return undefined;
  return { type: 'houseRuleBroken', rule: 'coins', coin };
}

/** The text for a leverage that the key may not set. */
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

const PERCENT = 100;

/** What the account has gained, USD; undefined while a mark is too old to judge by. */
export function freshResult(account: Account, context: Pick<Context, 'market' | 'nowMs' | 'clockMs'>): Decimal | undefined {
  const pool = { positions: [...account.positions.values()] };
  return hasFreshMarks(pool, context.market, clockOf(context)) ? resultOf(account, context.market) : undefined;
}

/** The loss of this day, USD, where it is as much as the limit or more. */
export function lossBeyond(account: Account, { rules }: LimitsState, resultUsd: Decimal): string | undefined {
  const { dailyLoss } = rules;
  const lost = lossOfDay(account, resultUsd);
  return dailyLoss !== undefined && lost.gte(dailyLoss.usd) ? usd(lost) : undefined;
}

/** How far the account is below its peak, percent, where that is as much as the limit or more. */
export function drawdownBeyond(account: Account, house: LimitsState, resultUsd: Decimal): string | undefined {
  const { drawdown } = house.rules;
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  if (drawdown === undefined || ofUsd.lte(0) || fallUsd.times(PERCENT).lt(ofUsd.times(drawdown.percent))) return undefined;
  return percentOf(fallUsd, ofUsd);
}

const usd = (value: Decimal): string => halfUp(value, USD_DECIMALS).toFixed();
