// Where the endpoints of this exchange are, and how a question names the account that the pages are about.
import { chosenAccount, MASTER } from './chosenAccount.ts';

/** @param rest after `/v1/exchanges/perpx/`, e.g. `info` */
export const exchangePath = (rest: string): string => `/v1/exchanges/perpx/${rest}`;

/** An endpoint about the chosen account. @param rest after `…/account/`, e.g. `fills?limit=10` */
export const accountPath = (rest: string): string => ofAccount(exchangePath(`account/${rest}`));

/** The path with the chosen account in its query. */
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
