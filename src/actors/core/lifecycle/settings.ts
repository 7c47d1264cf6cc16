// A user sets the margin mode and the leverage of a coin, the margin of an isolated position, and the terms of the account.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, perLeverage, quotient, roundOffDust, roundUp, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, LeverageSetting, Position } from '../account/account.ts';
import { areSame } from '../account/terms.ts';
import { unknownAssetText } from '../checks/checkForm.ts';
import { leverageLimit } from '../checks/checkOpening.ts';
import type { Decision } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { pendingOfPosition } from '../margin/fundingPayments.ts';
import { freeMargin, type MarginState, TRANSFER_RATE } from '../margin/margin.ts';
import { withLeverage } from '../margin/position.ts';
import { leverageOf, tierOf, valuationOf } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';

// Changes margin mode or leverage of a coin, with or without a position and resting orders (trading-rules 4.9). A
// higher leverage only frees margin; a lower one must be covered by the position's margin pool.

/** The service's outer bound; most coins allow less. */
export const LEVERAGE_MAX = 50;

/** Of a leverage that no coin can have. */
const INVALID_LEVERAGE = 'Invalid leverage value';
const CROSS_NOT_ALLOWED = 'Cross margin is not allowed for this asset.';
const OPEN_POSITION = 'Cannot switch leverage type with open position.';
const INSUFFICIENT = {
  cross:
    'Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.',
  isolated:
    'Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.',
} as const;

type UpdateLeverage = Extract<AccountCommand, { type: 'updateLeverage' }>;

/** Gives `leverageSet`, or no event when the values are those in force already. */
export function updateLeverage(
  account: Account,
  { asset: assetId, marginMode, leverage }: UpdateLeverage,
  context: Pick<Context, 'market' | 'key' | 'pipeline'>,
): Pick<Decision, 'events' | 'outcome' | 'beyondKey'> {
  const { market } = context;
  const asset = market.asset(assetId);
  if (!asset) return refused(unknownAssetText(assetId));
  if (!isAllowed(leverage, asset)) return refused(INVALID_LEVERAGE);
  const beyondKey = leverageLimit(leverage, context);
  if (beyondKey !== undefined) {
    const decision = refused(beyondKey);
    return { ...decision, beyondKey: new Set([decision.outcome]) };
  }

  const change = { asset, from: leverageOf(account, asset), to: { marginMode, leverage } };
  if (change.from.marginMode === marginMode && change.from.leverage === leverage)
    return { events: [], outcome: { type: 'done' } };

  const text = refusalText(account, change, market);
  if (text) return refused(text);
  return { events: [{ type: 'leverageSet', asset: assetId, marginMode, leverage }], outcome: { type: 'done' } };
}

interface Change {
  readonly asset: Asset;
  readonly from: LeverageSetting;
  readonly to: LeverageSetting;
}

function refused(text: string): Pick<Decision, 'events' | 'outcome'> {
  return { events: [], outcome: { type: 'refused', text } };
}

function isAllowed(leverage: number, { maxLeverage }: Asset): boolean {
  return Number.isInteger(leverage) && leverage >= 1 && leverage <= Math.min(maxLeverage, LEVERAGE_MAX);
}

/** The first reason that applies, as the client reads it. */
function refusalText(account: Account, change: Change, market: MarketView): string | undefined {
  const { asset, from, to } = change;
  const position = account.positions.get(asset.id);
  const switches = from.marginMode !== to.marginMode;
  if (to.marginMode === 'cross' && asset.onlyIsolated) return CROSS_NOT_ALLOWED;
  if (switches && position) return OPEN_POSITION;
  if (position && exceedsTier(position, change, market)) return INVALID_LEVERAGE;
  if (position && bucketIsShort(position, change, market)) return INSUFFICIENT.isolated;
  return cashIsShort(account, change, market) ? INSUFFICIENT[to.marginMode] : undefined;
}

function exceedsTier(position: Position, { asset, to }: Change, market: MarketView): boolean {
  return tierOf(asset.marginTiers, valuationOf(position, market).notional).maxLeverage < to.leverage;
}

/** An isolated position covers a lower leverage from its own margin alone. */
function bucketIsShort(position: Position, { from, to }: Change, market: MarketView): boolean {
  if (position.marginMode !== 'isolated' || to.leverage >= from.leverage) return false;
  const { marginUsed, notional } = valuationOf(position, market);
  return marginUsed.lt(quotient(notional, to.leverage));
}

/** Cross positions, and resting orders of any coin, need free margin when the change takes some, or switches their mode. */
function cashIsShort(account: Account, change: Change, market: MarketView): boolean {
  const { asset, from, to } = change;
  const isSwitched = from.marginMode !== to.marginMode && hasOpeningOrders(account, asset.id);
  const free = freeMargin(stateAfter(account, change), market);
  return free.isNeg() && (isSwitched || free.lt(freeMargin(account, market)));
}

function hasOpeningOrders({ orders }: Account, assetId: number): boolean {
  const sides = orders.sides.get(assetId);
  return sides !== undefined && !(sides.buy.opening.isZero() && sides.sell.opening.isZero());
}

