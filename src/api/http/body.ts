// Reads a JSON body and refuses bodies that no endpoint could mean: too large, too deep, not JSON, or with numbers
// that JavaScript cannot hold. The result is plain data that a schema can judge.
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { RequestError } from '../../shared/errors.ts';

/** Objects and arrays within each other. The deepest body a client sends has six. */
const DEPTH_MAX = 32;
/** Digits of one number: JSON has no bound, a double holds 17 and the longest price here 28. */
const DIGITS_MAX = 100;
/** How much of a refused body is read and discarded, so that its sender reads the answer: bytes, and ms. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;
const DISCARD_MS_MAX = 5000;

const LONG_DIGITS = new RegExp(`\\d{${DIGITS_MAX}}`);
const JSON_STRINGS = /"(?:[^"\\]|\\.)*"/g;

export type BodyReader = (ctx: Context) => Promise<unknown>;

/** @returns a function that reads a request's body. It throws {RequestError} 400, 413 or 415. */
export function createBodyReader(options: { limitBytes: number }): BodyReader {
  const parse = koaBody({
    jsonLimit: options.limitBytes,
    multipart: false,
    urlencoded: false,
    text: false,
    includeUnparsed: true,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      throw toRequestError(error, options.limitBytes);
    },
  });
  return async (ctx) => {
    await parse(ctx, done);
    const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: string };
    if (body === undefined) throw wrongContentType(ctx);
    refuseUnsafeJson(body, rawBody);
    return body;
  };
}

/**
 * Refuses numbers that JavaScript cannot hold, and nesting that is too deep.
 * @param text what the value was parsed from
 * @throws {RequestError} 400
 */
export function refuseUnsafeJson(value: unknown, text: string | undefined): void {
  if (text !== undefined && LONG_DIGITS.test(text)) refuseLongNumbers(text);
  refuseOddValues(value, 1);
}

/** Reads and discards the rest of a request's body, because a client that still writes does not read the answer. */
export async function discardBody(request: Readable & { readonly complete: boolean }): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, DISCARD_MS_MAX);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DISCARD_BYTES_MAX) resolve();
    });
    request.once('close', resolve).once('end', resolve).once('error', resolve);
    request.unpipe();
    request.resume();
    request.once('close', () => clearTimeout(timer));
  });
}

const done = async (): Promise<void> => undefined;

function wrongContentType(ctx: Context): RequestError {
  const hasBody = ctx.is('*/*') !== null;
  return hasBody
    ? new RequestError(415, 'unsupported_media_type', 'The content type must be application/json.')
    : new RequestError(400, 'invalid_request', 'A JSON body with the content type application/json is needed.');
}

function toRequestError(error: Error, limitBytes: number): RequestError {
  const { status } = error as { readonly status?: number };
  if (status === 413) return new RequestError(413, 'body_too_large', `The body is larger than ${limitBytes} bytes.`);
  if (status === 415) return new RequestError(415, 'unsupported_media_type', 'The content encoding is not supported.');
  return new RequestError(400, 'invalid_json', 'The body is not valid JSON.');
}

function refuseLongNumbers(text: string): void {
  if (LONG_DIGITS.test(text.replace(JSON_STRINGS, '""'))) {
    throw new RequestError(400, 'invalid_number', `A number in the body has ${DIGITS_MAX} digits or more.`);
  }
}

/** NaN cannot be written in JSON; 1e400 becomes Infinity. A zero with a sign has no meaning in any field. */
function refuseOddValues(value: unknown, depth: number): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RequestError(400, 'invalid_number', 'A number in the body is too large.');
    if (Object.is(value, -0)) throw new RequestError(400, 'invalid_number', 'A number in the body is a negative zero.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEPTH_MAX) throw new RequestError(400, 'body_too_deep', `The body nests deeper than ${DEPTH_MAX} levels.`);
  if (Array.isArray(value)) for (const element of value) refuseOddValues(element, depth + 1);
  else for (const name in value) refuseOddValues((value as Record<string, unknown>)[name], depth + 1);
}
