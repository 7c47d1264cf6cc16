// Stored forms of records, from one table that serves both directions. The table is typed over every key of the record, so
// a field that is forgotten does not compile. A form is canonical: keys in the order of the table, maps by ascending key,
// so equal values give equal text.
import { Decimal } from './decimal.ts';

/** One value as plain JSON and back. */
export interface Codec<Value> {
  readonly write: (value: Value) => unknown;
  readonly read: (stored: never) => Value;
  /** The stored form is the value: reading looks whether it is whole, and makes nothing. */
  readonly isKept?: boolean;
}

/** Of a key that may be absent, in an object of the form too; an array has `null` in its place. */
interface OptionalCodec<Value> extends Codec<Value> {
  readonly isOptional: true;
}

/** For each key of a record the codec that writes and reads it. */
type FieldCodecs<Of> = {
  readonly [Key in keyof Of]-?: Record<never, never> extends Pick<Of, Key>
    ? OptionalCodec<Exclude<Of[Key], undefined>>
    : Codec<Of[Key]>;
};

/** The codec of a record, with its table. */
interface RecordCodec<Of> extends Codec<Of> {
  readonly fields: FieldCodecs<Of>;
}

interface Field {
  readonly key: string;
  readonly write: (value: unknown) => unknown;
  readonly read: (stored: unknown) => unknown;
  readonly isOptional: boolean;
  readonly isKept: boolean;
}

type Values = Record<string, unknown>;

const same = <Value>(value: Value): Value => value;

/** A value that JSON has itself. */
export const plain = <Value extends string | number | boolean>(): Codec<Value> => ({ write: same, read: same, isKept: true });

/** A list that JSON has itself. */
export const plainList = <Value extends readonly unknown[]>(): Codec<Value> => ({ write: same, read: same, isKept: true });

/** Plain decimal text. */
export const decimal: Codec<Decimal> = { write: (value) => value.toString(), read: (stored: string) => new Decimal(stored) };

/** A key that may be absent. */
export const optional = <Value>(codec: Codec<Value>): OptionalCodec<Value> => ({ ...codec, isOptional: true });

/** A key that is always there, with or without a value. */
export const orUndefined = <Value>({ write, read }: Codec<Value>): Codec<Value | undefined> => ({
  write: (value) => (value === undefined ? null : write(value)),
  read: (stored: unknown) => (stored === null ? undefined : read(stored as never)),
});

/** A record as an object with the same keys. @param name what it is, for an error about a form that lacks one */
export function record<Of extends object>(name: string, fields: FieldCodecs<Of>): RecordCodec<Of> {
  const table = tableOf(fields);
  const isKept = table.every((field) => field.isKept);
  return {
    fields,
    isKept,
    write: (value) => {
      const form: Values = {};
      for (const field of table) {
        const own = (value as Values)[field.key];
        if (!field.isOptional || own !== undefined) form[field.key] = written(field, own);
      }
      return form;
    },
    read: (stored: Values) => {
      const value: Values = isKept ? stored : {};
      for (const field of table) {
        const own = stored[field.key];
        if (own === undefined && field.isOptional) continue;
        const read = readField(field, own, name);
        if (!isKept) value[field.key] = read;
      }
      return value as Of;
    },
  };
}

/** A record as an array, its values in the order of the table: for what there is much of. */
export function tuple<Of extends object>(name: string, fields: FieldCodecs<Of>): RecordCodec<Of> {
  const table = tableOf(fields);
  return {
    fields,
    write: (value) => table.map((field) => written(field, (value as Values)[field.key])),
    read: (stored: readonly unknown[]) => {
      const value: Values = {};
      table.forEach((field, index) => {
        const own = stored[index];
        if (!field.isOptional || own !== null) value[field.key] = readField(field, own, name);
      });
      return value as Of;
    },
  };
}

export const listOf = <Value>({ write, read }: Codec<Value>): Codec<readonly Value[]> => ({
  write: (values) => values.map(write),
  read: (stored: readonly never[]) => stored.map(read),
});

/** A map as pairs. */
export const mapOf = <Key extends string | number, Value>({ write, read }: Codec<Value>): Codec<ReadonlyMap<Key, Value>> => ({
  write: (values) => sorted(values).map(([key, value]) => [key, write(value)]),
  read: (stored: readonly (readonly [Key, never])[]) => new Map(stored.map(([key, value]) => [key, read(value)])),
});

/** The same of a map whose order is part of the state. */
export const mapInOrder = <Key extends string | number, Value>(value: Codec<Value>): Codec<ReadonlyMap<Key, Value>> => ({
  write: (values) => [...values].map(([key, each]) => [key, value.write(each)]),
  read: mapOf<Key, Value>(value).read,
});

/** A map whose values know their keys, as a list of values. */
export const mapBy = <Id extends string, Value extends Readonly<Record<Id, number>>>(
  key: Id,
  { write, read }: Codec<Value>,
): Codec<ReadonlyMap<number, Value>> => ({
  write: (values) => sorted(values).map(([, value]) => write(value)),
  read: (stored: readonly never[]) => new Map(stored.map(read).map((value): [number, Value] => [value[key], value])),
});

const tableOf = (fields: object): Field[] =>
  Object.entries(fields as Record<string, Omit<Field, 'key'>>).map(([key, { write, read, isOptional, isKept }]) => {
    return { key, write, read, isOptional: isOptional === true, isKept: isKept === true };
  });

/** Most values are as JSON has them: they cost no call. */
function written({ write, isOptional }: Field, value: unknown): unknown {
  if (write === same) return isOptional && value === undefined ? null : value;
  return isOptional && value === undefined ? null : write(value);
}

function readField({ key, read }: Field, stored: unknown, name: string): unknown {
  if (stored === undefined) throw new SyntaxError(`The stored ${name} has no ${key}.`);
  return read === same ? stored : read(stored);
}

/** By ascending key: ids as numbers, names by code unit. */
function sorted<Key extends number | string, Value>(map: ReadonlyMap<Key, Value>): (readonly [Key, Value])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
