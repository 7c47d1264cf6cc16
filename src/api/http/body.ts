// Reads a JSON body and refuses bodies that no endpoint could mean: too large, too deep, not JSON, or with numbers
// that JavaScript cannot hold. All that costs more than a look at each byte is bounded before it is done. The result is
// plain data that a schema can judge.
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import { RequestError } from '../../shared/errors.ts';
import { type BodyBytes, brokenOff, busy, type HeldBytes, type Holder } from '../access/limits/heldBytes.ts';
import { Shares } from '../access/limits/shares.ts';
import { callerOf, type RequestState } from '../access/requestContext.ts';
import { inflate, readJson } from './readJson.ts';

/** How much of a refused body is read and discarded, so that its sender reads the answer: bytes, and ms. */
const DISCARD_BYTES_MAX = 32 * 1024 * 1024;
const DISCARD_MS_MAX = 5000;
/**
 * Pieces in which a body may come, beside one for so many bytes. Each costs 2 µs and 400 bytes, and a client may send a byte
 * in each (chunked encoding).
 */
const PIECES_MAX = 1000;
const PIECE_BYTES = 128;

export interface BodyReader {
  /**
   * Reads a request's body as JSON. Without a valid key or token it may have ANONYMOUS_BODY_LIMIT_BYTES.
   * @throws {RequestError} 400, 413 or 415; 429 or 503 when too much is being read
   */
  (ctx: Context): Promise<unknown>;
  /** The same, with its length. */
  sized(ctx: Context): Promise<SizedBody>;
  /** Reads a JSON body of at most so many bytes without parsing it. @throws {RequestError} like the reader itself */
  bytes(ctx: Context, limitBytes: number): Promise<Buffer>;
  /** The request is answered or refused: its body no longer counts, whether or not the client reads the answer. */
  release(ctx: Context): void;
}

export interface SizedBody {
  readonly body: unknown;
  /** Length of its text. */
  readonly bytes: number;
}

export type BodyConfig = Pick<Config, 'BODY_LIMIT_BYTES' | 'ANONYMOUS_BODY_LIMIT_BYTES' | 'ADDRESS_HALF_OPEN' | 'CONNECTIONS'>;

/** @param options.held counts a body from its first byte to `release` */
export function createBodyReader(options: { config: BodyConfig; held: HeldBytes }): BodyReader {
  const { config, held } = options;
  const receiving = new Shares({ each: config.ADDRESS_HALF_OPEN, all: config.CONNECTIONS });

  const bytes = (ctx: Context, limitBytes: number): Promise<Buffer> | Buffer => {
    const caller = callerOf(ctx);
    const counted = held.open(caller);
    (ctx.state as RequestState).held = counted;
    const sent = takeWhole(ctx.req, { limitBytes, counted });
    const { 'content-encoding': encoding } = ctx.req.headers;
    const isPlain = encoding === undefined || encoding === 'identity';
    if (sent !== undefined && isPlain) return sent;
    const reading = { limitBytes, counted, caller };
    return isPlain ? receive(ctx.req, reading) : receiveEncoded(ctx.req, { ...reading, sent, encoding });
  };
  const receiveEncoded = async (
    request: Context['req'],
    { sent, encoding, ...reading }: Receiving & { readonly sent: Buffer | undefined; readonly encoding: string },
  ): Promise<Buffer> => {
    const { limitBytes, counted } = reading;
    const whole = await inflate(sent ?? (await receive(request, reading)), encoding, limitBytes);
    counted.add(whole.length);
    return whole;
  };
  const receive = async (request: Context['req'], { limitBytes, counted, caller }: Receiving): Promise<Buffer> => {
    const refused = receiving.take(caller.subject);
    if (refused !== undefined) throw refused === 'each' ? tooManyAtOnce(config.ADDRESS_HALF_OPEN) : busy();
    try {
      return await readBytes(request, { limitBytes, counted });
    } finally {
      receiving.give(caller.subject);
    }
  };
  const limitOf = (ctx: Context): number => (callerOf(ctx).isKnown ? config.BODY_LIMIT_BYTES : config.ANONYMOUS_BODY_LIMIT_BYTES);

  const sized = async (ctx: Context): Promise<SizedBody> => {
    requireJson(ctx);
    // What has come in one piece with its head is there once the parser has read that far.
    if (ctx.req.readableLength === 0) await undefined;
    const come = bytes(ctx, limitOf(ctx));
    const read = come instanceof Promise ? await come : come;
    return { body: readJson(read), bytes: read.length };
  };
  const read = async (ctx: Context): Promise<unknown> => (await sized(ctx)).body;
  const unparsed = async (ctx: Context, limitBytes: number): Promise<Buffer> => {
    requireJson(ctx);
    if (ctx.req.readableLength === 0) await undefined;
    return bytes(ctx, limitBytes);
  };
  return Object.assign(read, {
    bytes: unparsed,
    sized,
    release: (ctx: Context): void => (ctx.state as RequestState).held?.close(),
  });
}

