// Bounds JSON before it is parsed, in one pass over its bytes. What a client sends costs the parser more than its
// length tells: a megabyte of brackets takes 270 ms, one of ever new names 200 ms. Past a bound the rest is not looked
// at. A text that is no JSON passes here, and the parser refuses it.

/** Objects and arrays within each other. The deepest body a client sends has six. */
export const DEPTH_MAX = 32;
/** Digits of one number are fewer: JSON has no bound, a double holds 17 and the longest price here 28. */
export const DIGITS_MAX = 100;
/** Elements and members, of all arrays and objects together. An action with 1,000 orders has 15,000. */
export const VALUES_MAX = 32_768;
/** Different names of members. All requests together have some 150. */
export const NAMES_MAX = 1024;

export type JsonFault = 'tooDeep' | 'longNumber' | 'tooManyValues' | 'tooManyNames';

export interface ScannedJson {
  /** The bound that the text breaks. */
  readonly fault?: JsonFault;
  /**
   * True where the text may hold a number that JavaScript cannot, a negative zero, or a member `__proto__`: only then the parsed
   * value has to be searched for them.
   */
  readonly isOdd: boolean;
}

/** Shortest text that can have more names than allowed, bytes: `"aa":1,` for each. */
const BYTES_OF_MANY_NAMES = 7 * NAMES_MAX;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const UNDERSCORE = 0x5f;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** Letters of an exponent, with the bit that makes a letter lower case. */
const EXPONENT = 0x65;
const LOWER_CASE = 0x20;
/** `[` and `{`, `]` and `}` differ in that bit as well. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
const OBJECT = 0x7b;

/** @param bytes the text in UTF-8 */
export function scanJson(bytes: Uint8Array): ScannedJson {
  const names = bytes.length < BYTES_OF_MANY_NAMES ? undefined : new Set<number>();
  /** 1 for each open object, 0 for each open array. */
  const isObject = new Uint8Array(DEPTH_MAX + 1);
  let depth = 0;
  let values = 0;
  let digits = 0;
  let isOdd = false;
  let isNameNext = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte >= DIGIT_0 && byte <= DIGIT_9) {
      digits += 1;
      if (digits >= DIGITS_MAX) return { fault: 'longNumber', isOdd };
      continue;
    }
    if (byte === QUOTE) {
      digits = 0;
      const start = at + 1;
      at = isNameNext && names !== undefined ? hashName(bytes, start, names) : endOfText(bytes, start);
      if (!isNameNext) continue;
      isNameNext = false;
      if (names !== undefined && names.size > NAMES_MAX) return { fault: 'tooManyNames', isOdd };
      isOdd ||= isOddName(bytes, start, at);
      continue;
    }
    if (byte === POINT || byte === PLUS) continue;
    if (byte === MINUS) {
      isOdd = true;
      continue;
    }
    const letter = byte | LOWER_CASE;
    if (letter === EXPONENT && digits > 0) {
      isOdd = true;
      continue;
    }
    digits = 0;
    if (byte === COMMA) {
      values += 1;
      isNameNext = isObject[depth] === 1;
    } else if (letter === OPENING) {
      depth += 1;
      values += 1;
      if (depth > DEPTH_MAX) return { fault: 'tooDeep', isOdd };
      isNameNext = byte === OBJECT;
      isObject[depth] = isNameNext ? 1 : 0;
    } else if (letter === CLOSING) {
      // Below the outermost bracket no text is JSON any more.
      if (depth === 0) return { isOdd };
      depth -= 1;
      isNameNext = false;
    }
    if (values > VALUES_MAX) return { fault: 'tooManyValues', isOdd };
  }
  return { isOdd };
}

/** @returns the place of the quote that ends the text, or the end of all bytes */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Adds a name's hash (FNV-1a) to the names seen. Names that meet in one hash count once. */
function hashName(bytes: Uint8Array, start: number, names: Set<number>): number {
  const end = endOfText(bytes, start);
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  names.add(hash);
  return end;
}

/** `__proto__` begins with an underscore, or with its escape. */
const isOddName = (bytes: Uint8Array, start: number, end: number): boolean =>
  start < end && (bytes[start] === UNDERSCORE || bytes[start] === BACKSLASH);
