// What the request limiter costs: three API nodes before the same actors, one without a limiter, one that counts in advance
// (a large limit, as under load tests), one that counts each request in Redis (a limit of a plan's kind), in turns with the
// same orders. `node --import tsx bench/rateLimit.ts`
import { fileURLToPath } from 'node:url';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders } from './support/iocOrders.ts';
import { drive, quantile, round } from './support/load.ts';

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const { BENCH_ROUNDS = '5', BENCH_SECONDS = '4' } = process.env;
const ENTRY = fileURLToPath(new URL('./support/apiEntry.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Below this nothing is granted in advance (src/api/grantsInHand.ts), and no connection of this bench reaches it. */
const ONE_BY_ONE = '19999';

const stack = await startExchange({ entries: { api: ['--import', 'tsx', ENTRY], actors: [MAIN], market: [MAIN] } });
try {
  await stack.add('api', { BENCH_LIMITER: 'off' });
  await stack.add('api', { PLAN_BASIC_REQUESTS_PER_MINUTE: ONE_BY_ONE });
  await stack.waitHealthy();
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const [inAdvance = '', off = '', oneByOne = ''] = stack.baseUrls;
  const perSecond = async (url: string, seconds: number): Promise<number> => {
    const conversations = accounts.map((account) => new IocOrders(url, account));
    return (await drive(url, conversations, seconds)).requestsPerSecond;
  };
  for (const url of [off, inAdvance, oneByOne]) await perSecond(url, WARM_UP_SECONDS);
  const ratios: { inAdvance: number[]; oneByOne: number[] } = { inAdvance: [], oneByOne: [] };
  for (let n = 0; n < Number(BENCH_ROUNDS); n++) {
    const without = await perSecond(off, Number(BENCH_SECONDS));
    ratios.inAdvance.push(round((await perSecond(inAdvance, Number(BENCH_SECONDS))) / without, 3));
    ratios.oneByOne.push(round((await perSecond(oneByOne, Number(BENCH_SECONDS))) / without, 3));
  }
  const figures = (each: number[]) => ({
    ratio: quantile(
      [...each].sort((a, b) => a - b),
      0.5,
    ),
    ratios: each,
  });
  const rateLimit = { inAdvance: figures(ratios.inAdvance), oneByOne: figures(ratios.oneByOne) };
  console.log(JSON.stringify({ rateLimit: { connections: CONNECTIONS, throughputByThatWithout: rateLimit } }));
} finally {
  await stack.stop();
}