/** Reads and discards the rest of a request's body, because a client that still writes does not read the answer. */
export async function discardBody(request: Readable & { readonly complete: boolean }): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    let pieces = 0;
    const timer = setTimeout(resolve, DISCARD_MS_MAX);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      pieces += 1;
      if (bytes > DISCARD_BYTES_MAX || isTooFine(pieces, bytes)) resolve();
    });
    request.once('close', resolve).once('end', resolve).once('error', resolve);
    request.unpipe();
    request.resume();
    request.once('close', () => clearTimeout(timer));
  });
}

/**
 * A body that is said to be nothing is read as JSON, but not from a page (`Origin`): browsers send such a body to other sites
 * without asking them first, as they send forms. That is why a form's type stays refused, JSON or not.
 * @throws {RequestError} 415, or 400 where there is no body
 */
function requireJson(ctx: Context): void {
  const { 'content-type': type, 'content-length': length, origin } = ctx.req.headers;
  if (type === 'application/json' && length !== undefined) return;
  if (ctx.is('application/json', '+json')) return;
  const hasBody = ctx.is('*/*') !== null;
  if (hasBody && type === undefined && origin === undefined) return;
  throw hasBody
    ? new RequestError(415, 'unsupported_media_type', 'The content type must be application/json.')
    : new RequestError(400, 'invalid_request', 'A JSON body with the content type application/json is needed.');
}

interface Reading {
  readonly limitBytes: number;
  readonly counted: BodyBytes;
}

interface Receiving extends Reading {
  readonly caller: Holder;
}

/**
 * Takes a body of known length that has come already, as nearly all do: without listeners and without a turn of the event loop.
 * @returns undefined when it has to be waited for
 * @throws {RequestError} 413 past the limit, and what `counted` throws
 */
function takeWhole(request: Context['req'], { limitBytes, counted }: Reading): Buffer | undefined {
  const { 'content-length': length } = request.headers;
  const { readableLength: bytes } = request;
  if (length === undefined || bytes === 0 || Number(length) !== bytes || request.destroyed) return undefined;
  if (bytes > limitBytes) throw tooLarge(limitBytes);
  counted.add(bytes);
  return request.read() as Buffer;
}

/** @throws {RequestError} 413 past the limit, 400 when the client has gone, and what `counted` throws */
async function readBytes(request: Context['req'], { limitBytes, counted }: Reading): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (request.destroyed || request.readableEnded) throw brokenOff();
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    };
    const refuse = (error: unknown): void => {
      stop();
      request.pause();
      reject(error);
    };
    const onEnd = (): void => {
      stop();
      resolve();
    };
    const onBroken = (): void => refuse(brokenOff());
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      try {
        if (length > limitBytes) throw tooLarge(limitBytes);
        if (isTooFine(chunks.length, length)) throw tooFine();
        counted.add(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    request.on('data', onData).once('end', onEnd).once('error', onBroken).once('close', onBroken);
  });
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

const isTooFine = (pieces: number, bytes: number): boolean => pieces > PIECES_MAX + bytes / PIECE_BYTES;

const tooFine = (): RequestError => new RequestError(413, 'body_too_large', 'The body comes in too many pieces.');

const tooLarge = (limitBytes: number): RequestError =>
  new RequestError(413, 'body_too_large', `The body is larger than ${limitBytes} bytes.`);

const tooManyAtOnce = (max: number): RequestError =>
  new RequestError(429, 'too_many_bytes', `More than ${max} requests of yours are being received at once.`, {
    'Retry-After': '1',
  });
