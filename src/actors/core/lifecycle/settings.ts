// What the user of an account sets: margin mode and leverage of a coin, and the account's terms.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { quotient } from '../../../shared/domain/decimal.ts';
import type { Account, LeverageSetting, Position } from '../account/account.ts';
import { areSame } from '../account/terms.ts';
import { unknownAssetText } from '../checks/checkForm.ts';
import { leverageLimit } from '../checks/checkOpening.ts';
import type { Decision } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { freeMargin, type MarginState } from '../margin/margin.ts';
import { withLeverage } from '../margin/position.ts';
import { leverageOf, tierOf, valuationOf } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';

// Changes margin mode or leverage of a coin, with or without a position and resting orders (trading-rules 4.9). A
// higher leverage only frees margin; a lower one must be covered by the position's margin pool.

/** The service's outer bound; most coins allow less. */
export const LEVERAGE_MAX = 50;

/** Of a leverage that no coin can have. */
export const INVALID_LEVERAGE = 'Invalid leverage value';
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

/** Sets the terms of an account. They hold from the next fill on: nothing that was filled changes. */
export function setTerms({ terms: before = {} }: Account, { terms }: Extract<AccountCommand, { type: 'setTerms' }>): Decision {
  const events = areSame(before, terms) ? [] : [{ type: 'termsSet', ...terms } as const];
  return { events, outcome: { type: 'done' }, requests: 0 };
}
