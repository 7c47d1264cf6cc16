// A connection to a server that a test can stop, resume, cut, close and lead into a black hole, to see how a client
// reacts.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Hears what passes on one connection, piece by piece. */
export interface Hearing {
  onClient(chunk: Buffer): void;
  onServer(chunk: Buffer): void;
}

/** The first bytes of a connection's client: enough to find its name in it. */
const GREETING_BYTES = 4096;

interface Pair {
  readonly sockets: readonly Socket[];
  greeting: string;
  /** Nothing that is said on it arrives any more, not even its end. */
  isLost: boolean;
}

export class TcpProxy {
  readonly #server: Server;
  readonly #hear: (() => Hearing) | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #pairs = new Set<Pair>();
  #isStalled = false;
  #isHole = false;
  #losesAnswers = false;
  #isRefusing = false;
  #delayMs = 0;

  private constructor(server: Server, hear: (() => Hearing) | undefined) {
    this.#server = server;
    this.#hear = hear;
  }

  /** @param hear called for each connection */
  static async start(targetPort: number, hear?: () => Hearing): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, hear);
    server.on('connection', (client) => {
      if (proxy.#isRefusing) client.destroy();
      else proxy.#join(client, connect(targetPort, '127.0.0.1'));
    });
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

  /** Bytes that were held back pass. */
  resume(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** The way takes so long from now on, in each direction. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Answers of the server are lost from now on, though it runs its commands. Ends with the next `cut`. */
  loseAnswers(): void {
    this.#losesAnswers = true;
  }

  /**
   * Leads connections into a black hole for ever: both sides stay connected, and nothing arrives, no end either.
   * @param isConcerned picks them by what their clients have said first; without it all, and new ones until `mend`
   * @returns how many
   */
  blackHole(isConcerned?: (greeting: string) => boolean): number {
    this.#isHole ||= isConcerned === undefined;
    const concerned = [...this.#pairs].filter((pair) => !pair.isLost && (isConcerned?.(pair.greeting) ?? true));
    for (const pair of concerned) pair.isLost = true;
    return concerned.length;
  }

  /** The server is away: connections break, and new ones are refused until `mend`. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  /** New connections get through; those in the black hole stay there. */
  mend(): void {
    this.#isHole = false;
    this.#isRefusing = false;
  }

  /** Breaks all connections; bytes under way are lost. New ones are possible. */
  cut(): void {
    this.#losesAnswers = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** For good: nobody gets through any more. Closed again, nothing changes. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #join(client: Socket, server: Socket): void {
    const hearing = this.#hear?.();
    const pair: Pair = { sockets: [client, server], greeting: '', isLost: this.#isHole };
    this.#pairs.add(pair);
    if (hearing !== undefined) {
      client.on('data', (chunk) => hearing.onClient(chunk));
      server.on('data', (chunk) => hearing.onServer(chunk));
    }
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      const late: Buffer[] = [];
      this.#sockets.add(from);
      if (this.#isStalled) from.pause();
      from.on('data', (chunk) => {
        if (from === client && pair.greeting.length < GREETING_BYTES) pair.greeting += chunk.toString('latin1');
        if (pair.isLost || (from === server && this.#losesAnswers)) return;
        if (this.#delayMs === 0 && late.length === 0) to.write(chunk);
        else {
          // Bytes arrive in the order in which they were sent, whichever delay ends first.
          late.push(chunk);
          setTimeout(() => to.write(late.shift() as Buffer), this.#delayMs);
        }
      });
      const end = (): void => {
        if (!pair.isLost) to.destroy();
      };
      // A broken connection is what this is for.
      from.on('error', end);
      from.on('close', () => {
        this.#sockets.delete(from);
        if (pair.sockets.every(({ destroyed }) => destroyed)) this.#pairs.delete(pair);
        end();
      });
    }
  }
}
