// Money that comes or goes is neither gain nor loss: it leaves the account as many percent below its peak as it was. So a deposit hides no
// drawdown, and a withdrawal or transfer makes none.
import { halfUp, quotient, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { accountValue } from '../margin/margin.ts';
import { valueAtPeak } from '../margin/result.ts';

/** @param before the account before the events of the draft */
export function carryPeak(before: Account, draft: Draft, { market }: Pick<Context, 'market'>): void {
  if (before.house?.rules.drawdown === undefined) return;
  const { account } = draft;
  const { netDepositsUsd } = account.totals;
  const movedUsd = netDepositsUsd.minus(before.totals.netDepositsUsd);
  // With a reset the peak begins anew.
  if (movedUsd.isZero() || draft.events.some(({ type }) => type === 'accountReset')) return;
  const value = accountValue(account, market);
  const valueBefore = value.minus(movedUsd);
  const peakBefore = valueAtPeak(before, before.house.peakUsd);
  // At its peak an account stays there; one that was worth nothing has no share to keep.
  if (valueBefore.lte(0) || value.lte(0) || peakBefore.lte(valueBefore)) return;
  const peak = halfUp(quotient(peakBefore.times(value), valueBefore), USD_DECIMALS);
  draft.record({ type: 'housePeakRaised', peakUsd: peak.minus(netDepositsUsd).toString() });
}
