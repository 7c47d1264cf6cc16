// How lists below /v1/admin are paged: by a cursor that names the last row of the page before.
import { type TSchema, Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { Cursor, exactly } from '../../api/contract/answerValues.ts';
import { named } from '../../api/contract/named.ts';
import { limitParameter, readLimit } from '../../api/http/requestReader.ts';
import { RequestError } from '../../shared/errors.ts';

/** What a list takes, for the published contract. */
export const pageParameters = {
  limit: limitParameter,
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
};

export const PAGE_ERRORS = { 400: ['invalid_request', 'invalid_cursor'] };

/** For an endpoint with the name of its object in the path. */
export const MAY_BE_UNKNOWN = { 404: ['unknown_target', 'not_found'], 405: ['method_not_allowed'] };

/** A page of rows. @param name of the page's schema */
export const pageOf = <Row extends TSchema>(name: string, row: Row) =>
  named(name, exactly({ items: Type.Array(row), next_cursor: Cursor }));

/**
 * Reads one row more than a page has, which tells whether there is a next one.
 * @param options.form of the text that a cursor stands for
 * @throws {RequestError} 400
 */
export async function readPage<Row, Shown>(
  ctx: RouteContext,
  options: {
    readonly form: RegExp;
    readonly read: (limit: number, after: string | undefined) => Promise<readonly Row[]>;
    readonly placeOf: (row: Row) => string;
    readonly show: (row: Row) => Shown;
  },
): Promise<{ readonly items: readonly Shown[]; readonly next_cursor: string | null }> {
  const { read, placeOf, show, form } = options;
  const { limit, after } = readPlace(ctx, form);
  const found = await read(limit + 1, after);
  const items = found.slice(0, limit);
  return { items: items.map(show), next_cursor: cursorOf(found.length > limit ? items.at(-1) : undefined, placeOf) };
}

/** Which page is asked for. @throws {RequestError} 400 */
export const readPlace = (ctx: RouteContext, form: RegExp) => ({
  limit: readLimit(ctx.query['limit']),
  after: readCursor(ctx.query['cursor'], form),
});

/** @param last of a page behind which there are others */
export const cursorOf = <Row>(last: Row | undefined, placeOf: (row: Row) => string): string | null =>
  last === undefined ? null : Buffer.from(placeOf(last)).toString('base64url');

function readCursor(given: string | string[] | undefined, form: RegExp): string | undefined {
  if (given === undefined) return undefined;
  const text = typeof given === 'string' ? Buffer.from(given, 'base64url').toString() : '';
  if (!form.test(text)) throw new RequestError(400, 'invalid_cursor', 'cursor must be the next_cursor of a page before.');
  return text;
}

/** A query parameter that may be left out. @throws {RequestError} 400 when it comes twice, is too long or of another form */
export function readText(ctx: RouteContext, name: string, form: RegExp, expected: string): string | undefined {
  const { [name]: given } = ctx.query;
  if (given === undefined) return undefined;
  if (typeof given === 'string' && form.test(given)) return given;
  throw new RequestError(400, 'invalid_request', `${name} must be ${expected}.`);
}
