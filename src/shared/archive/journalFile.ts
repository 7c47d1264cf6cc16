// The form of a journal that its owner takes away: lines of JSON, each with the SHA-256 of the hash of the line before it and of its own
// text. So a byte, a line or an order of lines that is not as it was written is found at its place, by a program that knows nothing else.
import { createHash } from 'node:crypto';

/** Of the form: the first line names it. */
export const JOURNAL_VERSION = 1;
export const JOURNAL_FORM = 'perpx journal';

/**
 * `head`: whose journal it is, and the state that it begins with. `entry`: an entry, as it was journaled. `state`: what the account goes on
 * from where entries do not count or are not kept. `end`: how many entries there were, and what they come to.
 */
export const LINE_KINDS = ['head', 'entry', 'state', 'end'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

const BEFORE_HASH = '{"hash":"';
const HASH_CHARS = 64;
const AFTER_HASH = '",';
const BODY_AT = BEFORE_HASH.length + HASH_CHARS + AFTER_HASH.length;
const HASH = /^[0-9a-f]{64}$/;

/** Hash of the line before the first one. */
export const NO_LINE = '';

export const isLineHash = (text: string): boolean => HASH.test(text);

/** A line without the newline that ends it, and its hash. @param text JSON without a newline */
export function writeLine(before: string, kind: LineKind, text: string): { readonly line: string; readonly hash: string } {
  const body = `"${kind}":${text}}`;
  const hash = hashOf(before, body);
  return { line: `${BEFORE_HASH}${hash}${AFTER_HASH}${body}`, hash };
}

export interface JournalLine {
  readonly hash: string;
  readonly kind: LineKind;
  /** The value under the kind, as it was written. */
  readonly text: string;
  /** The line is what it was when it was written behind the line of this hash. */
  follows(before: string): boolean;
}

/** @param bytes of a line, without the newline @throws Error when it has not the form of a line */
export function readLine(bytes: Buffer): JournalLine {
  const begins = bytes.toString('latin1', 0, BODY_AT);
  const hash = begins.slice(BEFORE_HASH.length, -AFTER_HASH.length);
  if (begins !== `${BEFORE_HASH}${hash}${AFTER_HASH}` || !isLineHash(hash)) throw new Error('it does not begin with a hash');
  const body = bytes.subarray(BODY_AT);
  const text = body.toString();
  const kind = LINE_KINDS.find((one) => text.startsWith(`"${one}":`));
  if (kind === undefined || !text.endsWith('}')) throw new Error(`it is none of ${LINE_KINDS.join(', ')}`);
  return { hash, kind, text: text.slice(kind.length + 3, -1), follows: (before) => hashOf(before, body) === hash };
}

const hashOf = (before: string, body: string | Uint8Array): string =>
  createHash('sha256').update(before).update(body).digest('hex');
