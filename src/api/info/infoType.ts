// The shape of an info type: its name, the fields of its request, and how it is answered. One file per type or
// family.
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { asSeen, type Call, type Services } from '../accounts/services.ts';
import type { AnswerFor } from '../contract/answerValues.ts';
import { described } from '../contract/named.ts';
import type { QuestionPrice } from '../domain/requestPrice.ts';
import type { JsonText } from '../domain/wireText.ts';
import { AddressText, absentOr, compileReader, quoted } from '../http/requestReader.ts';

/** The part of the published contract about a type, beside the schema that reads its request. */
export interface InfoContract<F extends TProperties, A extends TSchema> {
  readonly about: string;
  /** What a question costs. */
  readonly price: QuestionPrice;
  /** Fields of the request beside `type`. */
  readonly fields: F;
  /** How the fields must fit together: keywords of the request's schema. */
  readonly fitting?: object;
  readonly answers: A;
  /** Fields of a request that is answered with 200. */
  readonly example?: Static<TObject<F>>;
}

export interface InfoType {
  readonly type: string;
  readonly about: string;
  readonly price: QuestionPrice;
  /** The request, whole. */
  readonly schema: TObject;
  readonly answers: TSchema;
  readonly example: Readonly<Record<string, unknown>>;
  /** @throws {RequestError} 400 when the request cannot be read; the parts' errors otherwise */
  answer(body: unknown, call: Call, services: Services): unknown;
}

/** An answer, at once or later. */
type Answer<A extends TSchema> = Written<AnswerFor<A>> | Promise<Written<AnswerFor<A>>>;
/** As a value, or as the text of one. */
type Written<Value> = Value | JsonText<Value>;

/** A type that is the same for all callers. */
export function marketType<F extends TProperties, A extends TSchema>(
  type: string,
  contract: InfoContract<F, A>,
  answer: (request: Static<TObject<F>>, services: Services, call: Call) => Answer<A>,
): InfoType {
  const read = compileReader(Type.Object(contract.fields, contract.fitting));
  return { ...told(type, contract), answer: (body, call, services) => answer(read(body), asSeen(call, services), call) };
}

/** The field `user` of every type about an account. No address leads to what is another user's; some answer the same for all. */
export const ACCOUNT_FIELDS = {
  user: described(
    absentOr(AddressText),
    'The master account or a sub-account of the key’s user; for any other address, and without one, the key’s own account answers.',
  ),
};
type AccountFields = typeof ACCOUNT_FIELDS;

/** A type about the account that the request names. */
export function accountType<F extends TProperties, A extends TSchema>(
  type: string,
  contract: InfoContract<F, A>,
  answer: (request: Static<TObject<F & AccountFields>>, call: Call, services: Services) => Answer<A>,
): InfoType {
  const fields = { ...ACCOUNT_FIELDS, ...contract.fields };
  const read = compileReader(Type.Object<F & AccountFields>(fields));
  return {
    ...told(type, { ...contract, fields }),
    answer: (body, call, services) => {
      const request = read(body);
      const { user } = request as { readonly user?: string | null };
      const shown = services.ownAccounts.shown(call, user);
      return shown instanceof Promise ? shown.then((own) => answer(request, own, services)) : answer(request, shown, services);
    },
  };
}

const told = (type: string, contract: Omit<InfoContract<TProperties, TSchema>, 'example'> & { example?: object }) => ({
  type,
  about: contract.about,
  price: contract.price,
  schema: Type.Object({ type: Type.Literal(type), ...contract.fields }, contract.fitting),
  answers: contract.answers,
  example: { type, ...contract.example },
});

/** The address in the answer: the requested one, because clients route by it; else the account's own. */
export const askedUser = (request: { readonly user?: string | null }, call: Call): string =>
  request.user?.toLowerCase() ?? call.caller.address;

export const DexField = described(
  absentOr(Type.String({ pattern: '^[A-Za-z0-9]{0,16}$', expected: 'the name of a dex' })),
  'Name of a perp dex; absent, `null` and `""` are the main one. Of others market data passes through from the venue, and accounts have nothing there.',
);

/** A request with such a field. */
type OfDex = { readonly dex?: string | null };

/** True for the dex whose perpetuals are traded here. */
export const isMainDex = ({ dex }: OfDex): boolean => !dex;

/** @throws {RequestError} 400 for any dex but the main one, where others are not offered */
export function requireMainDex({ dex }: OfDex): void {
  if (dex) throw new RequestError(400, 'unknown_dex', `Unknown perp dex ${quoted(dex)}: only the main dex is offered here.`);
}
