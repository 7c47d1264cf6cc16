// A connection to a server that a test can stop, resume, cut and close, to see how a client reacts.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Hears what passes on one connection, piece by piece. */
export interface Hearing {
  onClient(chunk: Buffer): void;
  onServer(chunk: Buffer): void;
}

export class TcpProxy {
  readonly #server: Server;
  readonly #hear: (() => Hearing) | undefined;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;
  #losesAnswers = false;

  private constructor(server: Server, hear: (() => Hearing) | undefined) {
    this.#server = server;
    this.#hear = hear;
  }

  /** @param hear called for each connection */
  static async start(targetPort: number, hear?: () => Hearing): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, hear);
    server.on('connection', (client) => proxy.#join(client, connect(targetPort, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Nothing passes any more, in either direction; connections stay open. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was held back passes. */
  resume(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** What the server says from now on is lost, though it does what it is told. Ends with the next `cut`. */
  loseAnswers(): void {
    this.#losesAnswers = true;
  }

  /** Breaks all connections; what is under way is lost. New ones are possible. */
  cut(): void {
    this.#losesAnswers = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** For good: nobody gets through any more. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #join(client: Socket, server: Socket): void {
    const hearing = this.#hear?.();
    if (hearing !== undefined) {
      client.on('data', (chunk) => hearing.onClient(chunk));
      server.on('data', (chunk) => hearing.onServer(chunk));
    }
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      if (this.#isStalled) from.pause();
      from.on('data', (chunk) => {
        if (from === client || !this.#losesAnswers) to.write(chunk);
      });
      // A broken connection is what this is for.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
