// A Redis with a replica, for tests of what waits for replicas.
import type { Redis } from 'ioredis';
import { openRedis, type Store, startRedis } from './stores.ts';
import { until } from './until.ts';

export interface Replica {
  readonly store: Store;
  readonly connection: Redis;
  /** It says nothing and takes nothing, like a replica that lags behind. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Resolves when the replica has all that the master has. */
export async function startReplica(master: Pick<Store, 'url' | 'port'>): Promise<Replica> {
  const asked = openRedis(master.url);
  // It waits five seconds for further replicas otherwise.
  await asked.config('SET', 'repl-diskless-sync-delay', 0);
  asked.disconnect();
  const store = await startRedis({ settings: { replicaof: `127.0.0.1 ${master.port}` } });
  const connection = openRedis(store.url, { maxRetriesPerRequest: null });
  await until(async () => (await connection.info('replication')).includes('master_link_status:up'));
  return {
    ...{ store, connection },
    freeze: () => process.kill(store.pid, 'SIGSTOP'),
    thaw: () => process.kill(store.pid, 'SIGCONT'),
    stop: async () => {
      connection.disconnect();
      await store.kill();
    },
  };
}
