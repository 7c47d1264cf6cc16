// Which of the user's accounts the pages are about: the master account, or a sub-account by its address. Kept in localStorage; the
// other tabs change with it. Nothing is shown of an account before it is known that the user has it.
import { computed, signal } from '@preact/signals';
import type { AccountGroup, GroupAccount } from '../api/contract.ts';
import { kept } from './settings.ts';

/** Stands for the master account, whose address no request has to name. */
export const MASTER: string = '';

/** What the reader has chosen last in this browser; it may be an account that the user does not have. */
const wanted = kept('account', MASTER);

/** The accounts of the user as they were told last; undefined = not asked yet. */
export const group = signal<AccountGroup | undefined>(undefined);

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

/** Takes the accounts of the user over. A chosen one that is not among them gives way to the master. */
export function takeGroup(next: AccountGroup): void {
  group.value = next;
  if (wanted.peek() !== MASTER && memberAt(wanted.peek()) === undefined) chooseAccount(MASTER);
}

function memberAt(address: string): GroupAccount | undefined {
  return group.value?.accounts.find((one) => one.name !== null && one.address === address);
}

/** What an account is called here. */
export const nameOf = ({ name }: Pick<GroupAccount, 'name'>): string => name ?? 'Main account';

/** The name of the account that is shown. */
export const chosenName = computed(() => nameOf({ name: memberAt(wanted.value)?.name ?? null }));
