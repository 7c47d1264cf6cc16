// The cost of an action of 1 to 1,000 elements for the API node, part by part: microseconds of CPU per element, and in one piece
// for 1,000. Then what 5,000 open orders cost in an answer, and a scrape of the metrics. Each part runs without a break, so a piece
// is what another request may have to wait for. Prints lines of JSON.
// `node --import tsx bench/batchApi.ts [--case name] [--n 1,10,100,1000]`
import { parseArgs } from 'node:util';
import { Registry } from 'prom-client';
import { readEntries, writeEntry } from '../src/actors/core/messages/entry.ts';
import { readReplies, writeEnvelope, writeReply } from '../src/actors/core/messages/envelope.ts';
import type { OrderView } from '../src/actors/core/messages/order.ts';
import type { Outcome } from '../src/actors/core/messages/queryAnswer.ts';
import { toFrontendOrders, toPlainOrder } from '../src/api/domain/wireOrders.ts';
import { priceOfAction, runAction } from '../src/api/exchange/runAction.ts';
import { ApiMetrics } from '../src/api/http/metrics.ts';
import { readJson } from '../src/api/http/readJson.ts';
import { toUpdate } from '../src/api/stream/account/accountFeeds.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { ExchangeInMemory } from '../test/support/exchangeInMemory.ts';
import { type BatchCase, batchCases } from './support/batchCases.ts';
import { BenchAccount } from './support/benchAccount.ts';
import { EventChannels } from './support/eventChannels.ts';
import { toAction } from './support/wireActions.ts';

/** CPU that is measured for a figure at least, and rounds that come before, microseconds. */
const MEASURED_MICROS = 200_000;
const WARM_UP_MICROS = 200_000;
const ROUNDS_MAX = 1000;
const CASES = ['rest', 'restWithCloids', 'fill', 'triggers', 'cancel', 'cancelByCloid', 'modify'];
const OPEN_ORDERS = 5000;
const ROUTES = 300;

const { values } = parseArgs({ options: { case: { type: 'string' }, n: { type: 'string' } } });
const sizes = (values.n ?? '1,10,100,1000').split(',').map(Number);
const { call, services } = new ExchangeInMemory();
const id = { incarnation: 'bench', counter: 1 };

/** Microseconds of this process's CPU by part. */
class Meter {
  readonly micros = new Map<string, number>();

  measure<Result>(part: string, work: () => Result): Result {
    const started = process.cpuUsage();
    const result = work();
    this.#add(part, started);
    return result;
  }

  async measureAll<Result>(part: string, work: () => Promise<Result>): Promise<Result> {
    const started = process.cpuUsage();
    const result = await work();
    this.#add(part, started);
    return result;
  }

  get total(): number {
    return [...this.micros.values()].reduce((sum, micros) => sum + micros, 0);
  }

  #add(part: string, started: NodeJS.CpuUsage): void {
    const { user, system } = process.cpuUsage(started);
    this.micros.set(part, (this.micros.get(part) ?? 0) + user + system);
  }
}

type Round = (meter: Meter) => Promise<void>;

/** @returns microseconds of a round, by part */
async function microsOf(round: Round): Promise<Map<string, number>> {
  await rounds(round, WARM_UP_MICROS);
  const { meter, count } = await rounds(round, MEASURED_MICROS);
  return new Map([...meter.micros].map(([part, micros]) => [part, micros / count]));
}

async function rounds(round: Round, micros: number): Promise<{ meter: Meter; count: number }> {
  const meter = new Meter();
  let count = 0;
  for (; count < ROUNDS_MAX && meter.total < micros; count++) await round(meter);
  return { meter, count };
}

