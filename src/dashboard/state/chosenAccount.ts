// The user, the user's accounts, and the account that the pages are about: the master account, or a sub-account by its address.
// Kept in localStorage; the other tabs change with it. Nothing is shown of an account before it is known that the user has it.
import { computed, signal } from '@preact/signals';
import type { AccountGroup, GroupAccount, Profile } from '../api/contract.ts';
import { get } from '../api/http.ts';
import { kept } from './settings.ts';

/** Stands for the master account, whose address no request has to name. */
export const MASTER: string = '';

/** The last choice in this browser; it may be an account that the user does not have. */
const wanted = kept('account', MASTER);

/** The accounts of the user by the last answer; undefined = not asked yet. */
export const userAccounts = signal<AccountGroup | undefined>(undefined);

const tabs = new BroadcastChannel('account');
tabs.onmessage = ({ data }) => {
  wanted.value = String(data);
};

/** The account that is shown: `MASTER` or an address; undefined while it is not known whether the user has it. */
export const chosenAccount = computed<string | undefined>(() => {
  if (wanted.value === MASTER) return MASTER;
  return memberAt(wanted.value) === undefined ? undefined : wanted.value;
});

/** Shows another account here and in all tabs. @param address `MASTER`, or that of a sub-account */
export function chooseAccount(address: string): void {
  wanted.value = address;
  tabs.postMessage(address);
}

/** Takes the accounts of the user over. A chosen account that is not among them gives way to the master. */
function takeUserAccounts(next: AccountGroup): void {
  userAccounts.value = next;
  if (wanted.peek() !== MASTER && memberAt(wanted.peek()) === undefined) chooseAccount(MASTER);
}

function memberAt(address: string): GroupAccount | undefined {
  return userAccounts.value?.accounts.find((one) => one.name !== null && one.address === address);
}

/** The name of an account here. */
export const nameOf = ({ name }: Pick<GroupAccount, 'name'>): string => name ?? 'Main account';

/** The name of the account that is shown. */
export const chosenName = computed(() => nameOf({ name: memberAt(wanted.value)?.name ?? null }));

/** @param rest after `/v1/exchanges/perpx/`, e.g. `info` */
export const exchangePath = (rest: string): string => `/v1/exchanges/perpx/${rest}`;

/** An endpoint about the chosen account. @param rest after `…/account/`, e.g. `fills?limit=10` */
export const accountPath = (rest: string): string => ofAccount(exchangePath(`account/${rest}`));

/** The path of an endpoint of this exchange. The path with the chosen account in its query. */
export function ofAccount(path: string): string {
  const address = chosenAccount.peek() ?? MASTER;
  return address === MASTER ? path : `${path}${path.includes('?') ? '&' : '?'}account=${address}`;
}

/** A question to `info`, or a subscription, that names the chosen account. */
export function aboutAccount<Question extends { readonly type: string }>(
  question: Question,
): Question & { readonly user?: string } {
  const address = chosenAccount.peek() ?? MASTER;
  return address === MASTER ? question : { ...question, user: address };
}

/** The chosen account, as an action names who acts. */
export function actingAccount(): { readonly vaultAddress?: string } {
  const address = chosenAccount.peek() ?? MASTER;
  return address === MASTER ? {} : { vaultAddress: address };
}

let asked = 0;
/** Which question the accounts that are shown answer. */
let answered = 0;

/**
 * The accounts of the user and their figures, asked for when they are needed: a user with one account never needs them.
 * Asks for the accounts. An answer that comes after that to a later question is older, and is not shown. @throws {ApiError}
 */
export async function readUserAccounts(): Promise<void> {
  asked += 1;
  const turn = asked;
  const { body } = await get<AccountGroup>(exchangePath('account/group'));
  if (turn < answered) return;
  answered = turn;
  takeUserAccounts(body);
}

/** The user who is logged in, as `GET /v1/auth/me` says; undefined until the first answer. */
export const user = signal<Profile | undefined>(undefined);

/** Reads who is logged in. @throws {ApiError} */
export async function readUser(): Promise<void> {
  user.value = (await get<Profile>('/v1/auth/me')).body;
}
