// CPU time that all processes of the exchange take for an IOC order that fills, at a steady rate of orders: eight accounts on as many
// connections. Prints one line of JSON. `node --import tsx bench/orderCpu.ts`; BENCH_MAIN names the build, BENCH_SECONDS how long.
import { CpuMeter } from './support/cpu.ts';
import { pidsOf, registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders } from './support/iocOrders.ts';
import { drive } from './support/load.ts';

const CONNECTIONS = 8;
/** Far below what two cores can do: a machine under full load batches more orders, and each costs less. */
const ORDERS_PER_SECOND = 200;
/** As fast as they are answered: before V8 has compiled what is hot, a build costs what its compilers happen to do. */
const WARM_UP_SECONDS = 5;
/** At the rate that is measured: the history of the orders before is written by then. */
const SETTLE_SECONDS = 4;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '10');

const stack = await startExchange();
try {
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const load = (seconds: number, perSecond?: number) =>
    drive(
      stack.baseUrl,
      accounts.map((account) => new IocOrders(stack.baseUrl, account)),
      seconds,
      perSecond === undefined ? {} : { perSecond },
    );
  await load(WARM_UP_SECONDS);
  await load(SETTLE_SECONDS, ORDERS_PER_SECOND);
  const pids = new Map([...pidsOf(stack)].filter(([name]) => name !== 'generator'));
  const meter = new CpuMeter(pids);
  const { requests } = await load(SECONDS, ORDERS_PER_SECOND);
  const cpuMicrosPerOrder = meter.per(requests);
  const all = Object.values(cpuMicrosPerOrder).reduce((sum, micros) => sum + micros, 0);
  console.log(JSON.stringify({ orders: requests, cpuMicrosPerOrder: { ...cpuMicrosPerOrder, all } }));
} finally {
  await stack.stop();
}
