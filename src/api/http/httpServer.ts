// The listening socket under Koa: its timeouts, its answer to bytes that are no HTTP, and a stop that finishes
// requests in flight.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from '../../shared/logger.ts';
import { UpgradableRequest, type Upgrades } from './upgrades.ts';

/** Longer than the pools of common clients keep a connection, so that they close first and never write into a reset, ms. */
const KEEP_ALIVE_MS = 75_000;
/** A whole request, body included, ms. */
const REQUEST_MS_MAX = 30_000;
/** How long a stop waits for answers in flight, ms: longer than a command's deadline. */
const STOP_MS_MAX = 8000;

export interface HttpServer {
  readonly port: number;
  /** Takes no more requests, answers those in flight, closes every connection. */
  stop(): Promise<void>;
}

/**
 * @param handler answers a request whatever happens; Koa's callback does
 * @param options.headersOfRefusal further headers of the answer to bytes that are no request
 * @throws when the port is taken or may not be used
 */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  options: {
    host: string;
    port: number;
    log: Logger;
    headersOfRefusal: () => Readonly<Record<string, string | number>>;
    upgrades: Upgrades;
  },
): Promise<HttpServer> {
  const { host, port, log, headersOfRefusal, upgrades } = options;
  const server = createServer(
    // Without `requireHostHeader` Node answers a missing Host with a 400 that has no body; nothing here needs one.
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: REQUEST_MS_MAX,
      requireHostHeader: false,
      IncomingMessage: UpgradableRequest,
    },
    (request, response) => void handler(request, response),
  );
  upgrades.serve(server, handler);
  // Node's own answer to an unknown Expect has neither body nor headers. A server may ignore an Expect.
  server.on('checkExpectation', (request, response) => void handler(request, response));
  server.on('clientError', (error, socket: Socket) => answerBrokenRequest(error, socket, headersOfRefusal()));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  log.info({ host, port: address.port }, 'API listens');
  return { port: address.port, stop: () => close(server, log) };
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
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Readonly<Record<string, string | number>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = brokenRequestAnswer(error.code);
  const body = JSON.stringify({ detail, code, msg: detail });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`${head}${more.join('')}Connection: close\r\n\r\n${body}`);
}

function brokenRequestAnswer(code: string | undefined): [status: string, code: string, detail: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['431 Request Header Fields Too Large', 'headers_too_large', 'The headers are too large.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return ['408 Request Timeout', 'request_timeout', 'The request took too long to arrive.'];
  return ['400 Bad Request', 'invalid_http', 'The request is not valid HTTP.'];
}
