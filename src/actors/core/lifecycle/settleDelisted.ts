// Settles a delisted coin in an account (trading-rules 5.6, edge 90): it pays the known funding, ends orders and
// TWAPs, and settles the position at the average oracle price that the market view gives. The second time the account
// holds nothing of the coin, and nothing happens.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { type Decided, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { takeOver } from '../liquidation/liquidationSteps.ts';
import { payPendingFunding } from '../liquidation/payFunding.ts';
import { wholePosition } from '../margin/position.ts';
import { healthOf, marginPoolOf } from '../margin/positionMargin.ts';
import { SETTLEMENT } from '../messages/historyRows.ts';
import { endOrders, endTwaps } from '../orders/endOrders.ts';
import { turnPeriods, withConsequences } from './aroundDecision.ts';

/** No events = the account holds nothing in a coin that is settled. */
export function settleDelisted(account: Account, context: Context): Decided {
  const { market } = context;
  const assets = settledAssets(account, market);
  if (assets.length === 0) return { events: [] };
  const draft = new Draft(account, context);
  turnPeriods(draft, context);
  for (const run of context.pipeline.beforeSettlement) run(draft, context);
  payPendingFunding(draft, context, { assets });
  const isSettled = ({ asset }: { readonly asset: number }) => assets.includes(asset);
  endOrders(draft, isSettled, 'delistedCanceled');
  endTwaps(draft, isSettled, { status: 'terminated' });
  for (const asset of assets) settlePosition(draft, asset, context);
  return withConsequences(account, draft.decided, context);
}

/** Coins with a settlement price in which the account has a position, an order or a TWAP, by asset id. */
function settledAssets({ positions, orders, triggers, twaps }: Account, market: MarketView): number[] {
  const assets = new Set([...positions.keys(), ...orders.sides.keys()]);
  for (const { asset } of triggers.values()) assets.add(asset);
  for (const { asset } of twaps.values()) assets.add(asset);
  return [...assets].filter((asset) => market.settlementPrice(asset) !== undefined).sort((a, b) => a - b);
}

/** An isolated position is liable with its own margin alone: a further debt is the house's loss, as at a gap. */
function settlePosition(draft: Draft, asset: number, context: Context): void {
  const { account } = draft;
  const position = account.positions.get(asset);
  const price = context.market.settlementPrice(asset);
  if (!position || !price) return;
  const equity = position.rawUsd.plus(position.signedSize.times(price));
  if (position.marginMode === 'isolated' && equity.isNeg()) giveUp(draft, position, { price, equity }, context);
  else {
    const leaving = { price, usd: position.signedSize.times(price), direction: SETTLEMENT };
    draft.record({ type: 'positionSettled', ...wholePosition(position, leaving, { ...context, place: draft.place }) });
  }
}

/** A take-over of the isolated position, valued at the settlement price. */
function giveUp(
  draft: Draft,
  { asset, coin, signedSize }: Position,
  { price, equity }: { readonly price: Decimal; readonly equity: Decimal },
  context: Context,
): void {
  const pool = marginPoolOf(draft.account, asset);
  takeOver(draft, pool, { health: healthOf(pool, context.market), context });
  draft.record({
    type: 'liquidated',
    lid: context.ids.next(),
    marginMode: 'isolated',
    notional: signedSize.abs().times(price).toString(),
    accountValue: equity.toString(),
    positions: [{ coin, signedSize: signedSize.toString() }],
    houseLossUsd: equity.neg().toString(),
  });
}
