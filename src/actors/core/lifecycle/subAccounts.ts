// A master account makes sub-accounts and names them. The decision is the master's alone, so of two requests at once for the last place
// one is refused, and a repeated command makes none a second time.
import type { Account } from '../account/account.ts';
import { isSameOrigin } from '../account/group/fork.ts';
import { NAME_CHARS_MAX } from '../account/group/subAccount.ts';
import type { Decision } from '../fold/decision.ts';
import type { AccountCommand } from '../messages/command.ts';

type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;

/** @param command.limit how many the plan of this moment allows */
export function createSubAccount(account: Account, command: CommandOf<'createSubAccount'>): Decision {
  const { name, limit, fork } = command;
  const known = account.subAccounts?.findIndex(
    (each) => each.name === name && each.fork && fork && isSameOrigin(each.fork, fork),
  );
  // Asked for again, by a client that has heard nothing of the first time: there is one such fork.
  if (known !== undefined && known >= 0)
    return { events: [], outcome: { type: 'subAccountCreated', number: known + 1 }, requests: 1 };
  const refusal = whyNot(account, command);
  if (refusal !== undefined) return refused(refusal);
  const number = (account.subAccounts?.length ?? 0) + 1;
  if (number > limit) return refused(`Too many sub-accounts: the plan has ${limit}.`);
  const created = { type: 'subAccountCreated', number, name, ...(fork && { fork }) } as const;
  return { events: [created], outcome: { type: 'subAccountCreated', number }, requests: 1 };
}

/** The name that it has already is no change. */
export function renameSubAccount(account: Account, command: CommandOf<'renameSubAccount'>): Decision {
  const { number, name } = command;
  const known = account.subAccounts?.[number - 1];
  if (known === undefined) return refused('Sub-account does not exist.');
  if (known.name === name) return { events: [], outcome: { type: 'done' }, requests: 1 };
  const refusal = whyNot(account, command);
  if (refusal !== undefined) return refused(refusal);
  return { events: [{ type: 'subAccountRenamed', number, name }], outcome: { type: 'done' }, requests: 1 };
}

function whyNot(account: Account, command: CommandOf<'createSubAccount' | 'renameSubAccount'>): string | undefined {
  const { name } = command;
  const own = command.type === 'renameSubAccount' ? command.number - 1 : undefined;
  const chars = [...name].length;
  if (chars === 0 || chars > NAME_CHARS_MAX) return `The name of a sub-account has 1 to ${NAME_CHARS_MAX} characters.`;
  if (account.subAccounts?.some((each, at) => at !== own && looksLike(each.name, name)))
    return 'Another sub-account has this name.';
  return undefined;
}

/** Texts that are written alike: an accent is a character of its own or part of one, and spaces around are not seen. */
const looksLike = (a: string, b: string): boolean => shown(a) === shown(b);
const shown = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim();

const refused = (text: string): Decision => ({ events: [], outcome: { type: 'refused', text }, requests: 1 });
