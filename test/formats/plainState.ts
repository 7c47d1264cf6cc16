// Any value of the code as plain JSON, by a walk that shares nothing with the codecs: decimals are text, maps are objects.
import { Decimal } from '../../src/shared/domain/decimal.ts';

export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

/** Keys without a value are absent. */
export function toPlain(value: unknown): Plain {
  if (value instanceof Decimal) return value.toString();
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map) return fromEntries([...value].map(([key, each]) => [String(key), each]));
  if (typeof value === 'object' && value !== null) return fromEntries(Object.entries(value));
  return value as Plain;
}

function fromEntries(entries: readonly (readonly [string, unknown])[]): Plain {
  const known = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, toPlain(value)]));
}
