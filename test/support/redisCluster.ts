// A real Redis Cluster for tests: master nodes as processes of their own with their slots in equal parts, and a replica for each where
// a test wants them. It is made by hand because `redis-cli --cluster create` waits for seconds.
import type { Redis } from 'ioredis';
import type { Certificates } from './certificates.ts';
import { freePort } from './ports.ts';
import { openRedis, type Store, startRedis, tlsSettings } from './stores.ts';
import { until } from './until.ts';

const SLOTS = 16_384;

type Node = Store & { readonly busPort: number; readonly tlsPort?: number };

/** @param options.certificates then nodes speak TLS, with each other too; tests go on without it */
export async function startRedisCluster(
  options: { masters?: number; hasReplicas?: boolean; certificates?: Certificates } = {},
): Promise<RedisCluster> {
  const { masters = 3, hasReplicas = false, certificates } = options;
  const nodes = await Promise.all(
    Array.from({ length: hasReplicas ? 2 * masters : masters }, () =>
      certificates === undefined ? startNode() : startNodeWithTls(certificates),
    ),
  );
  const cluster = new RedisCluster(nodes, masters);
  try {
    await cluster.form();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Longer than a lease is alive by default. */
const NODE_TIMEOUT_MS = 3500;

/**
 * A master that others have not heard of for that long is replaced; the others go on without it.
 * @param former a node that has ended: it goes on with its data and its name
 */
async function startNode(former?: Node, own: Record<string, string | number> = {}): Promise<Node> {
  const busPort = former?.busPort ?? (await freePort());
  const settings = { 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-node-timeout': NODE_TIMEOUT_MS };
  // A node that has met no other would not know its address.
  const address = { 'cluster-announce-ip': '127.0.0.1' };
  const coverage = { 'cluster-require-full-coverage': 'no', 'cluster-replica-validity-factor': 0 };
  const place = former && { dir: former.dir, port: former.port };
  return { ...(await startRedis({ ...place, settings: { ...settings, ...address, ...coverage, ...own } })), busPort };
}

async function startNodeWithTls(certificates: Certificates): Promise<Node> {
  const tlsPort = await freePort();
  return { ...(await startNode(undefined, { ...tlsSettings(certificates, tlsPort), 'tls-cluster': 'yes' })), tlsPort };
}

export class RedisCluster {
  /** Masters, then the replica of each. */
  readonly nodes: Node[];
  /** A connection to each node, which follows no redirection. */
  readonly connections: readonly Redis[];
  readonly #masters: number;

  constructor(nodes: Node[], masters: number) {
    this.nodes = nodes;
    this.#masters = masters;
    this.connections = nodes.map(({ url }) => openRedis(url, { maxRetriesPerRequest: null }));
  }

  /** As REDIS_URL. */
  get url(): string {
    const urls = this.nodes.map(({ url }) => url);
    return urls.length === 1 ? (urls[0] ?? '').replace('redis://', 'redis+cluster://') : urls.join(',');
  }

  /** The same over TLS, for a user: `name:password`. */
  tlsUrl(user: string): string {
    return `rediss://${user}@${this.nodes.map(({ tlsPort }) => `localhost:${tlsPort}`).join(',')}`;
  }

  /** Makes a user on each node. @param rules as ACL SETUSER takes them */
  async addUser(name: string, ...rules: string[]): Promise<void> {
    for (const redis of this.connections) await redis.call('ACL', 'SETUSER', name, 'on', ...rules);
  }

  async form(): Promise<void> {
    const each = SLOTS / this.#masters;
    for (const [at, redis] of this.connections.entries()) {
      await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
      if (at >= this.#masters) continue;
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', Math.ceil(at * each), Math.ceil((at + 1) * each) - 1);
    }
    for (const { port, busPort } of this.nodes.slice(1)) {
      await this.connections[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    }
    const knowsAll = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${this.nodes.length}\\D`);
    await this.#untilAll(this.connections, async (redis) => knowsAll.test(String(await redis.call('CLUSTER', 'INFO'))));
    const replicas = this.connections.slice(this.#masters);
    for (const [at, redis] of replicas.entries()) await redis.call('CLUSTER', 'REPLICATE', await this.#idOf(at));
    await this.#untilAll(replicas, async (redis) => (await redis.info('replication')).includes('master_link_status:up'));
  }

  /** Number of the node that has the slot of a key. */
  async ownerOf(key: string): Promise<number> {
    return this.ownerOfSlot(await this.#slotOf(key));
  }

  async ownerOfSlot(slot: number): Promise<number> {
    const range = (await this.#ranges()).find(({ first, last }) => first <= slot && slot <= last);
    return range?.node ?? -1;
  }

  /** Numbers of the nodes that have slots, in order. */
  async masters(): Promise<number[]> {
    return [...new Set((await this.#ranges()).map(({ node }) => node))].toSorted((a, b) => a - b);
  }

  /**
   * Moves a key's slot to a node, as `redis-cli --cluster reshard` does.
   * @param meanwhile what happens while the slot is on its way: before the first of its keys goes
   */
  async moveSlotOf(key: string, to: number, meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const slot = await this.#slotOf(key);
    const owner = await this.ownerOf(key);
    const [from, target] = [this.connections[owner], this.connections[to]] as [Redis, Redis];
    const targetId = await this.#idOf(to);
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await this.#idOf(owner));
    await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    await meanwhile();
    for (;;) {
      const keys = (await from.call('CLUSTER', 'GETKEYSINSLOT', slot, 10)) as string[];
      if (keys.length === 0) break;
      await from.call('MIGRATE', '127.0.0.1', this.nodes[to]?.port ?? 0, '', 0, 60_000, 'KEYS', ...keys);
    }
    const masters = (await this.masters()).map((at) => this.connections[at] as Redis);
    const others = masters.filter((redis) => redis !== from && redis !== target);
    for (const redis of [target, from, ...others]) await redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
  }

  /** Kills a master. Resolves when its replica has its slots. */
  async killMaster(at: number): Promise<void> {
    const connection = this.connections[at] as Redis;
    connection.disconnect();
    await this.nodes[at]?.kill();
    // Until then the node counts as available.
    await until(() => connection.status === 'end');
    await until(async () => {
      const masters = await this.masters();
      return masters.length === this.#masters && !masters.includes(at);
    });
  }

  /** Starts a node that was killed. Resolves when it is a replica of the node that took over, and has all data of that node. */
  async restart(at: number): Promise<void> {
    this.nodes[at] = await startNode(this.nodes[at]);
    const redis = this.connections[at] as Redis;
    await redis.connect();
    await until(async () => (await redis.info('replication')).includes('master_link_status:up'));
  }

  /** Resolves when a master's replica has its slots. */
  async untilReplaced(at: number): Promise<void> {
    const replica = this.connections[this.#masters + at] as Redis;
    await until(async () => (await replica.info('replication')).includes('role:master'));
  }

  /** A node says nothing any more, and its connections stay open: as behind a network that loses all. */
  freeze(at: number): void {
    process.kill(this.nodes[at]?.pid ?? 0, 'SIGSTOP');
  }

  thaw(at: number): void {
    process.kill(this.nodes[at]?.pid ?? 0, 'SIGCONT');
  }

  /** The replica of a master gets nothing of it any more. */
  async cutReplica(at: number): Promise<void> {
    const replica = this.connections[this.#masters + at] as Redis;
    await this.connections[at]?.call('ACL', 'SETUSER', 'default', '-psync', '-sync');
    await this.connections[at]?.call('CLIENT', 'KILL', 'TYPE', 'replica');
    await until(async () => (await replica.info('replication')).includes('master_link_status:down'));
  }

  async stop(): Promise<void> {
    for (const redis of this.connections) redis.disconnect();
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** To a node that lives. */
  get #any(): Redis {
    return this.connections.find(({ status }) => status === 'ready') ?? (this.connections[0] as Redis);
  }

  async #ranges(): Promise<{ first: number; last: number; node: number }[]> {
    const ranges = (await this.#any.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    return ranges.map(([first, last, [, port]]) => ({ first, last, node: this.nodes.findIndex((node) => node.port === port) }));
  }

  async #slotOf(key: string): Promise<number> {
    return Number(await this.#any.call('CLUSTER', 'KEYSLOT', key));
  }

  async #idOf(at: number): Promise<string> {
    return String(await this.connections[at]?.call('CLUSTER', 'MYID'));
  }

  async #untilAll(connections: readonly Redis[], holds: (redis: Redis) => Promise<boolean>): Promise<void> {
    await until(async () => (await Promise.all(connections.map(holds))).every(Boolean));
  }
}
