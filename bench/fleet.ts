// Whether an order costs more in a larger deployment: two actor pods and two API nodes beside one of each, in turns. Each API node
// takes filled IOC orders of 64 accounts of its own, as many a second here as there and less than the machine can do: else the
// larger one would be starved, not dearer. CPU per order by role, with and without what the same processes use when nobody
// trades, and what Redis does for one order. `node --import tsx bench/fleet.ts`, orders a second of a node by BENCH_RATE
import type { Stack, TestAccount } from '../test/support/stack.ts';
import { CpuMeter } from './support/cpu.ts';
import { pidsOf, registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders } from './support/iocOrders.ts';
import { drive, round } from './support/load.ts';
import { RedisMeter, type RedisWork } from './support/redisWork.ts';
import { median, mediansByName } from './support/sideBySide.ts';

const CONNECTIONS_OF_NODE = 64;
const WARM_UP_SECONDS = 5;
const IDLE_SECONDS = 5;
const { BENCH_ROUNDS = '5', BENCH_SECONDS = '4', BENCH_RATE = '400' } = process.env;

interface Fleet {
  readonly name: string;
  readonly stack: Stack;
  readonly accounts: readonly TestAccount[];
  readonly cpu: Record<string, number>[];
  readonly ordersPerSecond: number[];
  /** Of each role while nobody trades, microseconds a second. */
  idle: Record<string, number>;
  redis: RedisWork | undefined;
}

const fleets: Fleet[] = [];
try {
  for (const size of [1, 2]) {
    const stack = await startExchange({ apis: size, pods: size });
    const empty = { cpu: [], ordersPerSecond: [], idle: {}, redis: undefined };
    fleets.push({ name: size === 1 ? 'oneAndOne' : 'twoAndTwo', stack, ...empty, accounts: [] });
    Object.assign(fleets.at(-1) as Fleet, { accounts: await registerAccounts(stack, size * CONNECTIONS_OF_NODE) });
  }
  for (const fleet of fleets) await trade(fleet, WARM_UP_SECONDS);
  const idle = fleets.map(({ stack }) => new CpuMeter(pidsOf(stack)));
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
  for (const [at, fleet] of fleets.entries()) fleet.idle = byRole(idle[at]?.per(IDLE_SECONDS) ?? {});
  for (let n = 0; n < Number(BENCH_ROUNDS); n++) for (const fleet of fleets) await measure(fleet);
  const [one, two] = fleets.map((fleet) => costOf(fleet)) as [Cost, Cost];
  const times = round(two.allMicros / one.allMicros, 3);
  const timesBeyondIdle = round(two.microsBeyondIdle / one.microsBeyondIdle, 3);
  console.log(JSON.stringify({ fleet: { oneAndOne: one, twoAndTwo: two, times, timesBeyondIdle } }));
} finally {
  for (const { stack } of fleets) await stack.stop();
}

/** Connections are shared out among the API nodes. @returns orders, and orders a second */
async function trade({ stack, accounts }: Fleet, seconds: number): Promise<{ orders: number; perSecond: number }> {
  const urls = stack.baseUrls;
  const results = await Promise.all(
    urls.map((url, at) => {
      const own = accounts.filter((_account, n) => n % urls.length === at);
      return drive(
        url,
        own.map((account) => new IocOrders(url, account)),
        seconds,
        { perSecond: Number(BENCH_RATE) },
      );
    }),
  );
  return {
    orders: sumOf(results.map(({ requests }) => requests)),
    perSecond: sumOf(results.map(({ requestsPerSecond }) => requestsPerSecond)),
  };
}

async function measure(fleet: Fleet): Promise<void> {
  const cpu = new CpuMeter(pidsOf(fleet.stack));
  const redis = await RedisMeter.start(fleet.stack.redis);
  const { orders, perSecond } = await trade(fleet, Number(BENCH_SECONDS));
  fleet.cpu.push(byRole(cpu.per(orders)));
  fleet.redis = await redis.per(orders);
  fleet.ordersPerSecond.push(perSecond);
}

/** Processes of one role as one. */
function byRole(byProcess: Readonly<Record<string, number>>): Record<string, number> {
  const roles: Record<string, number> = {};
  for (const [name, micros] of Object.entries(byProcess)) {
    const role = name.replace(/-\d+$/, '');
    if (role !== 'generator') roles[role] = (roles[role] ?? 0) + micros;
  }
  return roles;
}

interface Cost {
  readonly ordersPerSecond: number;
  readonly allMicros: number;
  /** Less what the processes use when nobody trades. */
  readonly microsBeyondIdle: number;
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly idleMicrosPerSecond: Readonly<Record<string, number>>;
  readonly redis: RedisWork | undefined;
}

function costOf({ cpu, ordersPerSecond, idle, redis }: Fleet): Cost {
  const cpuMicros = mediansByName(cpu);
  const allMicros = sumOf(Object.values(cpuMicros));
  const perSecond = median(ordersPerSecond);
  const microsBeyondIdle = Math.round(allMicros - sumOf(Object.values(idle)) / perSecond);
  return { ordersPerSecond: perSecond, allMicros, microsBeyondIdle, cpuMicros, idleMicrosPerSecond: idle, redis };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0);
}
