// The cost of the request limiter: three API nodes before the same actors, in turns with the same orders. The first node has no
// limiter, the second counts in advance (a large limit, as under load tests), the third counts each request in Redis (a plan's
// limit). It also prints the CPU time of all processes per request, which other guests of the machine disturb less.
// `node --import tsx bench/rateLimit.ts`
import { fileURLToPath } from 'node:url';
import { CpuMeter } from './support/cpu.ts';
import { pidsOf, registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders } from './support/iocOrders.ts';
import { drive, quantile, round as shorten } from './support/load.ts';

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const { BENCH_ROUNDS = '10', BENCH_SECONDS = '2' } = process.env;
const ENTRY = fileURLToPath(new URL('./support/apiEntry.ts', import.meta.url));
/** All three API nodes run from src: a built API has no limiter that a bench could take out. */
const API_MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Below this nothing is granted in advance (src/api/access/limits/prefetchedQuota.ts), and no connection of this bench reaches it. */
const ONE_BY_ONE = '9999';

interface Round {
  readonly requestsPerSecond: number;
  /** Of the exchange's processes and stores together, per request. */
  readonly cpuMicros: number;
}

const stack = await startExchange({
  entries: { api: ['--import', 'tsx', '--import', ENTRY, API_MAIN], actors: [MAIN], market: [MAIN] },
});
try {
  await stack.add('api', { BENCH_LIMITER: 'off' });
  await stack.add('api', { PLAN_BASIC_REQUESTS_PER_MINUTE: ONE_BY_ONE });
  await stack.waitHealthy();
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const [inAdvance = '', off = '', oneByOne = ''] = stack.baseUrls;
  const pids = pidsOf(stack);
  pids.delete('generator');
  const round = async (url: string, seconds: number): Promise<Round> => {
    const conversations = accounts.map((account) => new IocOrders(url, account));
    const meter = new CpuMeter(pids);
    const { requests, requestsPerSecond } = await drive(url, conversations, seconds);
    const cpuMicros = Object.values(meter.per(requests)).reduce((sum, micros) => sum + micros, 0);
    return { requestsPerSecond, cpuMicros };
  };
  for (const url of [off, inAdvance, oneByOne]) await round(url, WARM_UP_SECONDS);
  const rounds: Record<'off' | 'inAdvance' | 'oneByOne', Round[]> = { off: [], inAdvance: [], oneByOne: [] };
  for (let n = 0; n < Number(BENCH_ROUNDS); n++) {
    rounds.off.push(await round(off, Number(BENCH_SECONDS)));
    rounds.inAdvance.push(await round(inAdvance, Number(BENCH_SECONDS)));
    rounds.oneByOne.push(await round(oneByOne, Number(BENCH_SECONDS)));
  }
  const middle = (each: readonly Round[], figure: keyof Round): number =>
    quantile(
      each.map((one) => one[figure]).sort((a, b) => a - b),
      0.5,
    );
  const figures = (each: readonly Round[]) => ({
    throughputByThatWithout: shorten(middle(each, 'requestsPerSecond') / middle(rounds.off, 'requestsPerSecond'), 3),
    cpuMicros: middle(each, 'cpuMicros'),
    cpuAboveThatWithout: shorten(middle(each, 'cpuMicros') / middle(rounds.off, 'cpuMicros') - 1, 3),
  });
  const rateLimit = { off: figures(rounds.off), inAdvance: figures(rounds.inAdvance), oneByOne: figures(rounds.oneByOne) };
  console.log(JSON.stringify({ rateLimit: { connections: CONNECTIONS, ...rateLimit } }));
} finally {
  await stack.stop();
}
