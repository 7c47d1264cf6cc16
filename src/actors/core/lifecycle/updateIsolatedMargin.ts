// Margin of an isolated position: moved by its amount, or up to a leverage.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, perLeverage, roundOffDust, roundUp, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { unknownAssetText } from '../checks/checkForm.ts';
import type { Decision } from '../fold/draft.ts';
import { pendingOfPosition } from '../margin/fundingPayments.ts';
import { freeMargin, TRANSFER_RATE } from '../margin/margin.ts';
import { valuationOf } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';
import { INVALID_LEVERAGE } from './settings.ts';

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
  const text = refusalText(account, { asset, amount }, market);
  if (text !== undefined) return { events: [], outcome: { type: 'refused', text } };
  return { events: [{ type: 'isolatedMarginMoved', asset, usd: amount.toString() }], outcome: { type: 'done' } };
}

function refusalText(
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

function refused(text: string): Pick<Decision, 'events' | 'outcome'> {
  return { events: [], outcome: { type: 'refused', text } };
}
