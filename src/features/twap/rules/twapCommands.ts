// The commands about TWAPs (trading-rules 2.8): start one, or end a running one by its id, on the asset named with
// it. A TWAP holds no margin and has no order yet: its first slice is due at once, and each slice is checked when its
// time comes. Fills of its slices stay.

import type { Account } from '../../../actors/core/account/account.ts';
import {
  isAt,
  runningTwap,
  sliceCount,
  startedTwap,
  stopOf,
  toTwapView,
  triggeredTwap,
} from '../../../actors/core/account/twap.ts';
import {
  freshMarket,
  hasTooManyDecimals,
  hasTooManyFigures,
  isWholeLots,
  readNumber,
  unknownAssetText,
} from '../../../actors/core/checks/checkForm.ts';
import { countedBy, isOfKey, lossLimitOf, openedIn, openingRefusal } from '../../../actors/core/checks/checkOpening.ts';
import { type Decision, Draft } from '../../../actors/core/fold/draft.ts';
import type { EvolveSteps } from '../../../actors/core/fold/evolve.ts';
import { type Context, clockOf } from '../../../actors/core/fold/pipeline.ts';
import { isSameSide } from '../../../actors/core/margin/position.ts';
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { TwapView } from '../../../actors/core/messages/order.ts';
import type { AnswerOf } from '../../../actors/core/messages/queryAnswer.ts';
import { type Rejection, rejection } from '../../../actors/core/messages/rejection.ts';
import { endTwap } from '../../../actors/core/orders/endOrders.ts';
import type { Asset } from '../../../market/domain/asset.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';

const MINUTES_MIN = 5;

/** Seven days. */
const MINUTES_MAX = 10_080;

/** Least value of the whole at the mid, USD. */
const VALUE_MIN = new Decimal(100);

/** TWAPs of one account that run or wait: each that runs is worked on twice a minute. */
const RUNNING_MAX = 100;

type TwapOrder = Extract<AccountCommand, { type: 'startTwap' }>;

type TwapStarted = Extract<AccountEvent, { type: 'twapStarted' }>;

const TWAP_REFUSALS = {
  invalidDuration: 'Invalid TWAP duration: {minutes} min(s)',
  wouldIncrease: 'Reduce-only TWAP order would increase position.',
  valueTooSmall: `TWAP order value too small. Min is $${VALUE_MIN}.`,
  stopReached: 'TWAP stop price would be reached at its start.',
  tooManyRunning: 'Exceeded max number of active TWAP orders.',
  notRunning: 'TWAP was never placed, already canceled, or filled.',
} as const;

/** The first check that fails answers; a refused TWAP leaves no record. */
export function startTwap(account: Account, order: TwapOrder, context: Context): Decision {
  // The API sends none with prices before; this build may not write what older pods cannot read.
  const started = start(account, order, context);
  if (typeof started === 'string') return refusedTwap(started);
  if (started.type === 'rejected') {
    const refused = refusedTwap(started.text);
    return isOfKey(started) ? { ...refused, beyondKey: new Set([refused.outcome]) } : refused;
  }
  const opened = order.reduceOnly ? [] : openedIn(account, started.twap.coin, context);
  const events = [...countedBy(context), ...opened, started];
  return { events, outcome: { type: 'twapRunning', twapId: started.twap.twapId }, requests: 1 };
}

const refusedTwap = (text: string): Decision => ({ events: [], outcome: { type: 'twapRefused', text }, requests: 1 });

