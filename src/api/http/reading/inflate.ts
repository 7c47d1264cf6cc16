// Inflates a compressed body, never to more than the limit of a body: twenty kilobytes may stand for twenty megabytes.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate as inflateZlib } from 'node:zlib';
import { RequestError } from '../../../shared/errors.ts';

const inflaters = new Map<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflateZlib)],
  ['br', promisify(brotliDecompress)],
]);

/**
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
