// What house rules do to an account: its peak, its breaches, and the closing of what a broken rule wants closed.

import type { Account, Position } from '../../../actors/core/account/account.ts';
import { actOf, breachOf, isOutside, type LimitsState } from '../../../actors/core/account/limits.ts';
import { openOrderCount } from '../../../actors/core/account/ownOrders.ts';
import { freshMarket, marketLimit } from '../../../actors/core/checks/checkForm.ts';
import { checkExecution } from '../../../actors/core/checks/checkOrder.ts';
import type { Draft } from '../../../actors/core/fold/draft.ts';
import { type Context, clockOf } from '../../../actors/core/fold/pipeline.ts';
import { changesBalances, checkLiquidation } from '../../../actors/core/liquidation/checkLiquidation.ts';
import { valueAtPeak } from '../../../actors/core/margin/drawdown.ts';
import { accountValue } from '../../../actors/core/margin/margin.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { endOrders, endTwaps } from '../../../actors/core/orders/endOrders.ts';
import { executeOrder } from '../../../actors/core/orders/executeOrder.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, halfUp, quotient, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import { drawdownBeyond, freshResult, lossBeyond } from './limitTable.ts';

/** The peak is noted in steps of this share of the value. */
const PEAK_STEP = new Decimal('0.001');
/** The smallest step, USD. */
const PEAK_STEP_MIN = new Decimal('0.01');

/**
 * Finds out whether a house rule of the account is broken, and does what then follows. It runs after every decision that changes the
 * account, when hours begin or end, and when a mark reaches one of `wakePricesOfLimits`: so it costs nothing while the account is far from
 * its rules. A rule that is broken stays so until its day or its hours are over, or the rules are set again.
 */
export function watchAccountLimits(draft: Draft, context: Context): void {
  const { house } = draft.account;
  if (house === undefined) return;
  watchValue(draft, house, context);
  watchHours(draft, house, context);
  const before = draft.events.length;
  closeByRules(draft, context);
  if (changesBalances(draft.events.slice(before))) checkLiquidation(draft, context);
}

/** By the marks; nothing is found on old ones. */
function watchValue(draft: Draft, house: LimitsState, context: Context): void {
  const { account } = draft;
  const { dailyLoss, drawdown } = house.rules;
  if (dailyLoss === undefined && drawdown === undefined) return;
  const resultUsd = freshResult(account, context);
  if (resultUsd === undefined) return;
  const lost = breachOf(house, 'dailyLoss') ? undefined : lossBeyond(account, house, resultUsd);
  if (lost !== undefined) draft.record({ type: 'houseRuleBroken', rule: 'dailyLoss', found: lost });
  if (drawdown && !breachOf(house, 'drawdown')) watchDrawdown(draft, house, resultUsd);
}

function watchDrawdown(draft: Draft, house: LimitsState, resultUsd: Decimal): void {
  const { account } = draft;
  const rise = resultUsd.minus(house.peakUsd);
  if (rise.gte(peakStep(account, house))) draft.record(peakAt(resultUsd, house.shareKept));
  const found = drawdownBeyond(account, house, resultUsd);
  if (found !== undefined) draft.record({ type: 'houseRuleBroken', rule: 'drawdown', found });
}

/** By how much the account has to rise above its peak before a new one is noted, USD. */
export function peakStep(account: Account, { peakUsd }: LimitsState): Decimal {
  return Decimal.max(PEAK_STEP_MIN, valueAtPeak(account, peakUsd).times(PEAK_STEP));
}

function watchHours(draft: Draft, house: LimitsState, context: Context): void {
  const { hours } = house.rules;
  if (hours === undefined || breachOf(house, 'hours') || !isOutside(hours, clockOf(context))) return;
  const { account } = draft;
  const isOpen = account.positions.size > 0 || openOrderCount(account) > 0 || account.twaps.size > 0;
  if (isOpen) draft.record({ type: 'houseRuleBroken', rule: 'hours' });
}

// Money that comes or goes is neither gain nor loss: it leaves the account as many percent below its peak as it was. So a deposit hides no
// drawdown, and a withdrawal, a transfer or a reset makes none and ends none. Where all of the money goes, the account remembers how much of
// its peak it was, until money comes again.

