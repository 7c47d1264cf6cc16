// What the actions about sub-accounts share: their fields, and who may send them.
import { Type } from '@sinclair/typebox';
import type { SubAccount } from '../../../accounts/services.ts';
import { described } from '../../../contract/described.ts';
import { AddressText } from '../../../http/requestReader.ts';
import { type ActionAnswer, type ActionContext, refusal } from '../../actionType.ts';

const NAME_MAX = 16;
/**
 * Control characters, invisible ones, those that turn the direction of text, lone surrogates, and ends of lines. Some that show nothing
 * are letters or marks to Unicode (the Hangul fillers, selectors of a variant), and one is a symbol (the Braille pattern without dots).
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

export const SubAccountName = described(
  Type.String({ minLength: 1, maxLength: NAME_MAX, expected: `a text of 1 to ${NAME_MAX} characters` }),
  'Other than those of the user’s other sub-accounts; without control and invisible characters.',
);

export const SubAccountUser = described(AddressText, 'Address of the sub-account.');

/** @returns why the user’s accounts are out of the key’s reach, or the name is none */
export function refusalOfName(name: string): ActionAnswer | undefined {
  return isShownName(name) ? undefined : refusal('Sub-account names consist of visible characters.');
}

/** True when all of the name can be seen. */
export const isShownName = (name: string): boolean => !HIDDEN.test(name) && name.trim() !== '';

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
