// May the account open anything more under its house rules (docs/agents.md)? Asked of each order after the limits of its key, and again
// where an order opens something later. Whether a rule is broken is found elsewhere (`watchHouse.ts`): here it is only looked up.
import type { Asset } from '../../../market/domain/asset.ts';
import { Decimal, halfUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { breachOf, type HouseState, isOutside } from '../account/house/houseState.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import type { AccountEvent } from '../messages/event.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';

const MINUTES_OF_HOUR = 60;

/** The first rule that keeps the order from opening anything; undefined where there is none. */
export function houseRefusal(
  { house }: Pick<Account, 'house'>,
  { asset: { id: asset, coin }, reduceOnly }: { readonly asset: Asset; readonly reduceOnly: boolean },
  context: Pick<Context, 'nowMs' | 'clockMs'>,
): Rejection | undefined {
  if (house === undefined || reduceOnly) return undefined;
  return (
    lossRuleRefusal(house, asset) ??
    drawdownRefusal(house, asset) ??
    hoursRefusal(house, { asset, nowMs: clockOf(context) }) ??
    coinsRefusal(house, { asset, coin })
  );
}

function lossRuleRefusal(house: HouseState, asset: number): Rejection | undefined {
  const { dailyLoss: rule } = house.rules;
  const breach = breachOf(house, 'dailyLoss');
  if (rule === undefined || rule.act === 'warn' || breach === undefined) return undefined;
  const max = halfUp(new Decimal(rule.usd), USD_DECIMALS).toFixed();
  return rejection('houseDailyLoss', { asset, lost: breach.found ?? max, max });
}

function drawdownRefusal(house: HouseState, asset: number): Rejection | undefined {
  const { drawdown: rule } = house.rules;
  const breach = breachOf(house, 'drawdown');
  if (rule === undefined || rule.act === 'warn' || breach === undefined) return undefined;
  return rejection('houseDrawdown', { asset, found: breach.found ?? rule.percent, max: rule.percent });
}

function hoursRefusal(
  { rules: { hours } }: HouseState,
  { asset, nowMs }: { readonly asset: number; readonly nowMs: number },
): Rejection | undefined {
  if (hours === undefined || hours.act === 'warn' || !isOutside(hours, nowMs)) return undefined;
  return rejection('houseHours', { asset, from: minuteText(hours.fromMinute), to: minuteText(hours.toMinute) });
}

function coinsRefusal(
  { rules: { coins } }: HouseState,
  { asset, coin }: { readonly asset: number; readonly coin: string },
): Rejection | undefined {
  if (coins === undefined || coins.act === 'warn' || coins.only.includes(coin)) return undefined;
  return rejection('houseCoins', { asset, coin, only: coins.only.join(', ') });
}

/** Records that something is open in a coin that the rules do not name, once of each coin. Where they refuse it, nothing is. */
export function noteCoin(record: (event: AccountEvent) => void, { house }: Pick<Account, 'house'>, coin: string): void {
  const { coins } = house?.rules ?? {};
  if (house === undefined || coins === undefined || coins.only.includes(coin) || breachOf(house, 'coins', coin)) return;
  record({ type: 'houseRuleBroken', rule: 'coins', coin });
}

/** `08:30` */
export function minuteText(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / MINUTES_OF_HOUR))}:${two(minute % MINUTES_OF_HOUR)}`;
}
