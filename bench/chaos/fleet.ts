// The fleet that is broken: several processes of each role on real stores, each way to a store through a proxy, each process with a
// clock that can be set. It lives through all rounds.
import { Cluster, type Redis } from 'ioredis';
import { shardTag } from '../../src/shared/redis/keys.ts';
import { FaultStack, SHARDS } from '../../test/support/faults/faultStack.ts';
import { type RedisCluster, startRedisCluster } from '../../test/support/redisCluster.ts';
import { WITH_SETTABLE_CLOCK } from '../../test/support/roleProcess.ts';
import { TcpProxy } from '../../test/support/tcpProxy.ts';
import type { Fault, StoreName, Targets } from './schedule.ts';

const entry = WITH_SETTABLE_CLOCK;
const ROLES = {
  ...{ apis: 2, pods: 3, markets: 2, jobs: 1 },
  entries: { api: entry, actors: entry, market: entry, jobs: entry },
};
/** Shorter than the time after which a replica takes over. */
const CLUSTER_ENV = { LEASE_TTL_MS: '900', MARKET_LEASE_TTL_MS: '900', REDIS_MIN_REPLICAS: '1' };
const MASTERS = 3;

/** Ways that can be broken; on a cluster, whose nodes name their addresses themselves, only the one to MongoDB. */
type Ways = Readonly<Partial<Record<StoreName, TcpProxy>>>;

export class Fleet {
  readonly faults: FaultStack;
  readonly #ways: Ways;
  readonly #cluster: RedisCluster | undefined;
  /** The last fault of each thing that can break: the next one waits for its end. */
  readonly #busy = new Map<string, Promise<void>>();

  private constructor(faults: FaultStack, ways: Ways, cluster?: RedisCluster) {
    this.faults = faults;
    this.#ways = ways;
    this.#cluster = cluster;
  }

  static async start(): Promise<Fleet> {
    const ways: Partial<Record<StoreName, TcpProxy>> = {};
    const redisThrough = (url: string) => through(ways, 'redis', url);
    const mongoThrough = (url: string) => through(ways, 'mongo', url);
    return new Fleet(await FaultStack.start({ ...ROLES, durability: 'always', redisThrough, mongoThrough }), ways);
  }

  /** On three masters with a replica each, which has what is acknowledged. */
  static async startOnCluster(): Promise<Fleet> {
    const cluster = await startRedisCluster({ masters: MASTERS, hasReplicas: true });
    const ways: Partial<Record<StoreName, TcpProxy>> = {};
    const faults = await FaultStack.start({
      ...{ ...ROLES, env: CLUSTER_ENV },
      redisThrough: () => Promise.resolve(cluster.url),
      mongoThrough: (url) => through(ways, 'mongo', url),
      ownRedis: () => clientOf(cluster),
    });
    return new Fleet(faults, ways, cluster);
  }

  get targets(): Targets {
    const masters = this.#cluster === undefined ? 0 : MASTERS;
    return { processes: [...this.faults.stack.processes.keys()].toSorted(), shards: SHARDS, masters };
  }

