// The figures of `clearinghouseState`: account value, margin in use and positions, at the current marks
// (trading-rules 4.1, 4.7). A view: it changes nothing and decides nothing.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { type MarginState, withdrawable } from '../margin/margin.ts';
import { crossMaintenance, valuationOf } from '../margin/positionMargin.ts';
import type { AccountStateView, MarginSummary } from '../messages/outcome.ts';
import { positionView } from './positionView.ts';

/** Positions come in order of their asset ids, as the venue lists them. */
export function accountState(
  account: MarginState & Pick<Account, 'funding'>,
  market: MarketView,
  timeMs: number,
): AccountStateView {
  const positions = [...account.positions.values()].sort((a, b) => a.asset - b.asset);
  const crossPositions = positions.filter(({ marginMode }) => marginMode === 'cross');
  const cross = sumsOf(crossPositions, account.cash, market);
  const all = crossPositions.length === positions.length ? cross : sumsOf(positions, account.cash, market);
  const maintenance = crossMaintenance(crossPositions, market);
  const behind = { accountValue: cross.accountValue, maintenance };
  return {
    marginSummary: summaryView(all),
    crossMarginSummary: summaryView(cross),
    crossMaintenanceMarginUsed: usdText(maintenance),
    withdrawable: usdText(withdrawable(account, market)),
    positions: positions.map((position) => positionView(position, behind, market)),
    timeMs,
  };
}

type Sums = { readonly [Field in keyof MarginSummary]: Decimal };

/** The identity of trading-rules 4.1: account value = raw USD + signed notional, cross and isolated alike. */
function sumsOf(positions: readonly Position[], cash: Decimal, market: MarketView): Sums {
  let totalRawUsd = cash;
  let signedNotional = ZERO;
  let totalNotional = ZERO;
  let totalMarginUsed = ZERO;
  for (const position of positions) {
    const value = valuationOf(position, market);
    totalRawUsd = totalRawUsd.plus(position.rawUsd);
    signedNotional = signedNotional.plus(value.signedNotional);
    totalNotional = totalNotional.plus(value.notional);
    totalMarginUsed = totalMarginUsed.plus(value.marginUsed);
  }
  return { accountValue: totalRawUsd.plus(signedNotional), totalNotional, totalRawUsd, totalMarginUsed };
}

function summaryView({ accountValue, totalNotional, totalRawUsd, totalMarginUsed }: Sums): MarginSummary {
  return {
    accountValue: usdText(accountValue),
    totalNotional: usdText(totalNotional),
    totalRawUsd: usdText(totalRawUsd),
    totalMarginUsed: usdText(totalMarginUsed),
  };
}

/** Exact when every coin has a mark; a position valued at its entry price may have more decimals. */
function usdText(value: Decimal): string {
  return toWire(halfUp(value, USD_DECIMALS));
}