/** The action from its body to its answer, and its entry to one subscriber of each channel. */
async function batchRound(one: BatchCase, n: number): Promise<Round> {
  const bench = one.account(n);
  const command = one.command(n, bench);
  const body = Buffer.from(JSON.stringify({ action: toAction(command), nonce: 1_795_000_000_000 }));
  const decision = bench.decide(command);
  const entry = `[${writeEntry(bench.record(decision), NEWEST_FORMAT)}]`;
  const reply = `[${writeReply(id, { outcome: decision.outcome }, NEWEST_FORMAT)}]`;
  const channels = await EventChannels.open(services, call);
  return async (meter) => {
    const json = meter.measure('readBody', () => readJson(body));
    meter.measure('price', () => priceOfAction(json, body.length));
    let decide: (outcome: Outcome) => void = () => undefined;
    const gateway = {
      send: (_accountId: string, sent: typeof command) => {
        meter.measure('writeEnvelope', () => writeEnvelope({ id, requestId: 'bench', command: sent }, NEWEST_FORMAT));
        return new Promise<Outcome>((resolve) => {
          decide = resolve;
        });
      },
    };
    // The envelope is written within it.
    const answering = meter.measure('translate', () => runAction(json, call, { ...services, gateway: gateway as never }));
    const [[, , said] = []] = meter.measure('readReply', () => readReplies(reply));
    if (said === undefined || !('outcome' in said)) throw new Error('no outcome');
    decide(said.outcome);
    await meter.measureAll('answer', async () => JSON.stringify(await answering));
    const [read] = meter.measure('readEntry', () => readEntries(entry));
    if (read === undefined) throw new Error('no entry');
    const update = meter.measure('rows', () => toUpdate(read));
    for (const { type, tell } of channels.all) meter.measure(type, () => tell(update));
  };
}

/** The answer to a question for 5,000 orders, half of them triggers that wait for the other half. */
function openOrdersRound(): Round {
  const bench = BenchAccount.open(1);
  const limitPrice = (n: number): string => `${80 + (n % 10)}.${n % 9}`;
  const placed = Array.from({ length: 1000 }, (_, i) => ({
    ...{ asset: 0, side: 'buy' as const, limitPrice: limitPrice(i), size: '0.2', reduceOnly: false },
    type: { kind: 'limit' as const, timeInForce: 'gtc' as const },
  }));
  bench.run({ type: 'placeOrders', orders: placed, grouping: 'na' }, 'resting');
  const asked = bench.decide({ type: 'query', query: { kind: 'openOrders' } }).outcome;
  if (asked.type !== 'answer' || asked.answer.kind !== 'openOrders') throw new Error('no orders');
  const views = asked.answer.orders;
  const orders = Array.from({ length: OPEN_ORDERS }, (_, i): OrderView => {
    const view = views[i % views.length];
    if (view === undefined) throw new Error('no orders');
    if (i % 2 === 0) return { ...view, oid: i };
    const trigger = { price: '70', isMarket: true, tpsl: 'sl', grouping: 'normalTpsl', parentOid: i - 1 } as const;
    return { ...view, oid: i, trigger };
  });
  const outcome = { ...asked, answer: { ...asked.answer, orders } };
  const reply = `[${writeReply(id, { outcome }, NEWEST_FORMAT)}]`;
  return async (meter) => {
    meter.measure('readReply', () => readReplies(reply));
    const plain = meter.measure('toPlainOrders', () => orders.map(toPlainOrder));
    meter.measure('writePlain', () => JSON.stringify(plain));
    const frontend = meter.measure('toFrontendOrders', () => toFrontendOrders(orders));
    meter.measure('writeFrontend', () => JSON.stringify(frontend));
  };
}

/** The cost of a scrape after 300 routes with a status each. */
function metricsRound(): Round {
  const registry = new Registry();
  const metrics = new ApiMetrics(registry);
  for (let n = 0; n < ROUTES; n++) metrics.observe({ method: 'POST', route: `/v1/route/${n}`, status: 200 }, 0.001);
  return async (meter) => {
    await meter.measureAll('metrics', () => registry.metrics());
  };
}

const toFigure = (micros: number): number => Math.round(micros * 10) / 10;
const figures = (micros: ReadonlyMap<string, number>, each = 1): Record<string, number> => ({
  ...Object.fromEntries([...micros].map(([part, sum]) => [part, toFigure(sum / each)])),
  all: toFigure([...micros.values()].reduce((sum, one) => sum + one, 0) / each),
});

for (const one of batchCases.filter(({ name }) => (values.case === undefined ? CASES.includes(name) : values.case === name))) {
  const byN: Record<string, object> = {};
  let largest = 0;
  for (const n of sizes) {
    const micros = await microsOf(await batchRound(one, n));
    byN[n] = figures(micros, n);
    largest = Math.max(...micros.values());
  }
  console.log(JSON.stringify({ case: one.name, microsPerElement: byN, largestPieceMicros: toFigure(largest) }));
}
if (values.case === undefined || values.case === 'openOrders') {
  console.log(
    JSON.stringify({ case: 'openOrders', orders: OPEN_ORDERS, pieceMicros: figures(await microsOf(openOrdersRound())) }),
  );
}
if (values.case === undefined || values.case === 'metrics') {
  console.log(JSON.stringify({ case: 'metrics', routes: ROUTES, pieceMicros: figures(await microsOf(metricsRound())) }));
}