function start(account: Account, order: TwapOrder, context: Context): TwapStarted | Rejection | string {
  const { market, ids } = context;
  const nowMs = clockOf(context);
  const { side, minutes, reduceOnly, randomize } = order;
  const asset = market.asset(order.asset);
  const id = { asset: order.asset };
  if (!asset) return unknownAssetText(order.asset);
  if (asset.isDelisted) return rejection('halted', id).text;
  const fresh = freshMarket(market, { asset: asset.id, nowMs });
  if (fresh.type === 'stale') return rejection('staleMarket', { ...id, age: fresh.age }).text;

  if (!Number.isInteger(minutes) || minutes < MINUTES_MIN || minutes > MINUTES_MAX) {
    return TWAP_REFUSALS.invalidDuration.replace('{minutes}', String(minutes));
  }
  const size = readNumber(order.size);
  if (!size) return rejection('invalidSize', id).text;
  if (size.isZero()) return rejection('zeroSize', id).text;
  if (!isWholeLots(size, asset.sizeDecimals)) return rejection('invalidSize', id).text;
  const prices = readPrices(order, asset);
  if (typeof prices === 'string') return prices;
  const position = account.positions.get(asset.id);
  if (reduceOnly && (!position || isSameSide(position, side))) return TWAP_REFUSALS.wouldIncrease;
  const notional = size.times(fresh.prices.midPrice ?? fresh.prices.markPrice);
  if (notional.lt(VALUE_MIN)) return TWAP_REFUSALS.valueTooSmall;
  const { markPrice } = fresh.prices;
  const value = prices.trigger === undefined ? notional : Decimal.max(notional, size.times(prices.trigger.price));
  const beyond = openingRefusal(account, { asset, reduceOnly, sent: { valueUsd: value } }, context);
  if (beyond !== undefined) return beyond;
  const isWaiting = prices.trigger !== undefined && !isAt(prices.trigger, markPrice);
  const startsAt = isWaiting && prices.trigger ? new Decimal(prices.trigger.price) : markPrice;
  if (prices.stopPrice !== undefined && isAt(stopOf(side, prices.stopPrice), startsAt)) return TWAP_REFUSALS.stopReached;
  if (account.twaps.size >= RUNNING_MAX) return TWAP_REFUSALS.tooManyRunning;

  const twapId = order.twapId ?? ids.next();
  const plan = { side, size: size.toString(), executedSize: '0', executedUsd: '0', minutes, reduceOnly, randomize };
  return {
    type: 'twapStarted',
    twap: { twapId, asset: asset.id, coin: asset.coin, ...plan, startedAtMs: nowMs, ...prices, ...lossLimitOf(context) },
    slices: sliceCount({ minutes, notional }),
    seed: twapId,
    ...(isWaiting && { isWaiting }),
  };
}

type TwapPrices = Pick<TwapView, 'trigger' | 'stopPrice'>;

/** Both prices without padding, those that are given; or the refusal of one that is not on the price grid. */
function readPrices({ trigger, stopPrice }: Pick<TwapOrder, 'trigger' | 'stopPrice'>, asset: Asset): TwapPrices | string {
  const refusals: string[] = [];
  const read = (text: string): string => {
    const price = readNumber(text);
    const id = { asset: asset.id };
    if (!price || price.isZero()) refusals.push(rejection('invalidPrice', id).text);
    else if (hasTooManyFigures(price)) refusals.push(rejection('priceOffTick', id).text);
    else if (hasTooManyDecimals(price, asset.sizeDecimals)) refusals.push(rejection('invalidPrice', id).text);
    return price?.toString() ?? text;
  };
  const prices = {
    ...(trigger && { trigger: { price: read(trigger.price), above: trigger.above } }),
    ...(stopPrice !== undefined && { stopPrice: read(stopPrice) }),
  };
  return refusals[0] ?? prices;
}

export function cancelTwap(
  account: Account,
  { asset, twapId }: Extract<AccountCommand, { type: 'cancelTwap' }>,
  context: Context,
): Decision {
  const twap = account.twaps.get(twapId);
  if (twap?.asset !== asset) {
    return refusedTwap(TWAP_REFUSALS.notRunning);
  }
  const draft = new Draft(account, context);
  endTwap(draft, twap, { status: 'terminated' });
  return draft.decision({ type: 'done' }, 1);
}

export const twapSteps: EvolveSteps<'twapStarted' | 'twapTriggered' | 'twapSliced' | 'twapEnded'> = {
  twapStarted(writable, event) {
    writable.map('twaps').set(event.twap.twapId, startedTwap(event));
  },
  twapTriggered(writable, event) {
    const { twapId } = event.twap;
    writable.map('twaps').set(twapId, triggeredTwap(runningTwap(writable.account, twapId), event));
  },
  twapSliced(writable, { twapId, slice }) {
    writable.map('twaps').set(twapId, { ...runningTwap(writable.account, twapId), nextSlice: slice + 1 });
  },
  twapEnded(writable, { twap }) {
    writable.map('twaps').delete(twap.twapId);
  },
};

/** Oldest first. */
export const runningTwaps = ({ twaps }: Account): AnswerOf<'runningTwaps'> => ({
  kind: 'runningTwaps',
  twaps: [...twaps.values()].map(toTwapView),
});
