// What an info type is: its name, the fields of its request, and how it is answered. One file per type or family.
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { Call, Services } from '../call.ts';
import { AddressText, absentOr, compileReader, quoted } from '../requestReader.ts';

export interface InfoType {
  readonly type: string;
  /** @throws {RequestError} 400 when the request cannot be read; the parts' errors otherwise */
  answer(body: unknown, call: Call, services: Services): unknown;
}

/** A type that is the same for all callers. */
export function marketType<F extends TProperties>(
  type: string,
  fields: F,
  answer: (request: Static<TObject<F>>, services: Services, call: Call) => unknown,
): InfoType {
  const read = compileReader(Type.Object(fields));
  return { type, answer: (body, call, services) => answer(read(body), services, call) };
}

/** What every type about the account takes: whose it is. Read for its form only: the key says whose account answers. */
const ACCOUNT_FIELDS = { user: absentOr(AddressText) };
type AccountFields = typeof ACCOUNT_FIELDS;

/** A type about the caller's account. */
export function accountType<F extends TProperties>(
  type: string,
  fields: F,
  answer: (request: Static<TObject<F & AccountFields>>, call: Call, services: Services) => unknown,
): InfoType {
  const read = compileReader(Type.Object<F & AccountFields>({ ...ACCOUNT_FIELDS, ...fields }));
  return { type, answer: (body, call, services) => answer(read(body), call, services) };
}

/** The address to say back: the one asked for, for clients route by it; else the account's own. */
export const askedUser = (request: { readonly user?: string | null }, call: Call): string =>
  request.user?.toLowerCase() ?? call.caller.address;

/** Name of a perp dex; absent, `null` and `""` are the main one. */
export const DexField = absentOr(Type.String({ maxLength: 64, expected: 'the name of a dex' }));

/** @throws {RequestError} 400 for any dex but the main one: there are no others here */
export function requireMainDex({ dex }: { readonly dex?: string | null }): void {
  if (dex) throw new RequestError(400, 'unknown_dex', `Unknown perp dex ${quoted(dex)}: only the main dex is offered.`);
}
