// Brings an isolated position down to a leverage by moving what is missing of its margin from cross cash (trading-rules 4.12). It
// never takes margin out, and the leverage that is set for the coin stays.

import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, roundOffDust, roundUp, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { unknownAssetText } from '../checks/unknownAsset.ts';
import type { Decision } from '../fold/decision.ts';
import { valuationOf } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';
import { increaseRefusal, requireIsolated } from './updateIsolatedMargin.ts';
import { INVALID_LEVERAGE } from './updateLeverage.ts';

export type TopUpIsolatedMargin = Extract<AccountCommand, { type: 'topUpIsolatedMargin' }>;

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
