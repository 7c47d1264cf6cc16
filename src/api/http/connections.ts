// How many connections there may be: in all, from one network address, such that have sent no whole request yet, and new
// ones in a minute. At the bound of all, the address with the most gives one up: first one without a request at work, then
// one with, then a WebSocket, of each the one that has been so for longest. So who holds few gets one whatever others hold.
// Behind proxies a connection is its client's while a request of that client is at work on it, and the proxy's otherwise.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../shared/config/config.ts';
import { MINUTE_MS } from '../../shared/domain/units.ts';
import { LocalWindows } from '../access/limits/localWindows.ts';
import type { SeldomLog } from '../access/limits/seldomLog.ts';
import { FairPlaces, Shares } from '../access/limits/shares.ts';
import { networkBehindProxies, toNetwork } from '../access/requestContext.ts';

export type ConnectionLimits = Pick<Config, 'CONNECTIONS' | 'ADDRESS_CONNECTIONS' | 'ADDRESS_HALF_OPEN' | 'PROXY_HOPS'>;

/** Requests of one connection that may be at work: clients may send the next before they have read an answer (pipelining). */
const AT_WORK_MAX = 16;
/** Requests of all that may be at work, as often as there may be connections; the fuller, the fewer of one client. */
const ALL_AT_WORK = 4;
/** New connections of an address in a minute, as often as it may hold: a TLS handshake costs a millisecond. */
const TURNOVER_MAX = 2;
/** What a connection counts as that was ended for its requests: they cost milliseconds, and no usual client does that. */
const PIPELINED_COUNTS_AS = 50;
/** Addresses whose new connections are counted; past it the one that has opened none for longest is forgotten. */
const COUNTED_MAX = 50_000;
const PROXY = 'proxy';

/** Where a connection stands: the first are given up first. */
const IDLE = 0;
const AT_WORK = 1;
const WEBSOCKET = 2;

/** Why connections are refused or ended: what the log says, by the name in metrics. */
const REASONS = {
  full: 'there are too many connections',
  given_up: 'a connection was given up for another address',
  address_full: 'an address has too many connections',
  address_half_open: 'an address has too many connections without a request',
  address_turnover: 'an address opens too many connections',
  client_full: 'a client has too many requests at work',
  pipelined: 'a connection has too many requests at work',
} as const;

type Reason = keyof typeof REASONS;

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** It has sent no whole request head yet. */
  isHalfOpen: boolean;
  /** Requests at work, and whose they are. */
  atWork: number;
  client: string;
}

/** What operators see. */
export interface ConnectionFigures {
  readonly open: number;
  readonly halfOpen: number;
  /** Connections with a request at work, without WebSockets. */
  readonly atWork: number;
  /** Connections that were refused or given up, by reason, since the start. */
  readonly ended: ReadonlyMap<Reason, number>;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #log: SeldomLog;
  readonly #places: FairPlaces<Connection>;
  readonly #halfOpen: Shares;
  /** Requests at work, by client. */
  readonly #requests: Shares;
  readonly #opened = new LocalWindows({ windowMs: MINUTE_MS, subjectsMax: COUNTED_MAX });
  /** By the address and port of the client: TLS wraps the socket in another one. */
  readonly #connections = new Map<string, Connection>();
  /** The same by the sockets of requests. */
  readonly #ofSocket = new WeakMap<Socket, Connection>();
  readonly #ended = new Map<Reason, number>();
  #atWork = 0;

  constructor(limits: ConnectionLimits, log: SeldomLog) {
    const { CONNECTIONS, ADDRESS_CONNECTIONS, ADDRESS_HALF_OPEN, PROXY_HOPS } = limits;
    this.#limits = limits;
    this.#log = log;
    this.#places = new FairPlaces({ each: CONNECTIONS, all: CONNECTIONS, lines: 3, giveUp: this.#giveUp });
    this.#halfOpen = new Shares({ each: PROXY_HOPS > 0 ? CONNECTIONS : ADDRESS_HALF_OPEN, all: Number.MAX_SAFE_INTEGER });
    this.#requests = new Shares({ each: ADDRESS_CONNECTIONS, all: ALL_AT_WORK * CONNECTIONS });
  }

  /** Connections that are open. */
  get size(): number {
    return this.#places.total;
  }

