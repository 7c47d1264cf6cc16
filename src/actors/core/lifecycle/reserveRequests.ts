// Pays for requests beyond the address limit (trading-rules 1.8): a withdrawal from cash, and the number that the count of
// requests is less from then on.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { withdrawable } from '../margin/margin.ts';
import type { AccountCommand } from '../messages/command.ts';

/** USD for one request. */
const REQUEST_PRICE = new Decimal('0.0005');

const TOO_DEAR = 'Insufficient balance to reserve request weight.';

export type ReserveRequests = Extract<AccountCommand, { type: 'reserveRequests' }>;

/** At most what could leave the account (rule 4.7). None changes nothing. */
export function reserveRequests(account: Account, { weight }: ReserveRequests, { market }: Context): Decision {
  const usd = REQUEST_PRICE.times(weight);
  if (usd.gt(withdrawable(account, market))) return refused(TOO_DEAR);
  if (weight === 0) return { events: [], outcome: { type: 'done' }, requests: 1 };
  const paid = { type: 'balanceAdjusted', usd: usd.neg().toString() } as const;
  return { events: [paid, { type: 'requestsReserved', weight }], outcome: { type: 'done' }, requests: 1 };
}

function refused(text: string): Decision {
  return { events: [], outcome: { type: 'refused', text }, requests: 1 };
}
