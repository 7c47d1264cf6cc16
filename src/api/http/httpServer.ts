// The listening socket under Koa, with TLS or without: its timeouts, its answer to bytes that are no HTTP, and a stop that
// finishes requests in flight.

import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../../shared/logger.ts';
import type { Connections } from './connections.ts';
import { UpgradableRequest, type Upgrades } from './upgrades.ts';

/** Longer than the pools of common clients keep a connection, so that they close first and never write into a reset, ms. */
const KEEP_ALIVE_MS = 75_000;
/** The head of a request, and a whole request with its body, ms. Node looks at intervals. */
const HEAD_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
/** How long a client may take to agree on TLS, ms. */
const HANDSHAKE_MS_MAX = 10_000;
/** How often the files of TLS are looked at, ms. */
const TLS_LOOK_MS = 60_000;
const LOOK_EVERY_MS = 1000;
/** A client that neither sends nor reads anything while an answer waits for it, ms. WebSockets have times of their own. */
const SILENCE_MS_MAX = 60_000;
/** How long a stop waits for answers in flight, ms: longer than a command's deadline. */
const STOP_MS_MAX = 8000;

export interface HttpServer {
  readonly port: number;
  /** When the certificate in use ends, ms since the epoch; absent with plain HTTP. */
  readonly certificateEndsAtMs?: () => number;
  /** Takes no more requests, answers those in flight, closes every connection. */
  stop(): Promise<void>;
}

/** The key and the certificate that are in use now. */
interface HeldFiles {
  inUse: ReturnType<typeof readTlsFiles>;
}

/**
 * @param handler answers a request whatever happens; Koa's callback does
 * @param options.headersOfRefusal further headers of the answer to bytes that are no request: names and values in turn
 * @param options.tls files of the key and certificate; absent = plain HTTP
 * @throws when the port is taken or may not be used, or a file of TLS is wrong
 */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  options: {
    host: string;
    port: number;
    log: Logger;
    headersOfRefusal: () => readonly string[];
    upgrades: Upgrades;
    connections: Connections;
    tls?: TlsFiles | undefined;
    tlsLookMs?: number;
  },
): Promise<HttpServer> {
  const { host, port, log, headersOfRefusal, upgrades, connections, tls, tlsLookMs = TLS_LOOK_MS } = options;
  // Without `requireHostHeader` Node answers a missing Host with a 400 that has no body; nothing here needs one.
  const settings = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEAD_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    requireHostHeader: false,
    IncomingMessage: UpgradableRequest,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // What had come in one piece with the request that was one too many.
    if (!request.socket.destroyed) void handler(request, response);
  };
  const held = tls && { inUse: readTlsFiles(tls) };
  const secure = held && createTlsServer({ ...settings, ...held.inUse, handshakeTimeout: HANDSHAKE_MS_MAX }, onRequest);
  const server: Server = secure ?? createServer(settings, onRequest);
  const renewal = tls && held && secure && setInterval(renewing(secure, tls, { held, log }), tlsLookMs).unref();
  server.timeout = SILENCE_MS_MAX;
  connections.watch(server);
  upgrades.serve(server, handler);
  // Node's own answer to an unknown Expect has neither body nor headers. A server may ignore an Expect.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket: Socket) => answerBrokenRequest(error, socket, headersOfRefusal()));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  log.info({ host, port: address.port, tls: tls !== undefined }, 'API listens');
  const stop = (): Promise<void> => {
    clearInterval(renewal);
    return close(server, log);
  };
  return { port: address.port, stop, ...(held && { certificateEndsAtMs: () => endOfCertificate(held.inUse.cert) }) };
}

/** Takes renewed files into use; connections that are open keep what they have. */
function renewing(server: TlsServer, tls: TlsFiles, { held, log }: { held: HeldFiles; log: Logger }): () => void {
  let inUse = versionOf(tls);
  return () => {
    const version = versionOf(tls);
    if (version === inUse || version === '') return;
    inUse = version;
    try {
      const files = readTlsFiles(tls);
      server.setSecureContext(files);
      held.inUse = files;
      log.info('the renewed certificate is in use');
    } catch (error) {
      log.error({ err: error }, 'the renewed certificate cannot be used, the one before stays');
    }
  };
}

async function close(server: Server, log: Logger): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Idle connections are closed now, those with a request in flight after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    log.warn({ afterMs: STOP_MS_MAX }, 'requests in flight are cut off');
    server.closeAllConnections();
  }, STOP_MS_MAX);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Bytes that are no request never reach Koa. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, headers: readonly string[]): void {
  const isTls = error.code?.startsWith('ERR_SSL') || error.code?.startsWith('ERR_TLS');
  if (error.code === 'ECONNRESET' || isTls || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = brokenRequestAnswer(error.code);
  const body = JSON.stringify({ detail, code, msg: detail });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const more = headers.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  socket.end(`${head}${more.join('')}Connection: close\r\n\r\n${body}`);
}

function brokenRequestAnswer(code: string | undefined): [status: string, code: string, detail: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['431 Request Header Fields Too Large', 'headers_too_large', 'The headers are too large.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return ['408 Request Timeout', 'request_timeout', 'The request took too long to arrive.'];
  return ['400 Bad Request', 'invalid_http', 'The request is not valid HTTP.'];
}

// The key and the certificate of HTTPS, from files. They are read at the start, where a wrong one is said in a sentence,
// and again when they have changed, for certificates are renewed while the API runs.

/** Paths of PEM files. */
interface TlsFiles {
  readonly key: string;
  /** The certificate, and those between it and its authority. */
  readonly cert: string;
}

/** The files of HTTPS_KEY and HTTPS_CERT; undefined without them. */
export const tlsFilesOf = ({ HTTPS_KEY, HTTPS_CERT }: { HTTPS_KEY: string; HTTPS_CERT: string }): TlsFiles | undefined =>
  HTTPS_KEY === '' ? undefined : { key: HTTPS_KEY, cert: HTTPS_CERT };

/** @throws Error that names the variable and the file, and says what is wrong */
export function readTlsFiles(files: TlsFiles): { key: Buffer; cert: Buffer } {
  const pair = { key: readPart('HTTPS_KEY', files.key), cert: readPart('HTTPS_CERT', files.cert) };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`HTTPS_KEY (${files.key}) and HTTPS_CERT (${files.cert}) are no key and its certificate in PEM: ${why}.`, {
      cause,
    });
  }
  return pair;
}

/** When the first certificate of a PEM file ends, ms since the epoch: the server's own comes before those above it. */
const endOfCertificate = (pem: Buffer): number => Date.parse(new X509Certificate(pem).validTo);

/** What changes when the files do; empty while one of them is away. */
function versionOf({ key, cert }: TlsFiles): string {
  const times = [key, cert].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
  return times.includes(undefined) ? '' : times.join();
}

function readPart(name: 'HTTPS_KEY' | 'HTTPS_CERT', path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name}: the file ${path} cannot be read: ${why}.`, { cause });
  }
}
