// Messages that Redis passes on from who publishes to who listens. On a server by PUBLISH and SUBSCRIBE.
// On a cluster by SPUBLISH and SSUBSCRIBE: a channel belongs to the slot of its hash tag, so a script may publish
// on those of its keys, and only the nodes of that slot hear of it.
import { ClusterConnection } from './clusterConnection.ts';
import { ClusterSubscriptions } from './clusterSubscriptions.ts';
import type { Redis } from './redis.ts';
import { type ChannelListener, type ChannelSubscriptions, ServerSubscriptions } from './subscriptions.ts';

/**
 * Characters of one message, and of texts that are joined to one, but for a single text: Redis ends a subscriber that it cannot get rid
 * of 32 MB.
 */
export const MESSAGE_CHARS_MAX = 256_000;

/** The connections by which `openSubscriptions` listens. */
export interface ChannelConnections {
  readonly connection: Redis;
  /** After all subscriptions have stopped. */
  close(): void;
}

/**
 * On a server a connection of its own, for nothing but subscribing. On a cluster the process's connection for commands: it knows which node
 * has a channel, and the subscriptions have a connection to each of those nodes.
 */
export function openSubscriber(redis: Redis, open: () => Redis): ChannelConnections {
  if (redis.isCluster) return { connection: redis, close: () => undefined };
  const connection = open();
  return { connection, close: () => connection.disconnect() };
}

/** @param connection of a `ChannelConnections` */
export const openSubscriptions = (connection: Redis, listener: ChannelListener): ChannelSubscriptions =>
  connection instanceof ClusterConnection
    ? new ClusterSubscriptions(connection, listener)
    : new ServerSubscriptions(connection, listener);

export async function publish(redis: Redis, channel: string, text: string): Promise<void> {
  await (redis.isCluster ? redis.spublish(channel, text) : redis.publish(channel, text));
}
