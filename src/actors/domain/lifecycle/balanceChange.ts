// Money that comes to or leaves an account as a whole: one event, one ledger row, and the answer that tells both figures:
// the balance is that of the overview, account value less unrealized PnL.
import { type Decimal, halfUp, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { balanceOf } from '../history/equityNote.ts';
import type { Decision } from '../messages/decision.ts';

/** @param usd to deposit, negative to withdraw; 0 changes nothing */
export function balanceChange(account: Account, usd: Decimal, { isPlanCredited = false } = {}): Decision {
  const balance = halfUp(balanceOf(account).plus(usd), USD_DECIMALS);
  const outcome = { type: 'balanceChanged', balanceUsd: toWire(balance), changeUsd: toWire(usd) } as const;
  if (usd.isZero()) return { events: [], outcome, requests: 0 };
  const event = { type: 'balanceAdjusted', usd: usd.toString(), ...(isPlanCredited && { isPlanCredited }) } as const;
  return { events: [event], outcome, requests: 0 };
}
