// Values and JSON text as the wire shows them: numbers with a decimal point and no trailing zeros, one-letter sides, zero hashes.
// String work only, because it runs for every field of every answer.
import type { Side } from '../../actors/core/messages/order.ts';

/** There is no chain here, so every transaction hash is the venue's value for none. */
export const ZERO_HASH = `0x${'0'.repeat(64)}`;
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Plain decimal text → wire text: `100` → `100.0`, `1.50` → `1.5`, `-0` → `0.0`.
 * @param text digits with at most one point and a minus sign; no exponent
 */
export function wireNumber(text: string): string {
  const point = text.indexOf('.');
  if (point < 0) return text === '-0' ? '0.0' : `${text}.0`;
  let end = text.length;
  while (end > point + 2 && text.charCodeAt(end - 1) === 48) end -= 1;
  const trimmed = end === text.length ? text : text.slice(0, end);
  return trimmed === '-0.0' ? '0.0' : trimmed;
}

export const wireSide = (side: Side): 'B' | 'A' => (side === 'buy' ? 'B' : 'A');

/** The JSON text of an answer, `null` where there is none. */
export const toJson = (answer: unknown): string => (answer instanceof JsonText ? answer.text : JSON.stringify(answer ?? null));

/** An answer that is JSON text already: what is asked again and again is written once. */
export class JsonText<Value> {
  readonly text: string;
  /** Elements of a list; 0 of anything else. */
  readonly rows: number;
  /** Only says what the text is of. */
  declare readonly value?: Value;

  private constructor(text: string, rows: number) {
    this.text = text;
    this.rows = rows;
  }

  static of<Value>(value: Value): JsonText<Value> {
    return new JsonText<Value>(JSON.stringify(value), Array.isArray(value) ? value.length : 0);
  }

  /** The text of an object with one field more, at the end. */
  with<Name extends string>(name: Name, number: number): JsonText<Value & { readonly [Field in Name]: number }> {
    return new JsonText(`${this.text.slice(0, -1)},"${name}":${number}}`, 0);
  }

  /** Inside of another answer it is a value like any other. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
