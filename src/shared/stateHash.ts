// Names an account's state. The hash is the same at the same entry, at any pod, from a snapshot or by replay. It
// walks the state itself and shares no code with the snapshot's codec, so a state that lost a field on its way
// through a snapshot has another hash.
import { createHash } from 'node:crypto';
import { Decimal } from './domain/decimal.ts';

/** How this build computes them. */
const WAY = 'h2:';

/**
 * `h2:` and the SHA-256 of the state, hex. What stands before the colon names the way in which it was computed; hashes of
 * different ways, and those of 988ec6f, which name none, cannot be compared.
 */
export const stateHashOf = (account: object): string => `${WAY}${createHash('sha256').update(canonical(account)).digest('hex')}`;

/** True when the hash can be compared with those of this build. */
export const isComparable = (hash: string): boolean => hash.startsWith(WAY);

/** Every key of every object and map in one order. A key without a value counts as absent. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Decimal) return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value instanceof Map) return `{${pairsOf(value).sort().join(',')}}`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const key of Object.keys(fields).sort()) {
    if (fields[key] !== undefined) text += `${key}:${canonical(fields[key])},`;
  }
  return `${text}}`;
}

const pairsOf = (map: ReadonlyMap<unknown, unknown>): string[] =>
  [...map].map(([key, value]) => `${canonical(key)}:${canonical(value)}`);
