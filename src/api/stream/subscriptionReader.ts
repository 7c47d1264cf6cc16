// Reads a client's subscription against the fields of its channel, with the same schemas as the bodies of requests.
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { compileReader } from '../http/requestReader.ts';

/** Gives the known fields of a subscription, typed. `schema` is for the published document. */
export interface SubscriptionReader<S> {
  (sent: object): S;
  readonly schema: TObject;
}

/** A subscription of a channel with these fields. */
export type SubscriptionTo<T extends string, F extends TProperties> = { readonly type: T } & Static<TObject<F>>;

/**
 * @param defaults the values of fields that the client left out
 * @param together how the fields must fit together: keywords of the schema
 * @returns a function that keeps the known fields as they were sent. It throws {RequestError} 400.
 */
export function subscriptionReader<T extends string, F extends TProperties>(
  type: T,
  fields: F,
  defaults: Partial<Static<TObject<F>>> = {},
  together: object = {},
): SubscriptionReader<SubscriptionTo<T, F>> {
  const read = compileReader(Type.Object(fields, together));
  const names = Object.keys(fields);
  const readKnown = (sent: object): SubscriptionTo<T, F> => {
    const valid = read(sent) as Readonly<Record<string, unknown>>;
    const known = names.flatMap((name) => (valid[name] === undefined ? [] : [[name, valid[name]]]));
    return { type, ...defaults, ...Object.fromEntries(known) } as SubscriptionTo<T, F>;
  };
  const whole: TProperties = { type: Type.Literal(type), ...fields };
  return Object.assign(readKnown, { schema: Type.Object(whole, together) });
}
