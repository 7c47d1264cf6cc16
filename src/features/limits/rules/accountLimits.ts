// Whether house rules let an order open anything, and the figures by which they judge.

import type { Account } from '../../../actors/core/account/account.ts';
import { breachOf, isOutside, type LimitsState } from '../../../actors/core/account/limits.ts';
import { type Context, clockOf, type Opening, type OpeningLimits } from '../../../actors/core/fold/pipeline.ts';
import { drawdownOf, lossOfDay, percentOf, resultOf } from '../../../actors/core/margin/drawdown.ts';
import { hasFreshMarks } from '../../../actors/core/margin/positionMargin.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { type Rejection, rejection } from '../../../actors/core/messages/rejection.ts';
import { Decimal, halfUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import { minuteText } from '../../../shared/domain/limits.ts';

// May the account open anything more under its house rules (docs/agents.md)? Asked of each order after the limits of its key, and again
// where an order opens something later. `watchLimits.ts` records that a rule is broken.

type Judged = Pick<Context, 'market' | 'nowMs' | 'clockMs'>;

/** The first rule that keeps the order from opening anything; undefined where there is none. */
function limitRefusal(
  account: Account,
  { asset: { id: asset, coin }, reduceOnly }: Opening,
  context: Judged,
): Rejection | undefined {
  const { house } = account;
  if (house === undefined || reduceOnly) return undefined;
  return (
    lossRuleRefusal(account, house, { asset, context }) ??
    drawdownRefusal(account, house, { asset, context }) ??
    hoursRefusal(house, { asset, nowMs: clockOf(context) }) ??
    coinsRefusal(house, { asset, coin })
  );
}

interface OfOrder {
  readonly asset: number;
  readonly context: Judged;
}

function lossRuleRefusal(account: Account, house: LimitsState, { asset, context }: OfOrder): Rejection | undefined {
  const { dailyLoss: rule } = house.rules;
  if (rule === undefined || rule.act === 'warn') return undefined;
  const max = halfUp(new Decimal(rule.usd), USD_DECIMALS).toFixed();
  const breach = breachOf(house, 'dailyLoss');
  const lost = breach ? (breach.found ?? max) : foundNow(account, house, { context, by: lossBeyond });
  return lost === undefined ? undefined : rejection('houseDailyLoss', { asset, lost, max });
}

function drawdownRefusal(account: Account, house: LimitsState, { asset, context }: OfOrder): Rejection | undefined {
  const { drawdown: rule } = house.rules;
  if (rule === undefined || rule.act === 'warn') return undefined;
  const breach = breachOf(house, 'drawdown');
  const found = breach ? (breach.found ?? rule.percent) : foundNow(account, house, { context, by: drawdownBeyond });
  return found === undefined ? undefined : rejection('houseDrawdown', { asset, found, max: rule.percent });
}

/** An order of a batch, and one that fires at the mark that breaks the rule, come before the rule is found broken. */
function foundNow(
  account: Account,
  house: LimitsState,
  { context, by }: { readonly context: Judged; readonly by: typeof lossBeyond },
): string | undefined {
  const resultUsd = freshResult(account, context);
  return resultUsd && by(account, house, resultUsd);
}

function hoursRefusal(
  { rules: { hours } }: LimitsState,
  { asset, nowMs }: { readonly asset: number; readonly nowMs: number },
): Rejection | undefined {
  if (hours === undefined || hours.act === 'warn' || !isOutside(hours, nowMs)) return undefined;
  return rejection('houseHours', { asset, from: minuteText(hours.fromMinute), to: minuteText(hours.toMinute) });
}

function coinsRefusal(
  { rules: { coins } }: LimitsState,
  { asset, coin }: { readonly asset: number; readonly coin: string },
): Rejection | undefined {
  if (coins === undefined || coins.act === 'warn' || coins.only.includes(coin)) return undefined;
  return rejection('houseCoins', { asset, coin, only: coins.only.join(', ') });
}

/** Something is open in a coin that the rules do not name: noted once of each coin. Where they refuse it, nothing is open. */
export function noteCoin({ house }: Pick<Account, 'house'>, coin: string): AccountEvent | undefined {
  const { coins } = house?.rules ?? {};
  if (house === undefined || coins === undefined || coins.only.includes(coin) || breachOf(house, 'coins', coin)) return undefined;
  return { type: 'houseRuleBroken', rule: 'coins', coin };
}

export const accountLimits: OpeningLimits = { refusalOf: limitRefusal, opened: noteCoin };

// What the house rules measure of an account by its marks: the loss of a day and how far it is below its peak. Asked when a rule is
// watched, and of each order that would open something: one that comes before a rule was found broken opens no more than one after.

const PERCENT = 100;

/** What of the account is measured, and the market by which it is. */
type Measured = Pick<Context, 'market' | 'nowMs' | 'clockMs'>;

/** What the account has gained, USD; undefined while a mark is too old to judge by. */
export function freshResult(account: Account, context: Measured): Decimal | undefined {
  const pool = { positions: [...account.positions.values()] };
  return hasFreshMarks(pool, context.market, clockOf(context)) ? resultOf(account, context.market) : undefined;
}

/** What was lost on this day, USD, where that is as much as the rule says or more. */
export function lossBeyond(account: Account, { rules }: LimitsState, resultUsd: Decimal): string | undefined {
  const { dailyLoss } = rules;
  const lost = lossOfDay(account, resultUsd);
  return dailyLoss !== undefined && lost.gte(dailyLoss.usd) ? halfUp(lost, USD_DECIMALS).toFixed() : undefined;
}

/** How far the account is below its peak, percent, where that is as much as the rule says or more. */
export function drawdownBeyond(account: Account, house: LimitsState, resultUsd: Decimal): string | undefined {
  const { drawdown } = house.rules;
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  if (drawdown === undefined || ofUsd.lte(0) || fallUsd.times(PERCENT).lt(ofUsd.times(drawdown.percent))) return undefined;
  return percentOf(fallUsd, ofUsd);
}