  /** Lets a fault happen, once the one before it has ended at the same place. Resolves when it has ended itself. */
  inflict(fault: Fault): Promise<void> {
    const place = 'process' in fault ? fault.process : 'store' in fault ? fault.store : 'cluster';
    const ended = (this.#busy.get(place) ?? Promise.resolve()).then(() => this.#inflict(fault));
    this.#busy.set(place, ended);
    return ended;
  }

  /** All that still lasts of a round ends. */
  heal(): void {
    for (const one of this.faults.stack.processes.values()) one.setClock(0);
    for (const way of Object.values(this.#ways)) {
      way.delay(0);
      way.mend();
    }
  }

  /** From now on the bench goes by the journals as they are now. */
  async settleJournals(): Promise<void> {
    if (this.#cluster !== undefined) await this.faults.tap.reread();
  }

  async stop(): Promise<void> {
    await this.faults.stop();
    await Promise.all(Object.values(this.#ways).map((way) => way.close()));
    await this.#cluster?.stop();
  }

  async #inflict(fault: Fault): Promise<void> {
    const { stack } = this.faults;
    switch (fault.type) {
      case 'kill':
      case 'leave':
        await stack.kill(fault.process, fault.type === 'kill' ? 'SIGKILL' : 'SIGTERM');
        await pause(fault.backMs);
        return stack.restart(fault.process);
      case 'sleep':
        await stack.kill(fault.process, 'SIGSTOP');
        await pause(fault.forMs);
        return stack.kill(fault.process, 'SIGCONT');
      case 'blackHole': {
        // Its name stands in what it says first on each connection.
        this.#ways[fault.store]?.blackHole((greeting) => greeting.includes(`${fault.process}-`));
        return;
      }
      case 'clock':
        stack.process(fault.process).setClock(fault.aheadMs);
        await pause(fault.forMs);
        return stack.process(fault.process).setClock(0);
      case 'moveSlot':
      case 'killMaster':
        return this.#inflictOnCluster(fault);
      default:
        return this.#inflictOnStore(fault);
    }
  }

  async #inflictOnCluster(fault: Extract<Fault, { type: 'moveSlot' | 'killMaster' }>): Promise<void> {
    const cluster = this.#cluster;
    if (cluster === undefined) throw new Error(`${fault.type} is a fault of a cluster`);
    const masters = await cluster.masters();
    if (fault.type === 'moveSlot') {
      const [tag, to] = [shardTag(fault.shard), masters[fault.to] as number];
      if ((await cluster.ownerOf(tag)) !== to) await cluster.moveSlotOf(tag, to);
      return;
    }
    const at = masters[fault.node] as number;
    await cluster.killMaster(at);
    await cluster.restart(at);
  }

  async #inflictOnStore(fault: Extract<Fault, { store: StoreName }>): Promise<void> {
    const { stack } = this.faults;
    const { store } = fault;
    const way = this.#ways[store];
    if (way === undefined) throw new Error(`the way to ${store} cannot be broken`);
    switch (fault.type) {
      case 'killStore':
        await (store === 'redis' ? stack.redisStore : stack.mongoStore).kill();
        await pause(fault.backMs);
        return store === 'redis' ? stack.restartRedis() : stack.restartMongo();
      case 'stall': {
        const { pid } = store === 'redis' ? stack.redisStore : stack.mongoStore;
        process.kill(pid, 'SIGSTOP');
        await pause(fault.forMs);
        process.kill(pid, 'SIGCONT');
        return;
      }
      case 'slow':
        way.delay(fault.delayMs);
        await pause(fault.forMs);
        return way.delay(0);
      case 'away':
        way.refuse();
        await pause(fault.forMs);
        return way.mend();
      case 'cut':
        if (fault.losesForMs > 0) way.loseAnswers();
        await pause(fault.losesForMs);
        return way.cut();
      default:
        return;
    }
  }
}

async function through(ways: Partial<Record<StoreName, TcpProxy>>, name: StoreName, url: string): Promise<string> {
  const way = await TcpProxy.start(Number(new URL(url).port));
  ways[name] = way;
  return `${name === 'redis' ? 'redis' : 'mongodb'}://127.0.0.1:${way.port}`;
}

/** The judge's own connection: it uses what a single server's has too. */
function clientOf({ nodes }: RedisCluster): Redis {
  const places = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  const cluster = new Cluster(places, {
    redisOptions: { maxRetriesPerRequest: null },
    clusterRetryStrategy: () => 100,
    // While a replica takes over, two nodes may name each other.
    ...{ maxRedirections: 10_000, retryDelayOnMoved: 50, retryDelayOnFailover: 50, retryDelayOnClusterDown: 50 },
  });
  cluster.on('error', () => undefined); // a node that was killed: the others answer
  return cluster as unknown as Redis;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
