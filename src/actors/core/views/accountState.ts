// The figures of `clearinghouseState`: account value, margin in use and positions, at the current marks
// (trading-rules 4.1, 4.7). A view: it changes nothing and decides nothing.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { leavableOf, type MarginState, mayLeave } from '../margin/margin.ts';
import type { AccountStateView, MarginSummary } from '../messages/answers/accountFigures.ts';
import { type HeldPosition, heldAt, positionView } from './positionView.ts';

/**
 * Positions come in order of their asset ids, as the venue lists them.
 * @param shown assets whose positions are told; the sums are of all. Absent = all of them
 */
export function accountState(
  account: MarginState & Pick<Account, 'funding'>,
  market: MarketView,
  timeMs: number,
  shown?: ReadonlySet<number>,
): AccountStateView {
  const held = [...account.positions.values()].sort((a, b) => a.asset - b.asset).map((position) => heldAt(position, market));
  const crossHeld = held.filter(({ position }) => position.marginMode === 'cross');
  const cross = sumsOf(crossHeld, account.cash);
  const all = crossHeld.length === held.length ? cross : sumsOf(held, account.cash);
  let left = account.cash;
  let maintenance = ZERO;
  for (const one of crossHeld) {
    left = left.plus(leavableOf(one.position, one.valuation));
    maintenance = maintenance.plus(one.maintenance);
  }
  const behindAll = cross.accountValue.minus(maintenance);
  return {
    marginSummary: summaryView(all),
    crossMarginSummary: summaryView(cross),
    crossMaintenanceMarginUsed: usdText(maintenance),
    withdrawable: usdText(mayLeave(left, account, market)),
    positions: (shown ? held.filter(({ position }) => shown.has(position.asset)) : held).map((one) =>
      positionView(one, equityOf(one, behindAll)),
    ),
    timeMs,
  };
}

/** Isolated: the bucket's equity. Cross: the account value less the maintenance of all other cross positions. */
const equityOf = ({ position, valuation, maintenance }: HeldPosition, behindAll: Decimal): Decimal =>
  position.marginMode === 'isolated' ? valuation.marginUsed : behindAll.plus(maintenance);

type Sums = { readonly [Field in keyof MarginSummary]: Decimal };

/** The identity of trading-rules 4.1: account value = raw USD + signed notional, cross and isolated alike. */
function sumsOf(held: readonly HeldPosition[], cash: Decimal): Sums {
  let totalRawUsd = cash;
  let signedNotional = ZERO;
  let totalNotional = ZERO;
  let totalMarginUsed = ZERO;
  for (const { position, valuation: value } of held) {
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
