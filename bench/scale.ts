// The cost of an order as a deployment grows: 1, 2 and 4 actor pods on one Redis, and 1, 2 and 3 nodes of a Redis Cluster under two
// pods, in turns and at the same pace. CPU per order by role, and the work of each Redis node. A figure that stays constant grows
// with the number of processes; any other figure shows where growth ends. docs/deploy.md has the results.
// `node --import tsx bench/scale.ts`
import { type Cost, Fleet, type Layout, times } from './support/fleet.ts';

const { BENCH_ROUNDS = '3', BENCH_SECONDS = '4', BENCH_RATE = '400' } = process.env;

const LAYOUTS: Readonly<Record<string, Layout>> = {
  onePod: { apis: 1, pods: 1 },
  twoPods: { apis: 1, pods: 2 },
  fourPods: { apis: 1, pods: 4 },
  clusterOfOne: { apis: 1, pods: 2, masters: 1 },
  clusterOfTwo: { apis: 1, pods: 2, masters: 2 },
  clusterOfThree: { apis: 1, pods: 2, masters: 3 },
};

const fleets: Fleet[] = [];
try {
  for (const layout of Object.values(LAYOUTS)) fleets.push(await Fleet.start(layout));
  const pace = { rounds: Number(BENCH_ROUNDS), seconds: Number(BENCH_SECONDS), ordersPerSecond: Number(BENCH_RATE) };
  const costs = await Fleet.compare(fleets, pace);
  const [first] = costs as [Cost];
  const shown = Object.keys(LAYOUTS).map((name, at) => {
    const cost = costs[at] as Cost;
    return [name, { ...cost, redis: cost.redis.map(nodeOf), timesOnePod: times(cost, first) }];
  });
  console.log(JSON.stringify({ scale: Object.fromEntries(shown) }));
} finally {
  for (const fleet of fleets) await fleet.stop();
}

/** Of one node for one order: calls from clients and within scripts, CPU, and bytes. */
function nodeOf({ commands, cpuMicros, bytesIn, bytesOut }: Cost['redis'][number]): Record<string, number> {
  const calls = Object.values(commands).reduce((sum, one) => sum + one.calls, 0);
  return { calls: Math.round(calls * 100) / 100, cpuMicros, bytesIn, bytesOut };
}
