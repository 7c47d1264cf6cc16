// The cost of tracing for an order: three API nodes beside the same actors and stores, driven in turns with filled IOC orders from
// 64 connections. The first node records nothing, the second a share of its requests (`--share 0.01`), the third all requests. The
// cost of all requests times the share is the cost of the share, and says it more exactly than a difference that is lost in the
// noise. Only what comes through the two is traced at the actors. Printed are medians of requests a second and of CPU of each
// process per order, and each round's ratios.
// `node --import tsx bench/tracing.ts`; BENCH_ROUNDS and BENCH_SECONDS say how many rounds there are, and how long each is.
import { parseArgs } from 'node:util';
import { OtlpReceiver } from '../test/support/otlpReceiver.ts';
import { CpuMeter } from './support/cpu.ts';
import { pidsOf, registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders } from './support/iocOrders.ts';
import { drive, round } from './support/load.ts';
import { median, mediansByName } from './support/sideBySide.ts';

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const { BENCH_ROUNDS = '5', BENCH_SECONDS = '4' } = process.env;
const { values } = parseArgs({ options: { share: { type: 'string', default: '0.01' } } });
const SHARE = Number(values.share);
/** In the order of the API processes. */
const NODES = ['none', 'share', 'all'] as const;

const collector = await OtlpReceiver.start();
const stack = await startExchange({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' } });
try {
  await stack.add('api', { OTEL_TRACES_SAMPLER_ARG: values.share });
  await stack.add('api', { OTEL_TRACES_SAMPLER_ARG: '1' });
  await stack.waitHealthy();
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const trade = async (node: number, seconds: number) => {
    const [url = '', spansBefore] = [stack.baseUrls[node], collector.spans.length];
    const meter = new CpuMeter(pidsOf(stack));
    const conversations = accounts.map((account) => new IocOrders(url, account));
    const { requests, requestsPerSecond } = await drive(url, conversations, seconds);
    const cpu = meter.per(requests);
    const [api = 0, actors = 0] = [cpu[node === 0 ? 'api' : `api-${node}`], cpu['actors']];
    const spans = round((collector.spans.length - spansBefore) / requests, 2);
    return { requestsPerSecond, spans, cpu: { api, actors, both: api + actors } };
  };
  for (const node of NODES.keys()) await trade(node, WARM_UP_SECONDS);
  const rounds: Awaited<ReturnType<typeof trade>>[][] = NODES.map(() => []);
  for (let n = 0; n < Number(BENCH_ROUNDS); n++) {
    // The nodes take turns in coming first, too.
    for (const at of NODES.keys()) {
      const node = (at + n) % NODES.length;
      rounds[node]?.push(await trade(node, Number(BENCH_SECONDS)));
    }
  }
  const of = (node: number) => {
    const some = rounds[node] ?? [];
    return {
      requestsPerSecond: median(some.map((one) => one.requestsPerSecond)),
      cpuMicrosPerOrder: mediansByName(some.map((one) => one.cpu)),
      spansPerOrder: median(some.map((one) => one.spans)),
    };
  };
  const [none, share, all] = [of(0), of(1), of(2)];
  const allCost = (all.cpuMicrosPerOrder['both'] ?? 0) - (none.cpuMicrosPerOrder['both'] ?? 0);
  const ratios = (rounds[1] ?? []).map((one, n) => round(one.requestsPerSecond / (rounds[0]?.[n]?.requestsPerSecond ?? 0), 3));
  const shareCost = round((allCost * SHARE) / (none.cpuMicrosPerOrder['both'] ?? 0), 4);
  console.log(
    JSON.stringify({ tracing: { none, share, all, cpuCostOfShare: shareCost, throughputRatio: median(ratios), ratios } }),
  );
} finally {
  await stack.stop();
  await collector.stop();
}
