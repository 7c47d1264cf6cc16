// One deployment among several that are measured in turns: its accounts trade at a given pace, well below what the machine can
// do (else a larger deployment would be starved, not dearer), and what an order costs is counted by role.
import { type RedisCluster, startRedisCluster } from '../../test/support/redisCluster.ts';
import type { Stack, TestAccount } from '../../test/support/stack.ts';
import { openRedis } from '../../test/support/stores.ts';
import { CpuMeter } from './cpu.ts';
import { pidsOf, registerAccounts, startExchange } from './exchange.ts';
import { IocOrders } from './iocOrders.ts';
import { drive, round } from './load.ts';
import { RedisMeter, type RedisWork } from './redisWork.ts';
import { median, mediansByName } from './sideBySide.ts';

const CONNECTIONS_OF_NODE = 64;
const WARM_UP_SECONDS = 5;
const IDLE_SECONDS = 5;

export interface Layout {
  readonly apis: number;
  readonly pods: number;
  /** Masters of a Redis Cluster; without it a single server, reached as `bin/start` does. */
  readonly masters?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The cost of an order: medians over the rounds, microseconds of CPU. */
export interface Cost {
  readonly ordersPerSecond: number;
  readonly allMicros: number;
  /** Less what the processes use when nobody trades. */
  readonly microsBeyondIdle: number;
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly idleMicrosPerSecond: Readonly<Record<string, number>>;
  /** The work of each Redis node for an order, and its CPU. */
  readonly redis: readonly (RedisWork & { readonly cpuMicros: number })[];
}

export class Fleet {
  readonly #stack: Stack;
  readonly #cluster: RedisCluster | undefined;
  readonly #accounts: readonly TestAccount[];
  readonly #cpu: Record<string, number>[] = [];
  readonly #ordersPerSecond: number[] = [];
  #idle: Record<string, number> = {};
  readonly #redisCpu: Record<string, number>[] = [];
  #redis: readonly RedisWork[] = [];

  private constructor(stack: Stack, cluster: RedisCluster | undefined, accounts: readonly TestAccount[]) {
    this.#stack = stack;
    this.#cluster = cluster;
    this.#accounts = accounts;
  }

  static async start({ apis, pods, masters, env = {} }: Layout): Promise<Fleet> {
    const cluster = masters === undefined ? undefined : await startRedisCluster({ masters });
    try {
      const through = cluster === undefined ? {} : { redisThrough: () => Promise.resolve(cluster.url) };
      const stack = await startExchange({ apis, pods, env, ...through });
      return new Fleet(stack, cluster, await registerAccounts(stack, apis * CONNECTIONS_OF_NODE));
    } catch (error) {
      await cluster?.stop();
      throw error;
    }
  }

  /**
   * Measures fleets in turns.
   * @param ordersPerSecond of each API node
   * @returns the cost of each, in the same order
   */
  static async compare(
    fleets: readonly Fleet[],
    { rounds, seconds, ordersPerSecond }: { rounds: number; seconds: number; ordersPerSecond: number },
  ): Promise<Cost[]> {
    for (const fleet of fleets) await fleet.#trade(WARM_UP_SECONDS, ordersPerSecond);
    const meters = fleets.map((fleet) => new CpuMeter(fleet.#pids()));
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
    for (const [at, fleet] of fleets.entries()) fleet.#idle = byRole(meters[at]?.per(IDLE_SECONDS) ?? {});
    for (let n = 0; n < rounds; n++) for (const fleet of fleets) await fleet.#measure(seconds, ordersPerSecond);
    return fleets.map((fleet) => fleet.#cost());
  }

  async stop(): Promise<void> {
    await this.#stack.stop();
    await this.#cluster?.stop();
  }

  async #measure(seconds: number, ordersPerSecond: number): Promise<void> {
    const urls = this.#cluster?.nodes.map(({ url }) => url) ?? [this.#stack.redisStore.url];
    const connections = urls.map((url) => openRedis(url));
    const meters = await Promise.all(connections.map((redis) => RedisMeter.start(redis)));
    const cpu = new CpuMeter(this.#pids());
    const { orders, perSecond } = await this.#trade(seconds, ordersPerSecond);
    const cpuMicros = cpu.per(orders);
    this.#cpu.push(byRole(cpuMicros));
    this.#redisCpu.push(Object.fromEntries(Object.entries(cpuMicros).filter(([name]) => name.startsWith('redis'))));
    this.#redis = await Promise.all(meters.map((meter) => meter.per(orders)));
    this.#ordersPerSecond.push(perSecond);
    for (const redis of connections) redis.disconnect();
  }

  /** Connections are shared out among the API nodes. @returns orders, and orders a second */
  async #trade(seconds: number, ordersPerSecond: number): Promise<{ orders: number; perSecond: number }> {
    const urls = this.#stack.baseUrls;
    const results = await Promise.all(
      urls.map((url, at) => {
        const own = this.#accounts.filter((_account, n) => n % urls.length === at);
        const conversations = own.map((account) => new IocOrders(url, account));
        return drive(url, conversations, seconds, { perSecond: ordersPerSecond });
      }),
    );
    return {
      orders: sumOf(results.map(({ requests }) => requests)),
      perSecond: sumOf(results.map(({ requestsPerSecond }) => requestsPerSecond)),
    };
  }

  #pids(): Map<string, number> {
    const pids = pidsOf(this.#stack);
    for (const [at, { pid }] of this.#cluster?.nodes.entries() ?? []) pids.set(`redis-${at}`, pid);
    if (this.#cluster !== undefined) pids.delete('redis');
    return pids;
  }

  #cost(): Cost {
    const cpuMicros = mediansByName(this.#cpu);
    const allMicros = sumOf(Object.values(cpuMicros));
    const ordersPerSecond = median(this.#ordersPerSecond);
    const microsBeyondIdle = Math.round(allMicros - sumOf(Object.values(this.#idle)) / ordersPerSecond);
    const redisCpu = Object.values(mediansByName(this.#redisCpu));
    const redis = this.#redis.map((work, at) => ({ ...work, cpuMicros: redisCpu[at] ?? 0 }));
    return { ordersPerSecond, allMicros, microsBeyondIdle, cpuMicros, idleMicrosPerSecond: this.#idle, redis };
  }
}

/** The cost of an order in one deployment divided by the cost in another. */
export const times = (of: Cost, than: Cost): { all: number; beyondIdle: number } => ({
  all: round(of.allMicros / than.allMicros, 3),
  beyondIdle: round(of.microsBeyondIdle / than.microsBeyondIdle, 3),
});

/** Processes of one role as one. */
function byRole(byProcess: Readonly<Record<string, number>>): Record<string, number> {
  const roles: Record<string, number> = {};
  for (const [name, micros] of Object.entries(byProcess)) {
    const role = name.replace(/-\d+$/, '');
    if (role !== 'generator') roles[role] = (roles[role] ?? 0) + micros;
  }
  return roles;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0);
}
