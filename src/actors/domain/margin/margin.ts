// What an account is worth and what of it is free, at the marks of now (trading-rules 4.1, 4.6, 4.7). Pure sums over
// its positions and resting orders; acceptance, withdrawals and views all ask here.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, Decimal, quotient, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Account, Position } from '../account/account.ts';
import { pendingFunding } from './fundingPayments.ts';
import { type HoldInput, totalHolds } from './orderMargin.ts';
import { type Valuation, valuationOf } from './valuation.ts';

/** The part of an account that margin depends on. `Account` is one; so is a draft of what it would become. */
export interface MarginState extends Pick<Account, 'cash'>, HoldInput {}

/** Share of a position's notional that stays when money leaves, whatever its leverage. */
export const TRANSFER_RATE = new Decimal('0.1');

/** Cross cash plus the value of all cross positions at mark (`crossAV`), USD. */
export function crossAccountValue({ cash, positions }: Pick<MarginState, 'cash' | 'positions'>, market: MarketView): Decimal {
  let sum = cash;
  for (const position of positions.values()) {
    if (position.marginMode === 'cross') sum = sum.plus(valuationOf(position, market).signedNotional);
  }
  return sum;
}

/** Cross account value plus the equity of every isolated bucket (`AV`), USD. */
export function accountValue({ cash, positions }: Pick<MarginState, 'cash' | 'positions'>, market: MarketView): Decimal {
  let sum = cash;
  for (const position of positions.values()) {
    sum = sum.plus(valuationOf(position, market).signedNotional);
    if (position.marginMode === 'isolated') sum = sum.plus(position.rawUsd);
  }
  return sum;
}

/** What new orders may still use, USD; negative when margin was lost. Initial margins are cut after 6 decimals, holds are exact. */
export function freeMargin(state: MarginState, market: MarketView): Decimal {
  let free = state.cash;
  for (const position of state.positions.values()) {
    if (position.marginMode === 'cross') free = free.plus(valuationOf(position, market).free);
  }
  return free.minus(totalHolds(state, market));
}

/**
 * What may leave the account, USD, cut after 6 decimals, never negative: each position keeps 10 % of its notional at
 * least, and funding that is owed but not settled stays.
 */
export function withdrawable(state: MarginState & Pick<Account, 'funding'>, market: MarketView): Decimal {
  let left = state.cash;
  for (const position of state.positions.values()) {
    if (position.marginMode === 'isolated') continue;
    left = left.plus(leavable(position, valuationOf(position, market)).usd);
  }
  const owed = Decimal.min(ZERO, pendingFunding(state, market));
  return cut6(Decimal.max(ZERO, left.plus(owed).minus(totalHolds(state, market))));
}

/** What a cross position leaves for a withdrawal: its value less the larger of initial margin and 10 %. */
const leavable = rememberFor(
  ({ leverage }: Position, valuation: Valuation) => {
    const { notional, signedNotional } = valuation;
    const kept = Decimal.max(quotient(notional, leverage), notional.times(TRANSFER_RATE));
    return { valuation, usd: signedNotional.minus(kept) };
  },
  (last, valuation) => last.valuation === valuation,
);
