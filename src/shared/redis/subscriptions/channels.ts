// Messages that Redis passes on from who publishes to who listens. On a server by PUBLISH and SUBSCRIBE, as builds before
// clusters do. On a cluster by SPUBLISH and SSUBSCRIBE: a channel belongs to the slot of its hash tag, so a script may publish
// on those of its keys, and only the nodes of that slot hear of it.
import { ClusterConnection } from '../clusterConnection.ts';
import type { Redis } from '../redis.ts';
import { ClusterSubscriptions } from './clusterSubscriptions.ts';
import { ServerSubscriptions } from './serverSubscriptions.ts';
import type { ChannelListener, Subscriptions } from './subscriptions.ts';

/** @param connection the caller's own, on which nothing but subscribing happens; the caller closes it */
export const openSubscriptions = (connection: Redis, listener: ChannelListener): Subscriptions =>
  connection instanceof ClusterConnection
    ? new ClusterSubscriptions(connection, listener)
    : new ServerSubscriptions(connection, listener);

export async function publish(redis: Redis, channel: string, text: string): Promise<void> {
  await (redis.isCluster ? redis.spublish(channel, text) : redis.publish(channel, text));
}
