// What an account remembers of limits: its own, which a command sets or takes away, the day by which it measures losses, and the orders of
// API keys. New limits begin with the account as it is: the peak is the gain up to now, and the first look finds the first breach. The loss of
// this day stays.
import type { Account } from '../../../actors/core/account/account.ts';
import { dayStartMs, nextDayMs, nextTurnMs, withOrder, withoutBreaches } from '../../../actors/core/account/limits.ts';
import { type Decision, Draft } from '../../../actors/core/fold/draft.ts';
import type { EvolveSteps } from '../../../actors/core/fold/evolve.ts';
import { type Asked, type Context, clockOf, type DuePart } from '../../../actors/core/fold/pipeline.ts';
import { drawdownOf, lossOfDay, percentOf, resultOf } from '../../../actors/core/margin/drawdown.ts';
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { AnswerOf } from '../../../actors/core/messages/queryAnswer.ts';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import { noteCoin } from './limitTable.ts';
import { watchAccountLimits } from './watchLimits.ts';

export function setAccountLimits(
  account: Account,
  { rules }: Extract<AccountCommand, { type: 'setHouseRules' }>,
  context: Context,
): Decision {
  const draft = new Draft(account, context);
  if (rules === null) {
    if (account.house !== undefined) draft.record({ type: 'houseRulesSet', rules });
    return draft.decision({ type: 'done' }, 0);
  }
  if (rules.dailyLoss !== undefined && account.dayStart === undefined) draft.record(dayBegun(account, context));
  const peakUsd = resultOf(account, context.market).toString();
  draft.record({ type: 'houseRulesSet', rules, peakUsd, turnedMs: clockOf(context) });
  for (const coin of new Set(coinsOf(account))) {
    const event = noteCoin(draft.account, coin);
    if (event !== undefined) draft.record(event);
  }
  watchAccountLimits(draft, context);
  return draft.decision({ type: 'done' }, 0);
}

function coinsOf({ positions, orders, triggers, twaps }: Account): string[] {
  return [positions, orders, triggers, twaps].flatMap((open) => [...open.values()].map(({ coin }) => coin));
}

/** The hours of the rules begin or end: what was missed in between is not made up for. */
export const hoursTurn: DuePart = {
  nextMs: ({ house }) => nextTurnMs(house),
  run: (draft, context) => draft.record({ type: 'houseHoursTurned', turnedMs: clockOf(context) }),
};

/** An account without limits remembers nothing of them. */
export const limitSteps: EvolveSteps<'houseRulesSet' | 'housePeakRaised' | 'houseRuleBroken' | 'houseHoursTurned'> = {
  houseRulesSet({ account }, event) {
    if (event.rules === null) account.house = undefined;
    else {
      const { rules, peakUsd, turnedMs } = event;
      account.house = { rules, peakUsd: new Decimal(peakUsd), turnedMs, breaches: [] };
    }
  },
  housePeakRaised({ account }, { peakUsd, shareKept }) {
    if (account.house === undefined) return;
    const { shareKept: _, ...others } = account.house;
    account.house = {
      ...{ ...others, peakUsd: new Decimal(peakUsd) },
      ...(shareKept !== undefined && { shareKept: new Decimal(shareKept) }),
    };
  },
  houseRuleBroken({ account }, { type: _, ...broken }, timeMs) {
    const { house } = account;
    if (house !== undefined) account.house = { ...house, breaches: [...house.breaches, { ...broken, timeMs }] };
  },
  houseHoursTurned({ account }, { turnedMs }) {
    const { house } = account;
    if (house !== undefined) account.house = { ...withoutBreaches(house, 'hours'), turnedMs };
  },
};

/** The limits of an account, how far it is from them, and which are broken. */
export function limitsAnswer(account: Account, _: unknown, { market }: Asked): AnswerOf<'houseRules'> {
  const { house } = account;
  if (house === undefined) return { kind: 'houseRules', house: undefined };
  const { rules, breaches } = house;
  const resultUsd = resultOf(account, market);
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  const lost = lossOfDay(account, resultUsd);
  return {
    kind: 'houseRules',
    house: {
      ...{ rules, breaches },
      ...(rules.dailyLoss && { lostUsd: toWire(lost) }),
      ...(rules.drawdown && ofUsd.gt(0) && { drawdownPercent: percentOf(fallUsd, ofUsd) }),
    },
  };
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