function stateAfter({ cash, positions, orders, leverage }: Account, { asset, to }: Change): MarginState {
  const position = positions.get(asset.id);
  return {
    cash,
    orders,
    leverage: new Map(leverage).set(asset.id, to),
    positions: position ? new Map(positions).set(asset.id, withLeverage(position, to)) : positions,
  };
}

// Moves margin between cross cash and an isolated position (trading-rules 4.5). An increase must be free margin. A
// reduction must leave the initial margin, at least a tenth of the notional, and the funding that the position owes.

const ZERO_AMOUNT = 'Update to isolated margin cannot be zero.';
const NO_POSITION = 'Cannot update margin for empty position.';
const NOT_ISOLATED = 'Position does not use isolated margin.';
const STRICT = 'Cannot remove isolated margin for this asset. To remove margin, reduce the position.';
const NOT_FREE = 'Account does not have sufficient margin available for increase.';
const TOO_MUCH = 'Position does not have sufficient margin for reduction.';

type UpdateIsolatedMargin = Extract<AccountCommand, { type: 'updateIsolatedMargin' }>;

/** Gives `isolatedMarginMoved`, or the first reason against it. */
export function updateIsolatedMargin(
  account: Account,
  { asset, usd }: UpdateIsolatedMargin,
  market: MarketView,
): Pick<Decision, 'events' | 'outcome'> {
  const amount = new Decimal(usd);
  const text = marginRefusal(account, { asset, amount }, market);
  if (text !== undefined) return refused(text);
  return { events: [{ type: 'isolatedMarginMoved', asset, usd: amount.toString() }], outcome: { type: 'done' } };
}

function marginRefusal(
  account: Account,
  { asset: assetId, amount }: { readonly asset: number; readonly amount: Decimal },
  market: MarketView,
): string | undefined {
  if (amount.isZero()) return ZERO_AMOUNT;
  const asset = market.asset(assetId);
  if (!asset) return unknownAssetText(assetId);
  const position = requireIsolated(account, assetId);
  if (typeof position === 'string') return position;
  if (amount.isPos()) return increaseRefusal(account, amount, market);
  if (asset.strictIsolated) return STRICT;
  const owed = Decimal.min(ZERO, pendingOfPosition(account, assetId, market));
  return removable(position, market).plus(owed).lt(amount.neg()) ? TOO_MUCH : undefined;
}

/** The position with margin of its own, or why there is none. */
function requireIsolated({ positions }: Pick<Account, 'positions'>, assetId: number): Position | string {
  const position = positions.get(assetId);
  if (!position) return NO_POSITION;
  return position.marginMode === 'cross' ? NOT_ISOLATED : position;
}

/** Why so many USD cannot move into a position: they are not free. */
function increaseRefusal(account: Account, amount: Decimal, market: MarketView): string | undefined {
  return amount.gt(freeMargin(account, market)) ? NOT_FREE : undefined;
}

/** USD of isolated margin beyond what must stay; negative when it has less. */
function removable(position: Position, market: MarketView): Decimal {
  const { marginUsed, notional } = valuationOf(position, market);
  return marginUsed.minus(Decimal.max(perLeverage(notional, position.leverage), notional.times(TRANSFER_RATE)));
}

// Brings an isolated position down to a leverage by moving what is missing of its margin from cross cash (trading-rules 4.12). It
// never takes margin out, and the leverage that is set for the coin stays.

type TopUpIsolatedMargin = Extract<AccountCommand, { type: 'topUpIsolatedMargin' }>;

/** Gives `isolatedMarginMoved`, no event where the position has as much already, or the first reason against it. */
export function topUpIsolatedMargin(
  account: Account,
  { asset, leverage }: TopUpIsolatedMargin,
  market: MarketView,
): Pick<Decision, 'events' | 'outcome'> {
  if (!market.asset(asset)) return refused(unknownAssetText(asset));
  const target = new Decimal(leverage);
  if (target.lte(0)) return refused(INVALID_LEVERAGE);
  const position = requireIsolated(account, asset);
  if (typeof position === 'string') return refused(position);
  const amount = missingFor(target, position, market);
  if (amount.lte(0)) return { events: [], outcome: { type: 'done' } };
  const text = increaseRefusal(account, amount, market);
  if (text !== undefined) return refused(text);
  return { events: [{ type: 'isolatedMarginMoved', asset, usd: amount.toString() }], outcome: { type: 'done' } };
}

/** USD between its margin and notional by leverage, up to a micro-USD; not above 0 where nothing is missing. */
function missingFor(leverage: Decimal, position: Position, market: MarketView): Decimal {
  const { marginUsed, notional } = valuationOf(position, market);
  return roundUp(roundOffDust(notional.div(leverage).minus(marginUsed)), USD_DECIMALS);
}

/** Sets the terms of an account. They hold from the next fill on: nothing that was filled changes. */
export function setTerms({ terms: before = {} }: Account, { terms }: Extract<AccountCommand, { type: 'setTerms' }>): Decision {
  const events = areSame(before, terms) ? [] : [{ type: 'termsSet', ...terms } as const];
  return { events, outcome: { type: 'done' }, requests: 0 };
}
