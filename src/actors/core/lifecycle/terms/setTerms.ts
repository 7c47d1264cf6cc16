// Sets the terms of an account. They hold from the next fill on: nothing that was filled changes.
import type { Account } from '../../account/account.ts';
import { areSame } from '../../account/terms/termsState.ts';
import type { Decision } from '../../fold/decision.ts';
import type { AccountCommand } from '../../messages/command.ts';

export function setTerms({ terms: before = {} }: Account, { terms }: Extract<AccountCommand, { type: 'setTerms' }>): Decision {
  const events = areSame(before, terms) ? [] : [{ type: 'termsSet', ...terms } as const];
  return { events, outcome: { type: 'done' }, requests: 0 };
}
