// The accounts of the user and their figures, asked for when they are needed: a user with one account never needs them.
import type { AccountGroup } from '../api/contract.ts';
import { get } from '../api/http.ts';
import { takeGroup } from './chosenAccount.ts';
import { exchangePath } from './paths.ts';

let asked = 0;
/** Which question the accounts that are shown answer. */
let answered = 0;

/** Asks for the accounts. An answer that comes after that to a later question is older, and is not shown. @throws {ApiError} */
export async function readGroup(): Promise<void> {
  asked += 1;
  const turn = asked;
  const { body } = await get<AccountGroup>(exchangePath('account/group'));
  if (turn < answered) return;
  answered = turn;
  takeGroup(body);
}
