// The cursor of a list, as text that a client sends back: row numbers, which later rows do not move, and a digest
// that binds them to the account and the filters. It is no secret: a forged cursor reads another part of the caller's
// own list.
import { createHash } from 'node:crypto';
import { RequestError } from '../../shared/errors.ts';

const DIGEST_CHARACTERS = 16;
const CURSOR_FORM = /^[\w-]{1,256}$/;

/** @param list names the list: account, endpoint and filters */
export function writeCursor(list: readonly unknown[], places: readonly number[]): string {
  return Buffer.from(JSON.stringify([...places, digestOf(list, places)])).toString('base64url');
}

/**
 * The row numbers in a cursor of this list.
 * @throws {RequestError} 400 for text that `writeCursor` has not made for the same list
 */
export function readCursor(list: readonly unknown[], cursor: string): readonly number[] {
  const places = (CURSOR_FORM.test(cursor) ? parse(cursor) : undefined)?.slice(0, -1) ?? [];
  // Written again it must give the same text: no other digest, no other spelling.
  if (!places.every(isRowNumber) || writeCursor(list, places) !== cursor) {
    throw new RequestError(400, 'invalid_cursor', 'The cursor is not one of this list with these filters.');
  }
  return places;
}

const isRowNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function parse(cursor: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // the client's text: the caller says what is wrong with it
  }
}

const digestOf = (list: readonly unknown[], places: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify([list, places]))
    .digest('base64url')
    .slice(0, DIGEST_CHARACTERS);
