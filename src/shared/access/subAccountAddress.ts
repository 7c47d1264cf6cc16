// The addresses of a user's accounts: the master account's, which the user's document has, and those of sub-accounts, which follow
// from it and their numbers. So every process knows them all without a store; which of them exist, the master's journal says
// (docs/adr/0021-sub-accounts.md).
import { hash } from 'node:crypto';
import type { User } from '../mongo/userStore.ts';

/** Hex digits of an address. */
const DIGITS = 40;

/** @param number from 1 on, in the order in which they were made */
export const subAccountAddress = (master: string, number: number): string =>
  `0x${hash('sha256', `${master}:sub:${number}`).slice(0, DIGITS)}`;

/** The addresses of the first sub-accounts, by their numbers from 1 on. */
export const subAccountAddresses = (master: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => subAccountAddress(master, index + 1));

/** All accounts that a user may have, the master first: for what has to reach every one of them. */
export const accountAddresses = ({ address, subAccountsMade = 0 }: Pick<User, 'address' | 'subAccountsMade'>): string[] => [
  address,
  ...subAccountAddresses(address, subAccountsMade),
];