/** @param before the account before the events of the draft */
export function carryPeak(before: Account, draft: Draft, { market }: Pick<Context, 'market'>): void {
  const { house } = before;
  if (house?.rules.drawdown === undefined) return;
  const { account } = draft;
  const { netDepositsUsd } = account.totals;
  const value = accountValue(account, market);
  const valueBefore = valueBeforeMoved(before, draft, value);
  if (valueBefore === undefined) return;
  const share = house.shareKept ?? shareOfPeak(valueBefore, valueAtPeak(before, house.peakUsd));
  if (share === undefined) return;
  if (value.lte(0)) {
    draft.record(peakAt(value.minus(netDepositsUsd), share));
    return;
  }
  const peak = halfUp(quotient(value, share), USD_DECIMALS);
  draft.record(peakAt(peak.minus(netDepositsUsd)));
}

/** @param shareKept of an account without money */
const peakAt = (peakUsd: Decimal, shareKept?: Decimal): AccountEvent => ({
  type: 'housePeakRaised',
  peakUsd: peakUsd.toString(),
  ...(shareKept && { shareKept: shareKept.toString() }),
});

/** What the account was worth before money came or went, USD; undefined where none did. */
function valueBeforeMoved({ totals }: Account, { account, events }: Draft, value: Decimal): Decimal | undefined {
  const reset = events.find((event) => event.type === 'accountReset');
  if (reset !== undefined) return new Decimal(reset.withdrawnUsd);
  const movedUsd = account.totals.netDepositsUsd.minus(totals.netDepositsUsd);
  return movedUsd.isZero() ? undefined : value.minus(movedUsd);
}

/** Undefined at its peak, where the account stays, and for one that was worth nothing: it has no share to keep. */
function shareOfPeak(valueBefore: Decimal, peakBefore: Decimal): Decimal | undefined {
  return valueBefore.lte(0) || peakBefore.lte(valueBefore) ? undefined : quotient(valueBefore, peakBefore);
}

// Closes what a broken house rule wants closed: orders and TWAPs end, and each position goes to the book with a reduce-only market order,
// like one that the user sends. What the book does not take is tried again at the next mark of one of the coins, until nothing is left.

interface InCoin {
  readonly coin: string;
}

/** Which coins are to be closed; undefined = none. */
function closingScope(house: LimitsState): ((open: InCoin) => boolean) | undefined {
  const closing = house.breaches.filter(({ rule }) => actOf(house, rule) === 'close');
  if (closing.length === 0) return undefined;
  if (closing.some(({ rule }) => rule !== 'coins')) return () => true;
  return ({ coin }) => house.rules.coins?.only.includes(coin) === false;
}

/** The positions that are still to be closed. */
export function positionsToClose({ house, positions }: Account): Position[] {
  const isConcerned = house && closingScope(house);
  return isConcerned ? [...positions.values()].filter(isConcerned) : [];
}

function closeByRules(draft: Draft, context: Context): void {
  const { house } = draft.account;
  const isConcerned = house && closingScope(house);
  if (isConcerned === undefined) return;
  if (openOrderCount(draft.account) > 0) endOrders(draft, isConcerned, 'canceled');
  endTwaps(draft, isConcerned, { status: 'terminated' });
  const positions = positionsToClose(draft.account).sort((a, b) => a.asset - b.asset);
  for (const position of positions) close(draft, position, context);
}

/** As far as the book takes it now. A delisted coin is settled elsewhere. */
function close(draft: Draft, { asset: assetId, signedSize }: Position, context: Context): void {
  const { market, ids, nowMs } = context;
  const asset = market.asset(assetId);
  assert(asset, `position in unknown asset ${assetId}`);
  const fresh = freshMarket(market, { asset: assetId, nowMs: clockOf(context) });
  if (asset.isDelisted || fresh.type === 'stale') return;
  const side = signedSize.isPos() ? 'sell' : 'buy';
  const { markPrice, midPrice = markPrice } = fresh.prices;
  // In a book that is nearly empty the mid is far from what can be had.
  const reference = side === 'sell' ? Decimal.min(markPrice, midPrice) : Decimal.max(markPrice, midPrice);
  const limitPrice = marketLimit({ markPrice, midPrice: reference }, { side, sizeDecimals: asset.sizeDecimals });
  const form = { side, reduceOnly: true, timeInForce: 'ioc' } as const;
  const wanted = { ...form, asset, limitPrice, originalSize: signedSize.abs(), fresh, isOfAnyValue: true };
  const checked = checkExecution(draft, wanted, market);
  if (checked.type === 'rejected') return;
  const size = signedSize.abs().toString();
  const numbers = { limitPrice: limitPrice.toString(), size, originalSize: size, filledSize: '0', filledUsd: '0' };
  const view = { oid: ids.next(), asset: assetId, coin: asset.coin, ...form, ...numbers, placedAtMs: nowMs };
  executeOrder(draft, view, checked, { asset, context });
}
