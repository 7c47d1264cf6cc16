// Compares the cost of an order in two deployments: two actor pods and two API nodes beside one of each, in turns. Each API node
// takes filled IOC orders of 64 accounts of its own, as many a second here as there. CPU per order by role, with and without what
// the same processes use when nobody trades, and what Redis does for one order.
// `node --import tsx bench/fleet.ts`, orders a second of a node by BENCH_RATE
import { type Cost, Fleet, times } from './support/fleet.ts';

const { BENCH_ROUNDS = '5', BENCH_SECONDS = '4', BENCH_RATE = '400' } = process.env;

const fleets: Fleet[] = [];
try {
  for (const size of [1, 2]) fleets.push(await Fleet.start({ apis: size, pods: size }));
  const pace = { rounds: Number(BENCH_ROUNDS), seconds: Number(BENCH_SECONDS), ordersPerSecond: Number(BENCH_RATE) };
  const [one, two] = (await Fleet.compare(fleets, pace)) as [Cost, Cost];
  console.log(JSON.stringify({ fleet: { oneAndOne: one, twoAndTwo: two, times: times(two, one) } }));
} finally {
  for (const fleet of fleets) await fleet.stop();
}
