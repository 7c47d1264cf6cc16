// The first command of an account: it opens the account with its first deposit. Repeating it changes nothing.
import type { Account } from '../account/account.ts';
import type { Decision } from '../fold/decision.ts';
import type { AccountCommand } from '../messages/command.ts';

export function openAccount(account: Account, { depositUsd }: Extract<AccountCommand, { type: 'openAccount' }>): Decision {
  const events = account.openedAtMs > 0 ? [] : [{ type: 'accountOpened', depositUsd } as const];
  return { events, outcome: { type: 'accountOpened' }, requests: 0 };
}
