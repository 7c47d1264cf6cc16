// Reads the fields of a TWAP action, which stand in an object `twap`, as at the venue, or beside `type`.
import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import { described } from '../../../contract/named.ts';
import { absentOr, compileReader } from '../../../http/requestReader.ts';

/** The schema of the action without its fields, which `twapFields` reads. */
export const twapEnvelope = <T extends TProperties>(fields: T) =>
  Type.Object({ ...fields, twap: absentOr(Type.Object({}, { expected: 'an object' })) });

/** The schema of the action as it is published: its fields in an object `twap`. */
export const publishedTwap = <T extends TProperties, F extends TProperties>(outside: T, fields: TObject<F>) =>
  Type.Object({ ...outside, twap: described(fields, 'The fields; they may stand beside `type` as well.') });

/** A reader of the fields in either place. @throws {RequestError} 400 that names the first fault */
export function twapFields<T extends TProperties>(fields: TObject<T>) {
  const read = compileReader(fields);
  return (action: { readonly twap?: object | null }) => read(action.twap ?? action);
}
