// Channels of a cluster, each heard over a connection to the node that has its slot. When a slot moves, the node ends the
// subscription; when a node dies, its replica takes over. Both ways the channel is subscribed where the map of slots says
// it is then. ioredis has sharded subscribers of its own: they stay deaf where the map was read a moment too early, and where a
// node answers that the slot has moved (5.11).
import { Command, Redis as Connection } from 'ioredis';
import { Retrying } from '../retrying.ts';
import type { ClusterConnection } from './clusterConnection.ts';
import type { ChannelListener, ChannelSubscriptions } from './subscriptions.ts';
import { watchConnection } from './watchConnection.ts';

/** How often each channel is asked for again where it is heard, ms: a node may have ended it without being understood. */
const LOOK_EVERY_MS = 2000;

interface Channel {
  readonly slot: number;
  /** `host:port` of the node that was asked. */
  node: string | undefined;
  isHeard: boolean;
  wasHeard: boolean;
  /** Told when it is heard for the first time. */
  readonly waiting: (() => void)[];
}

export class ClusterSubscriptions implements ChannelSubscriptions {
  readonly #cluster: ClusterConnection;
  readonly #listener: ChannelListener;
  readonly #channels = new Map<string, Channel>();
  /** By `host:port`. */
  readonly #nodes = new Map<string, Connection>();
  readonly #looking: NodeJS.Timeout;
  #again: NodeJS.Timeout | undefined;
  /** Pauses after a connection has ended before channels are looked for again. */
  readonly #retrying = new Retrying('cluster_channels', { firstMs: 50, mostMs: 1000 });
  #isStopped = false;

  constructor(cluster: ClusterConnection, listener: ChannelListener) {
    this.#cluster = cluster;
    this.#listener = listener;
    cluster.on('ready', this.#settle);
    cluster.on('refresh', this.#settle);
    cluster.once('end', this.#end);
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  subscribe(name: string): Promise<void> {
    const channel = this.#channels.get(name) ?? newChannel(name);
    this.#channels.set(name, channel);
    if (channel.isHeard) return Promise.resolve();
    return new Promise((resolve) => {
      channel.waiting.push(resolve);
      this.#settle();
    });
  }

  async unsubscribe(name: string): Promise<void> {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    this.#channels.delete(name);
    for (const done of channel.waiting) done();
    const { node = '' } = channel;
    const connection = this.#nodes.get(node);
    if (connection?.status !== 'ready') return;
    await connection.sunsubscribe(name).catch((error: Error) => this.#drop(node, connection, error));
  }

  stop(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  readonly #end = (): void => {
    this.#isStopped = true;
    clearInterval(this.#looking);
    clearTimeout(this.#again);
    this.#cluster.off('ready', this.#settle);
    this.#cluster.off('refresh', this.#settle);
    for (const { waiting } of this.#channels.values()) for (const done of waiting) done();
    this.#channels.clear();
    for (const connection of this.#nodes.values()) connection.disconnect();
    this.#nodes.clear();
  };

  /** Asks for each channel where the map of slots says it is. */
  readonly #settle = (): void => {
    // After a failure the map may be what is wrong: it is not asked again before a pause.
    if (this.#isStopped || this.#again !== undefined || this.#cluster.status !== 'ready') return;
    for (const [name, channel] of this.#channels) {
      const node = this.#cluster.slots[channel.slot]?.[0];
      if (node === undefined || node === channel.node) continue;
      const former = channel.node;
      this.#ask(name, channel, node);
      // It may go on there: a master that became a replica passes messages on, too.
      const left = former === undefined ? undefined : this.#nodes.get(former);
      if (former !== undefined && left !== undefined) this.#drop(former, left, new Error('a slot has left this node'));
    }
  };

  #look(): void {
    for (const [name, { node = '', isHeard }] of this.#channels) {
      const connection = this.#nodes.get(node);
      if (isHeard && connection?.status === 'ready') this.#subscribeAt(name, node, connection);
    }
    this.#settle();
  }

  #ask(name: string, channel: Channel, node: string): void {
    channel.node = node;
    if (channel.isHeard) {
      channel.isHeard = false;
      this.#listener.onAway?.([name]);
    }
    this.#subscribeAt(name, node, this.#nodes.get(node) ?? this.#connect(node));
  }

  #subscribeAt(name: string, node: string, connection: Connection): void {
    connection.ssubscribe(name).then(
      () => this.#onHeard(name, node, connection),
      (error: Error) => this.#drop(node, connection, error),
    );
  }

  #onHeard(name: string, node: string, connection: Connection): void {
    const channel = this.#channels.get(name);
    if (channel?.node !== node || this.#nodes.get(node) !== connection || channel.isHeard) return;
    const isBack = channel.wasHeard;
    channel.isHeard = true;
    channel.wasHeard = true;
    this.#retrying.succeeded();
    for (const done of channel.waiting.splice(0)) done();
    if (isBack) this.#listener.onBack?.([name]);
  }

  /** The connection is not mended: where its channels are is looked up anew. */
  #connect(node: string): Connection {
    const at = node.lastIndexOf(':');
    const place = { host: node.slice(0, at), port: Number(node.slice(at + 1)) };
    const { redisOptions } = this.#cluster.options;
    // Not asked whether it is ready: a node that still loads takes subscriptions, and refuses that question once it has one.
    const connectionName = `${redisOptions?.connectionName}:channels`;
    const own = { connectionName, retryStrategy: () => null, autoResubscribe: false, enableReadyCheck: false };
    const connection = new Connection({ ...redisOptions, ...place, ...own });
    const drop = (error: Error): void => this.#drop(node, connection, error);
    connection.on('smessage', (name: string, text: string) => {
      if (this.#channels.get(name)?.node === node) this.#listener.onMessage(name, text);
    });
    // An error is also how ioredis says that the node has ended a subscription by itself, because its slot has left.
    connection.on('error', drop);
    connection.on('moved', () => drop(new Error('a slot is elsewhere')));
    connection.once('end', () => drop(new Error('the connection has ended')));
    watchConnection(connection);
    this.#nodes.set(node, connection);
    return connection;
  }

  #drop(node: string, connection: Connection, reason: Error): void {
    if (this.#nodes.get(node) !== connection) return;
    this.#nodes.delete(node);
    connection.disconnect();
    const lost: string[] = [];
    for (const [name, channel] of this.#channels) {
      if (channel.node !== node) continue;
      channel.node = undefined;
      if (channel.isHeard) lost.push(name);
      channel.isHeard = false;
    }
    this.#cluster.emit('node error', reason, node);
    if (lost.length > 0) this.#listener.onAway?.(lost);
    this.#lookAgain();
  }

  #lookAgain(): void {
    if (this.#isStopped || this.#again !== undefined) return;
    this.#cluster.refreshSlotsCache();
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#settle();
    }, this.#retrying.nextMs());
  }
}

const newChannel = (name: string): Channel => ({
  slot: Number(new Command('get', [name]).getSlot()),
  node: undefined,
  isHeard: false,
  wasHeard: false,
  waiting: [],
});
