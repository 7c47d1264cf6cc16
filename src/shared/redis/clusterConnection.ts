// A connection to a Redis Cluster: one to each node that is asked, opened when it is needed. It keeps a command until a node
// has answered it, as a connection to one server does: over a slot that moves, a master that fails over, and a cluster that
// is away.
import { Cluster, type ClusterOptions, type Command, type RedisOptions } from 'ioredis';
import type { HostAndPort } from '../config/redisAddress.ts';
import { addMissingKey } from './script.ts';
import { BLOCKING_LOOKS_MAX, watchConnection } from './watchConnection.ts';

/** A node that does not take a connection, or tell its map of slots, within this time is away, ms. */
const CONNECT_MS_MAX = 2000;
/** The map of slots is read anew so often, ms, beside each time that a node says that a slot has moved. */
const REFRESH_EVERY_MS = 5000;
/** Pauses before a command is sent again, ms. */
const MOVED_PAUSE_MS = 10;
const AGAIN_PAUSE_MS = 100;
/** How ioredis says that the connection to a node has ended before the answer came. */
const CONNECTION_CLOSED = 'Connection is closed.';
/** A node that has met no other does not know its address: a cluster of one node names none. */
const NO_NODE = 'no node of the cluster can be reached; a node that does not tell its address needs cluster-announce-ip';

export interface ClusterConnectionOptions {
  /** The nodes that are asked first; they name the others. */
  readonly nodes: readonly HostAndPort[];
  /** Of the connection to each node. */
  readonly node: RedisOptions;
  readonly onError: (error: Error) => void;
  /** Pause before the next attempt to reach any node, ms. */
  readonly retryMs: (attempt: number) => number;
}

export class ClusterConnection extends Cluster {
  readonly #given: ClusterConnectionOptions;

  constructor(given: ClusterConnectionOptions, { override = {}, looks }: { override?: ClusterOptions; looks?: number } = {}) {
    super([...given.nodes], { ...optionsOf(given), ...override });
    this.#given = given;
    this.on('error', given.onError);
    this.on('node error', given.onError);
    this.on('reconnecting', () => given.onError(new Error(NO_NODE)));
    this.on('+node', (node) => watchConnection(node, looks));
  }

  /**
   * ioredis leaves this open for ever when nodes answered that the cluster is down, as in a failover: it goes on by itself, and who
   * waited for this attempt would wait still. BullMQ's workers do.
   * @throws {Error} when this attempt has failed; others follow, unless the connection has ended
   */
  override connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(new Error(NO_NODE));
      this.once('close', onClose);
      super
        .connect()
        .finally(() => this.off('close', onClose))
        .then(resolve, reject);
    });
  }

  /**
   * While no node can be reached, ioredis gives commands back that were on their way. They wait here as the others do; but for its
   * own questions about the cluster, and those of a transaction, which are nothing without each other.
   */
  override sendCommand(...call: Parameters<Cluster['sendCommand']>): unknown {
    const [command, stream, node] = call;
    addMissingKey(command);
    const isAlone = command.name !== 'cluster' && stream === undefined && node === undefined;
    if (isAlone && !waitsHere.has(command)) {
      waitsHere.add(command);
      const { reject } = command;
      command.reject = (error: Error): void => {
        if (error.message === CONNECTION_CLOSED && this.status !== 'end') super.sendCommand(command);
        else reject.call(command, error);
      };
    }
    return super.sendCommand(...call);
  }

  /** BullMQ blocks on a connection that it makes of the one it was given. */
  override duplicate(_nodes?: unknown, override: ClusterOptions = {}): ClusterConnection {
    return new ClusterConnection(this.#given, { override, looks: BLOCKING_LOOKS_MAX });
  }
}

const waitsHere = new WeakSet<Command>();

function optionsOf({ node, retryMs }: ClusterConnectionOptions): ClusterOptions {
  return {
    redisOptions: { ...node, connectTimeout: CONNECT_MS_MAX },
    clusterRetryStrategy: retryMs,
    // A command waits as long as it takes, as with one server.
    maxRedirections: Number.POSITIVE_INFINITY,
    retryDelayOnMoved: MOVED_PAUSE_MS,
    retryDelayOnTryAgain: AGAIN_PAUSE_MS,
    retryDelayOnClusterDown: AGAIN_PAUSE_MS,
    retryDelayOnFailover: AGAIN_PAUSE_MS,
    slotsRefreshTimeout: CONNECT_MS_MAX,
    slotsRefreshInterval: REFRESH_EVERY_MS,
    // A certificate holds for a name, not for what it resolves to.
    dnsLookup: (name, found) => found(null, name),
  };
}
