// A small server of the venue's protocol on the loopback address: `POST /info` and the WebSocket at `/ws`, below any
// base path. It serves an exchange; the emulated venue adds a control call.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { requestWeight } from '../../shared/domain/requestWeight.ts';
import { type Exchange, UnreadableRequest } from './exchange.ts';
import type { ExchangeSubscriptions } from './subscriptions.ts';

const BODY_BYTES_MAX = 5_000_000;

/** A control call that makes no sense: HTTP 400. */
export class ControlError extends Error {
  override name = 'ControlError';
}

/** The reply to the next questions of a type in place of an answer: a status, and a text that may be no JSON. */
export interface ScriptedAnswer {
  readonly type: string;
  readonly status: number;
  readonly text: string;
  readonly times: number;
}

export interface VenueServer {
  readonly url: string;
  /** Cuts all connections, and fails new ones and REST calls for `refuseMs`. */
  disconnectAll(refuseMs: number): void;
  /** Sends a text frame as it is to every connection. */
  sendAll(text: string): void;
  /** From now on questions are refused (429) beyond so much of the venue's weight in a minute; null: none is. */
  limitWeight(perMinute: number | null): void;
  /** Of one type at a time: it takes the place of what is left of the one before. */
  answerNext(scripted: ScriptedAnswer): void;
  stop(): Promise<void>;
}

interface VenueServerOptions {
  readonly exchange: Exchange;
  readonly subscriptions: ExchangeSubscriptions;
  /** 0 picks a free one. */
  readonly port: number;
  readonly now: () => number;
  /**
   * Handles the body of `POST /control`, which needs the header `X-Control: 1`; what it gives is answered.
   * @throws {ControlError} that names the fault
   */
  readonly onControl?: (body: unknown) => object;
}

export async function startVenueServer(options: VenueServerOptions): Promise<VenueServer> {
  const { exchange, subscriptions, onControl, now } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1_000_000 });
  let refusedUntilMs = 0;
  const scripted = new Map<string, ScriptedAnswer>();
  let weights: WeightWindow | undefined;
  const isRefusing = (): boolean => now() < refusedUntilMs;

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/control' && onControl !== undefined) {
      const refusal = whyNoControl(request);
      if (refusal !== undefined) return answer(response, 403, { error: refusal });
      return answer(response, 200, onControl(JSON.parse(await readBody(request))));
    }
    if (isRefusing()) {
      request.socket.destroy();
      return;
    }
    if (request.method !== 'POST' || !/\/info$/.test(request.url ?? '')) return answer(response, 404, { error: 'not found' });
    const body = JSON.parse(await readBody(request));
    const waitMs = weights?.take(requestWeight(body ?? {}, now()), now()) ?? 0;
    if (waitMs > 0) {
      response.writeHead(429, { 'retry-after': String(Math.ceil(waitMs / 1000)) }).end('null');
      return;
    }
    const next = scripted.get(String(body?.type));
    if (next === undefined) return answer(response, 200, await exchange.info(body));
    if (next.times > 1) scripted.set(next.type, { ...next, times: next.times - 1 });
    else scripted.delete(next.type);
    response.writeHead(next.status, { 'content-type': 'application/json' }).end(next.text);
  };
  const server = createServer((request, response) => {
    onRequest(request, response).catch((error: unknown) => fail(response, error));
  });
  server.on('upgrade', (request, socket, head) => {
    if (isRefusing() || !/\/ws$/.test(request.url ?? '')) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, (client: WebSocket) => subscriptions.accept(client));
  });

  await listen(server, options.port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnectAll: (refuseMs) => {
      refusedUntilMs = now() + refuseMs;
      for (const socket of sockets.clients) socket.terminate();
    },
    sendAll: (text) => {
      for (const socket of sockets.clients) socket.send(text);
    },
    limitWeight: (perMinute) => {
      weights = perMinute === null ? undefined : new WeightWindow(perMinute);
    },
    answerNext: (next) => {
      scripted.set(next.type, next);
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new UnreadableRequest();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  if (error instanceof ControlError) answer(response, 400, { error: error.message });
  else if (error instanceof UnreadableRequest || error instanceof SyntaxError) {
    response.writeHead(422, { 'content-type': 'text/plain' });
    response.end('Failed to deserialize the JSON body into the target type');
  } else answer(response, 500, { error: error instanceof Error ? error.message : String(error) });
}

/**
 * A web page that the operator visits can send a plain POST to loopback. It cannot send this header without asking first, which
 * is not answered, and its browser names its origin.
 */
function whyNoControl(request: IncomingMessage): string | undefined {
  const { origin, 'x-control': control } = request.headers;
  if (request.method !== 'POST' || !isLoopback(request)) return 'POST from loopback only';
  if (origin !== undefined) return 'no web page controls the market';
  return control === '1' ? undefined : 'the header X-Control: 1 is needed';
}

const isLoopback = (request: IncomingMessage): boolean =>
  ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '');

// Spreads requests over time: the venue allows an address a certain request weight per minute.

const WINDOW_MS = 60_000;

export class WeightWindow {
  readonly #weightMax: number;
  /** The weights of the last minute, oldest first. */
  readonly #spent: { readonly atMs: number; readonly weight: number }[] = [];

  /** @param weightMax in any 60 s; a single request is allowed whatever its weight */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  /** Spends the weight and gives 0, or gives the ms to wait before trying again. */
  take(weight: number, nowMs: number): number {
    while ((this.#spent[0]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) this.#spent.shift();
    const [oldest] = this.#spent;
    const spent = this.#spent.reduce((sum, entry) => sum + entry.weight, 0);
    if (oldest !== undefined && spent + weight > this.#weightMax) return oldest.atMs + WINDOW_MS - nowMs;
    this.#spent.push({ atMs: nowMs, weight });
    return 0;
  }
}