  get figures(): ConnectionFigures {
    return { open: this.size, halfOpen: this.#halfOpen.total, atWork: this.#atWork, ended: this.#ended };
  }

  /**
   * Bounds a server's connections, and ends one with too many requests at work: its requests come with a destroyed socket.
   * Call it before the server has listeners of its own for requests.
   */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      this.#onRequest(request, AT_WORK);
      response.once('close', () => this.#onAnswered(request.socket));
    };
    server.prependListener('request', onRequest);
    server.prependListener('checkExpectation', onRequest);
    server.prependListener('upgrade', (request: IncomingMessage) => this.#onRequest(request, WEBSOCKET));
  }

  #onConnection(socket: Socket): void {
    const network = this.#limits.PROXY_HOPS > 0 ? PROXY : toNetwork(socket.remoteAddress ?? '');
    const connection: Connection = { socket, network, isHalfOpen: true, atWork: 0, client: network };
    const refused = this.#refusal(connection);
    if (refused !== undefined) {
      this.#count(refused, network);
      socket.destroy();
      return;
    }
    const id = idOf(socket);
    this.#connections.set(id, connection);
    socket.once('close', () => {
      this.#places.give(connection);
      this.#connections.delete(id);
      this.#noLongerHalfOpen(connection);
      if (connection.atWork > 0) this.#atWork -= 1;
      this.#requests.give(connection.client, connection.atWork);
      connection.atWork = 0;
    });
  }

  /** @returns why there is no place for one more connection of the network; else it has its place */
  #refusal(connection: Connection): Reason | undefined {
    const { ADDRESS_CONNECTIONS, PROXY_HOPS } = this.#limits;
    const { network } = connection;
    if (PROXY_HOPS === 0) {
      if (this.#places.of(network) >= ADDRESS_CONNECTIONS) return 'address_full';
      if (this.#opened.used(network) >= TURNOVER_MAX * ADDRESS_CONNECTIONS) return 'address_turnover';
      this.#opened.add(network, 1);
    }
    if (this.#halfOpen.take(network) !== undefined) return 'address_half_open';
    if (this.#places.take(network, connection)) return undefined;
    this.#halfOpen.give(network);
    return 'full';
  }

  readonly #giveUp = ({ socket, network }: Connection): void => {
    this.#count('given_up', network);
    socket.destroy();
  };

  #onRequest(request: IncomingMessage, line: typeof AT_WORK | typeof WEBSOCKET): void {
    const { socket } = request;
    const connection = this.#find(socket);
    if (connection === undefined || socket.destroyed) return;
    this.#noLongerHalfOpen(connection);
    const { ADDRESS_CONNECTIONS, PROXY_HOPS } = this.#limits;
    if (PROXY_HOPS > 0 && connection.atWork === 0) connection.client = networkBehindProxies(request, PROXY_HOPS);
    const { client } = connection;
    this.#places.move(connection, client, line);
    if (line === AT_WORK) {
      if (this.#requests.take(client) !== undefined) {
        this.#end(request, 'client_full');
        return;
      }
      connection.atWork += 1;
      if (connection.atWork === 1) this.#atWork += 1;
    }
    // Thousands of small requests come in one piece, and all of them would be begun in one turn of the event loop.
    if (connection.atWork > AT_WORK_MAX) {
      if (PROXY_HOPS === 0) this.#opened.add(client, PIPELINED_COUNTS_AS);
      this.#end(request, 'pipelined');
    } else if (this.#places.of(client) > ADDRESS_CONNECTIONS) this.#end(request, 'client_full');
  }

  #end({ socket }: IncomingMessage, reason: Reason): void {
    this.#count(reason, socket.remoteAddress ?? '');
    socket.destroy();
  }

  #onAnswered(socket: Socket): void {
    const connection = this.#find(socket);
    if (connection === undefined || connection.atWork === 0) return;
    connection.atWork -= 1;
    this.#requests.give(connection.client);
    if (connection.atWork > 0) return;
    this.#atWork -= 1;
    this.#places.move(connection, connection.network, IDLE);
  }

  #find(socket: Socket): Connection | undefined {
    let connection = this.#ofSocket.get(socket);
    if (connection === undefined) {
      connection = this.#connections.get(idOf(socket));
      if (connection !== undefined) this.#ofSocket.set(socket, connection);
    }
    return connection;
  }

  #noLongerHalfOpen(connection: Connection): void {
    if (!connection.isHalfOpen) return;
    connection.isHalfOpen = false;
    this.#halfOpen.give(connection.network);
  }

  #count(reason: Reason, address: string): void {
    this.#ended.set(reason, (this.#ended.get(reason) ?? 0) + 1);
    this.#log.info(reason, { address }, REASONS[reason]);
  }
}

const idOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`;
