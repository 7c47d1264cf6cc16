// What the actions about sub-accounts share: their fields, and who may send them.
import type { SubAccount } from '../../../accounts/services.ts';
import { described } from '../../../contract/named.ts';
import { isShownName } from '../../../contract/requestValues.ts';
import { AddressText } from '../../../http/requestReader.ts';
import { type ActionAnswer, type ActionContext, refusal } from '../../actionType.ts';

export const SubAccountUser = described(AddressText, 'Address of the sub-account.');

/** @returns why the user’s accounts are out of the key’s reach, or the name is none */
export function refusalOfName(name: string): ActionAnswer | undefined {
  return isShownName(name) ? undefined : refusal('Sub-account names consist of visible characters.');
}

/** A key that is bound to one account must not reach the others, nor their number. */
export function refusalOfBound({ call }: ActionContext): ActionAnswer | undefined {
  return call.caller.isBound
    ? refusal('This API key is bound to one account: sub-accounts are made, renamed and funded with a key that is not.')
    : undefined;
}

/** @throws {RequestError} as the gateway does */
export async function findSubAccount({ call, services }: ActionContext, address: string): Promise<SubAccount | undefined> {
  const wanted = address.toLowerCase();
  return (await services.ownAccounts.list(call)).find((one) => one.address === wanted);
}

/** In the words of the venue. */
export const notRegistered = ({ call }: ActionContext, address: string): ActionAnswer =>
  refusal(`Sub-account ${address.toLowerCase()} is not registered to ${call.caller.master}`);
