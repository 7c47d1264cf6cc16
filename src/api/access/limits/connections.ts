// How many connections there may be: in all, from one network address, and such that have sent no whole request yet.
// At the bound of all, the address with the most gives up its oldest connection without a request at work, so that who
// holds few connections gets one whatever others hold. Behind proxies all come from a few addresses, so there only the
// bound of all holds, and the proxy has to bound its clients.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../../shared/config.ts';
import { toNetwork } from '../clientAddress.ts';
import type { SeldomLog } from './seldomLog.ts';

export type ConnectionLimits = Pick<Config, 'CONNECTIONS' | 'ADDRESS_CONNECTIONS' | 'ADDRESS_HALF_OPEN' | 'PROXY_HOPS'>;

/** Requests of one connection that may be at work: clients may send the next before they have read an answer (pipelining). */
const AT_WORK_MAX = 16;

/** The connections from one network. */
interface Network {
  /** Oldest first. */
  readonly open: Set<Socket>;
  /** Those that have sent no whole request head yet. */
  readonly halfOpen: Set<Socket>;
}

interface Connection {
  readonly network: Network;
  readonly socket: Socket;
  /** Requests at work; a connection that became a WebSocket stays at work. */
  atWork: number;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #log: SeldomLog;
  readonly #networks = new Map<string, Network>();
  /** By the address and port of the client: TLS wraps the socket in another one. */
  readonly #connections = new Map<string, Connection>();
  #size = 0;

  constructor(limits: ConnectionLimits, log: SeldomLog) {
    this.#limits = limits;
    this.#log = log;
  }

  /** Connections that are open. */
  get size(): number {
    return this.#size;
  }

  /**
   * Bounds a server's connections, and ends one with too many requests at work: its requests come with a destroyed socket.
   * Call it before the server has listeners of its own for requests.
   */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#onRequest(request.socket);
      response.once('close', () => this.#onAnswered(request.socket));
    };
    server.prependListener('request', onRequest);
    server.prependListener('checkExpectation', onRequest);
    server.prependListener('upgrade', (request: IncomingMessage) => this.#onRequest(request.socket));
  }

  #onConnection(socket: Socket): void {
    const name = this.#limits.PROXY_HOPS > 0 ? 'proxy' : toNetwork(socket.remoteAddress ?? '');
    const network = this.#networks.get(name) ?? { open: new Set(), halfOpen: new Set() };
    const refused = this.#refusal(network);
    if (refused !== undefined) {
      this.#log.info(refused, { address: name }, refused);
      socket.destroy();
      return;
    }
    this.#networks.set(name, network);
    network.open.add(socket);
    network.halfOpen.add(socket);
    const id = idOf(socket);
    this.#connections.set(id, { network, socket, atWork: 0 });
    this.#size += 1;
    socket.once('close', () => {
      network.open.delete(socket);
      network.halfOpen.delete(socket);
      this.#connections.delete(id);
      this.#size -= 1;
      if (network.open.size === 0) this.#networks.delete(name);
    });
  }

  /** @returns why there is no place for one more connection of the network */
  #refusal({ open, halfOpen }: Network): string | undefined {
    const { CONNECTIONS, ADDRESS_CONNECTIONS, ADDRESS_HALF_OPEN, PROXY_HOPS } = this.#limits;
    if (PROXY_HOPS === 0 && open.size >= ADDRESS_CONNECTIONS) return 'an address has too many connections';
    if (PROXY_HOPS === 0 && halfOpen.size >= ADDRESS_HALF_OPEN) return 'an address has too many connections without a request';
    if (this.#size < CONNECTIONS || this.#giveUpOne(open.size)) return undefined;
    return 'there are too many connections';
  }

  /** Ends a connection of the network that holds the most, if that is more than `held`. @returns false when there is none to end */
  #giveUpOne(held: number): boolean {
    let most: Network | undefined;
    for (const network of this.#networks.values()) {
      if (network.open.size > Math.max(held + 1, most?.open.size ?? 0)) most = network;
    }
    for (const socket of most?.open ?? []) {
      if (this.#connections.get(idOf(socket))?.atWork !== 0) continue;
      socket.destroy();
      return true;
    }
    return false;
  }

  #onRequest(socket: Socket): void {
    const connection = this.#connections.get(idOf(socket));
    if (connection === undefined) return;
    connection.atWork += 1;
    // Thousands of small requests come in one piece, and all of them would be begun in one turn of the event loop.
    if (connection.atWork > AT_WORK_MAX) socket.destroy();
    connection.network.halfOpen.delete(connection.socket);
  }

  #onAnswered(socket: Socket): void {
    const connection = this.#connections.get(idOf(socket));
    if (connection !== undefined) connection.atWork -= 1;
  }
}

const idOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`;
