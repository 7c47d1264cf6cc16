// The HTTP side of a WebSocket. A request to upgrade passes the same request pipeline and the same routes as any
// other, so it is counted, authenticated and refused like any other. Only the route that accepts it takes the
// connection over.
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '../../shared/errors.ts';

const HANDSHAKE_NONCE = /^[+/0-9A-Za-z]{22}==$/;

/** A connection whose client asks for a WebSocket. */
export interface Upgradable {
  readonly connection: Socket;
  /** Bytes that the client sent after its request. */
  readonly head: Buffer;
}

/**
 * The request class by which Node's server tells upgrades from others: only a GET for a WebSocket is one. Offers of other
 * protocols (Java's client offers HTTP/2 with each request) are ignored, or their bodies could not be read. So is one that
 * came on a connection which has been ended: Node's parser stops at an upgrade, and would otherwise go on to begin each of
 * the thousands of requests that one piece of a stream may hold.
 */
export class UpgradableRequest extends IncomingMessage {
  get upgrade(): boolean {
    if (this.socket.destroyed) return true;
    const { upgrade, connection } = this.headers;
    return upgrade?.toLowerCase() === 'websocket' && this.method === 'GET' && /\bupgrade\b/i.test(connection ?? '');
  }

  // Node's parser sets this for what it takes for an upgrade.
  set upgrade(_seen: unknown) {}
}

export class Upgrades {
  readonly #waiting = new WeakMap<IncomingMessage, Upgradable & { readonly response: ServerResponse }>();

  /** Passes a server's upgrade requests to its request handler. */
  serve(server: Server, handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>): void {
    server.on('upgrade', (request: IncomingMessage, connection: Socket, head: Buffer) => {
      // It was one too many.
      if (connection.destroyed) return;
      // Node has taken its own listener off.
      connection.on('error', () => connection.destroy());
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(connection);
      // A client that keeps its side open would hold a refused connection for ever.
      response.once('finish', () => connection.destroySoon());
      this.#waiting.set(request, { connection, head, response });
      void handler(request, response);
    });
  }

  /** True for a request that asked for an upgrade and was not taken. */
  isWaiting(request: IncomingMessage): boolean {
    return this.#waiting.has(request);
  }

  /** Takes the connection of a waiting request over: no answer goes to it any more. */
  take(request: IncomingMessage): Upgradable {
    const waiting = this.#waiting.get(request);
    if (waiting === undefined) throw new Error('the request asked for no upgrade');
    this.#waiting.delete(request);
    const { connection, head, response } = waiting;
    response.detachSocket(connection);
    return { connection, head };
  }
}

/**
 * Asks for what the library would refuse in its own words.
 * @throws {RequestError} 426 without a request to upgrade, 400 for one that breaks RFC 6455
 */
export function requireHandshake(request: IncomingMessage, upgrades: Pick<Upgrades, 'isWaiting'>): void {
  if (!upgrades.isWaiting(request)) {
    throw new RequestError(426, 'upgrade_required', 'This path answers WebSocket connections only.', {
      Upgrade: 'websocket',
      Connection: 'Upgrade',
    });
  }
  const { 'sec-websocket-key': nonce = '', 'sec-websocket-version': version } = request.headers;
  if (version === '13' && HANDSHAKE_NONCE.test(nonce)) return;
  const text = 'Sec-WebSocket-Version must be 13, Sec-WebSocket-Key 16 bytes in base64.';
  throw new RequestError(400, 'invalid_handshake', text, { 'Sec-WebSocket-Version': '13' });
}
