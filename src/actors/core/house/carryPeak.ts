// Money that comes or goes is neither gain nor loss: it leaves the account as many percent below its peak as it was. So a deposit hides no
// drawdown, and a withdrawal, a transfer or a reset makes none and ends none. Where all of the money goes, the account remembers how much of
// its peak it was, until money comes again.
import { Decimal, halfUp, quotient, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { accountValue } from '../margin/margin.ts';
import { valueAtPeak } from '../margin/result.ts';
import type { AccountEvent } from '../messages/event.ts';

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
export const peakAt = (peakUsd: Decimal, shareKept?: Decimal): AccountEvent => ({
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
