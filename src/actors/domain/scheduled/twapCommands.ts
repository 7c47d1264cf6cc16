// The commands about TWAPs (trading-rules 2.8): start one, or end a running one by its id, on the asset named with
// it. A TWAP holds no margin and has no order yet: its first slice is due at once, and each slice is checked when its
// time comes. Fills of its slices stay.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { sliceCount } from '../account/twap.ts';
import { freshMarket } from '../checks/checkForm.ts';
import { isWholeLots, readNumber } from '../checks/readOrder.ts';
import { type Context, clockOf, type Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { isSameSide } from '../margin/position.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';
import { rejection } from '../messages/rejection.ts';
import { endTwap } from '../orders/endOrders.ts';

const MINUTES_MIN = 5;

const MINUTES_MAX = 1440;

/** Least value of the whole at the mid, USD. */
const VALUE_MIN = new Decimal(100);

/** Running TWAPs of one account: each is worked on twice a minute. */
const RUNNING_MAX = 100;

type TwapOrder = Extract<AccountCommand, { type: 'startTwap' }>;

type TwapStarted = Extract<AccountEvent, { type: 'twapStarted' }>;

const TWAP_REFUSALS = {
  invalidDuration: 'Invalid TWAP duration: {minutes} min(s)',
  wouldIncrease: 'Reduce-only TWAP order would increase position.',
  valueTooSmall: `TWAP order value too small. Min is $${VALUE_MIN}.`,
  tooManyRunning: `Too many running TWAP orders. Limit is ${RUNNING_MAX}.`,
  notRunning: 'TWAP was never placed, already canceled, or filled.',
} as const;

/** The first check that fails answers; a refused TWAP leaves no record. */
export function startTwap(account: Account, order: TwapOrder, context: Context): Decision {
  const started = start(account, order, context);
  if (typeof started === 'string') return { events: [], outcome: { type: 'twapRefused', text: started }, requests: 1 };
  return { events: [started], outcome: { type: 'twapRunning', twapId: started.twap.twapId }, requests: 1 };
}

function start(account: Account, order: TwapOrder, context: Context): TwapStarted | string {
  const { market, ids } = context;
  const nowMs = clockOf(context);
  const { side, minutes, reduceOnly, randomize } = order;
  const asset = market.asset(order.asset);
  const id = { asset: order.asset };
  if (!asset) return rejection('unknownAsset', id).text;
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
  const position = account.positions.get(asset.id);
  if (reduceOnly && (!position || isSameSide(position, side))) return TWAP_REFUSALS.wouldIncrease;
  const notional = size.times(fresh.prices.midPrice ?? fresh.prices.markPrice);
  if (notional.lt(VALUE_MIN)) return TWAP_REFUSALS.valueTooSmall;
  if (account.twaps.size >= RUNNING_MAX) return TWAP_REFUSALS.tooManyRunning;

  const twapId = ids.next();
  const plan = { side, size: size.toString(), executedSize: '0', executedUsd: '0', minutes, reduceOnly, randomize };
  return {
    type: 'twapStarted',
    twap: { twapId, asset: asset.id, coin: asset.coin, ...plan, startedAtMs: nowMs },
    slices: sliceCount({ minutes, notional }),
    seed: twapId,
  };
}

export function cancelTwap(
  account: Account,
  { asset, twapId }: Extract<AccountCommand, { type: 'cancelTwap' }>,
  { nowMs }: Context,
): Decision {
  const twap = account.twaps.get(twapId);
  if (twap?.asset !== asset) {
    return { events: [], outcome: { type: 'twapRefused', text: TWAP_REFUSALS.notRunning }, requests: 1 };
  }
  const draft = new Draft(account, nowMs);
  endTwap(draft, twap, { status: 'terminated' });
  return draft.decision({ type: 'done' }, 1);
}
