// The accounts of the user and their figures, asked for when they are needed: a user with one account never needs them.
import type { AccountGroup } from '../api/contract.ts';
import { get } from '../api/http.ts';
import { takeGroup } from './chosenAccount.ts';
import { exchangePath } from './paths.ts';

/** Asks for the accounts. @throws {ApiError} */
export async function readGroup(): Promise<AccountGroup> {
  const { body } = await get<AccountGroup>(exchangePath('account/group'));
  takeGroup(body);
  return body;
}
