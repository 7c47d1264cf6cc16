// The way from the bytes of a body or a frame to plain data: inflated, bounded (jsonBounds.ts), then parsed. The last step looks for
// values that JavaScript cannot hold and for members that could become a prototype. Bodies and the frames of sockets pass here.

import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate as inflateZlib } from 'node:zlib';
import { RequestError } from '../../shared/errors.ts';
import { DEPTH_MAX, DIGITS_MAX, type JsonFault, NAMES_MAX, scanJson, VALUES_MAX } from '../domain/jsonBounds.ts';

/** What a client is told of a bound that its JSON breaks. */
export function refusalOf(fault: JsonFault): RequestError {
  switch (fault) {
    case 'tooDeep':
      return new RequestError(400, 'body_too_deep', `The body nests deeper than ${DEPTH_MAX} levels.`);
    case 'longNumber':
      return new RequestError(400, 'invalid_number', `A number in the body has ${DIGITS_MAX} digits or more.`);
    case 'tooManyValues':
      return new RequestError(400, 'body_too_complex', `The body has more than ${VALUES_MAX} values.`);
    case 'tooManyNames':
      return new RequestError(400, 'body_too_complex', `The body has members of more than ${NAMES_MAX} names.`);
  }
}

/**
 * @param bytes UTF-8, with or without a byte order mark; nothing counts as an empty object
 * @throws {RequestError} 400 for what is no JSON object or array, or breaks a bound
 */
export function readJson(bytes: Buffer): unknown {
  const { fault, isOdd } = scanJson(bytes);
  if (fault !== undefined) throw refusalOf(fault);
  const text = withoutMark(bytes.toString());
  if (text === '') return {};
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw notJson();
  if (isOdd) refuseOddValues(value);
  return value;
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(); // the parser's own words quote the body
  }
}

const notJson = (): RequestError => new RequestError(400, 'invalid_json', 'The body is not valid JSON.');

/**
 * NaN cannot be written in JSON; 1e400 becomes Infinity. A zero with a sign has no meaning in any field.
 * @throws {RequestError} 400
 */
export function refuseOddValues(value: unknown): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RequestError(400, 'invalid_number', 'A number in the body is too large.');
    if (Object.is(value, -0)) throw new RequestError(400, 'invalid_number', 'A number in the body is a negative zero.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const element of value) refuseOddValues(element);
  else
    for (const name in value) {
      if (name === '__proto__') throw notJson();
      refuseOddValues((value as Record<string, unknown>)[name]);
    }
}

const inflaters = new Map<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflateZlib)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Inflates a compressed body, never to more than the limit of a body: twenty kilobytes may stand for twenty megabytes.
 * @param encoding the Content-Encoding
 * @throws {RequestError} 413 past the limit, 415 for another encoding, 400 for bytes that are not so encoded
 */
export async function inflate(bytes: Buffer, encoding: string, limitBytes: number): Promise<Buffer> {
  const inflater = inflaters.get(encoding);
  if (inflater === undefined) throw new RequestError(415, 'unsupported_media_type', 'The content encoding is not supported.');
  try {
    return await inflater(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? new RequestError(413, 'body_too_large', `The body is larger than ${limitBytes} bytes.`)
      : new RequestError(400, 'invalid_json', `The body is not valid ${encoding}.`);
  }
}
