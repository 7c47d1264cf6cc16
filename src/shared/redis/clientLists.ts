// The connections of every server of Redis: on a cluster each node knows its own connections only.
import { ClusterConnection } from './clusterConnection.ts';
import type { Redis } from './redis.ts';

export interface ClientList {
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
