// The emulated venue's door: `POST /info`, the WebSocket at `/ws` and, for callers on this machine, `POST /control`.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { ControlError, type ControlOperation, control } from './control.ts';
import { answerInfo, Unreadable } from './info.ts';
import { Subscriptions } from './subscriptions.ts';
import { Venue } from './venue.ts';

const BODY_BYTES_MAX = 5_000_000;

export interface Emulator {
  readonly url: string;
  readonly venue: Venue;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly seed: number;
  readonly isQuiet: boolean;
  readonly now: () => number;
}

/** Starts the emulated venue on the loopback address. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const subscriptions = new Subscriptions();
  const venue = new Venue({
    seed: options.seed,
    isQuiet: options.isQuiet,
    now: options.now,
    emit: (channel, coin, data) => subscriptions.push(venue, { channel, coin, data }),
  });
  let refusedUntilMs = 0;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1_000_000 });
  const connections = {
    disconnectAll: (refuseMs: number): void => {
      refusedUntilMs = options.now() + refuseMs;
      for (const socket of sockets.clients) socket.terminate();
    },
    sendAll: (text: string): void => {
      for (const socket of sockets.clients) socket.send(text);
    },
  };
  const isRefusing = (): boolean => options.now() < refusedUntilMs;

  const server = createServer((request, response) => {
    const work = request.url === '/control' ? onControl(request, response) : onInfo(request, response);
    work.catch((error: unknown) => fail(response, error));
  });
  const onInfo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isRefusing()) {
      request.socket.destroy();
      return;
    }
    if (request.method !== 'POST' || !/\/info$/.test(request.url ?? '')) return answer(response, 404, { error: 'not found' });
    answer(response, 200, await answerInfo(venue, JSON.parse(await readBody(request))));
  };
  const onControl = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || !isLoopback(request)) return answer(response, 403, { error: 'POST from loopback only' });
    control(venue, connections, JSON.parse(await readBody(request)) as ControlOperation);
    answer(response, 200, { ok: true });
  };
  server.on('upgrade', (request, socket, head) => {
    if (isRefusing() || !/\/ws$/.test(request.url ?? '')) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client: WebSocket) => subscriptions.accept(venue, client));
  });

  await listen(server, options.port);
  venue.start();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    venue,
    stop: async () => {
      venue.stop();
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
    if (bytes > BODY_BYTES_MAX) throw new Unreadable();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  if (error instanceof ControlError) answer(response, 400, { error: error.message });
  else if (error instanceof Unreadable || error instanceof SyntaxError) {
    response.writeHead(422, { 'content-type': 'text/plain' });
    response.end('Failed to deserialize the JSON body into the target type');
  } else answer(response, 500, { error: error instanceof Error ? error.message : String(error) });
}

const isLoopback = (request: IncomingMessage): boolean =>
  ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '');
