// Connections to Redis: one for commands, and one of its own for each part that subscribes. ioredis resends commands
// in flight after a broken connection, so every script of ours may run twice. A connection that dies silently is
// opened anew within seconds.
import type { EventEmitter } from 'node:events';
import {
  type ChainableCommander,
  type Cluster,
  type Command,
  Redis as Connection,
  type RedisCommander,
  type RedisOptions,
} from 'ioredis';
import { type RedisAddress, redisAddress } from '../config/redisAddress.ts';
import type { Logger } from '../logger.ts';
import { ClusterConnection } from './clusterConnection.ts';
import { BLOCKING_LOOKS_MAX, watchConnection } from './watchConnection.ts';

/**
 * A connection to one server, to the master that Sentinels name, or to the nodes of a cluster. Events: `ready`, `close`, `end`;
 * on a cluster also `-node`, when the connection to one of its nodes has ended.
 */
export interface Redis extends RedisCommander, Pick<EventEmitter, 'on' | 'once' | 'off' | 'emit'> {
  readonly status: Connection['status'] | Cluster['status'];
  /** True where the keys of a call have to share a slot. */
  readonly isCluster: boolean;
  sendCommand(command: Command): unknown;
  multi(): ChainableCommander;
  /** Another connection with the same settings. */
  duplicate(): Redis;
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
}

/** A connection to a cluster logs no more than one failure in this time, ms. */
const TOLD_EVERY_MS = 1000;

interface ConnectionOptions {
  readonly name: string;
  readonly log: Logger;
  readonly sendsAtOnce?: boolean;
}

/**
 * Opens a connection. Commands issued while Redis is away wait in its queue; `maxRetriesPerRequest: null` keeps them there.
 * @param options.url as `redisAddress` reads it
 * @param options.sendsAtOnce commands leave when they are issued, as scripts always do; else those of a turn of the event loop
 *   leave together, and wait for the answers to those before them. On a cluster they always leave at once
 */
export function connectRedis({ url, ...options }: { url: string } & ConnectionOptions): Redis {
  const address = redisAddress(url);
  return address.kind === 'cluster' ? connectCluster(address, options) : connectServer(address, options);
}

const retryMs = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 6), 1000);

function connectServer(address: Exclude<RedisAddress, { kind: 'cluster' }>, options: ConnectionOptions): Redis {
  const { name, log, sendsAtOnce = false } = options;
  const settings = {
    connectionName: name,
    enableAutoPipelining: !sendsAtOnce,
    // A script's caller has gathered what one call can take.
    autoPipeliningIgnoredCommands: ['evalsha', 'eval'],
    maxRetriesPerRequest: null,
    retryStrategy: retryMs,
  };
  const redis =
    address.kind === 'server' ? new Connection(address.url, settings) : new Connection({ ...settings, ...placeOf(address) });
  const onError = errorLog(options);
  redis.on('error', onError);
  redis.on('ready', () => log.debug({ connection: name }, 'redis connection ready'));
  watchConnection(redis);
  watchDuplicates(redis, onError);
  return redis;
}

function placeOf(address: Extract<RedisAddress, { kind: 'socket' | 'sentinels' }>): RedisOptions {
  const { username, password } = address;
  const access = { ...(username && { username }), ...(password && { password }) };
  if (address.kind === 'socket') return { path: address.path, ...access };
  const { sentinels, master, database, sentinelUsername, sentinelPassword, hasTls } = address;
  return {
    sentinels: [...sentinels],
    name: master,
    role: 'master',
    db: database,
    ...access,
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(hasTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: retryMs,
    // Sentinels say that another server is the master now; and one that is no longer the master says so itself.
    failoverDetector: true,
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
  };
}

function connectCluster(address: Extract<RedisAddress, { kind: 'cluster' }>, options: ConnectionOptions): Redis {
  const { nodes, username, password, hasTls } = address;
  const access = { ...(username && { username }), ...(password && { password }), ...(hasTls && { tls: {} }) };
  const node = { connectionName: options.name, maxRetriesPerRequest: null, ...access };
  return new ClusterConnection({ nodes, node, retryMs, onError: seldom(errorLog(options)) });
}

/** A node that is away is tried by each command that waits for it. */
function seldom(tell: (error: Error) => void): (error: Error) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = performance.now();
    if (now - toldAt < TOLD_EVERY_MS) return;
    toldAt = now;
    tell(error);
  };
}

const errorLog =
  ({ name, log }: ConnectionOptions) =>
  (error: Error): void => {
    log.warn({ connection: name, reason: error.message }, 'redis connection failed');
  };

/** BullMQ blocks on a connection that it makes of the one it was given: that one can die silently too. */
function watchDuplicates(redis: Connection, onError: (error: Error) => void): void {
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => {
    const copy = duplicate(override);
    copy.on('error', onError);
    watchConnection(copy, BLOCKING_LOOKS_MAX);
    return copy;
  };
}

// The connections of every server of Redis: on a cluster each node knows its own connections only.

interface ClientList {
  /** Redis's answer to CLIENT LIST: a line for each connection, with its `id=` and `name=`. */
  readonly list: string;
  /** Which of them is the given connection's. */
  readonly own: number;
}

/** The server itself, or each master of the cluster. */
export const mastersOf = (redis: Redis): readonly Redis[] =>
  redis instanceof ClusterConnection ? redis.nodes('master') : [redis];

/** Of the server, or of each master of the cluster. */
export function clientLists(redis: Redis): Promise<ClientList[]> {
  return Promise.all(
    mastersOf(redis).map(async (server) => {
      const [own, list] = await Promise.all([server.client('ID'), server.client('LIST')]);
      return { own: Number(own), list: String(list) };
    }),
  );
}
