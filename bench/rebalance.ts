// The delay that clients feel while actor pods come and go. Clients send orders on accounts of all shards at a steady rate and do
// not wait for answers, while one pod becomes four and four become one, by start and SIGTERM. Answers by phase and status, how long
// each shard's hand-over took, and whether each order that was acknowledged is there once.
// `node --import tsx bench/rebalance.ts [--accounts 2000] [--rate 200] [--seconds 8] [--shards 16]`
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { OrderRequest } from '../src/actors/core/messages/order.ts';
import { shardOf } from '../src/shared/domain/shards.ts';
import { podKeys, shardKeys } from '../src/shared/redis/keys.ts';
import { orderAction } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { until } from '../test/support/until.ts';
import { accountIds, openAccounts, startGateway } from './support/accounts.ts';
import { BENCH_COINS, startExchange } from './support/exchange.ts';
import { quantile, round } from './support/load.ts';
import { type Asked, OpenLoop } from './support/openLoop.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: process.env['BENCH_SECONDS'] ?? '8' },
    shards: { type: 'string', default: '16' },
  },
});
const [ACCOUNTS, RATE, SECONDS, SHARDS] = [values.accounts, values.rate, values.seconds, values.shards].map(Number) as [
  number,
  number,
  number,
  number,
];
const PODS = 4;
const TRADERS_A_SHARD = 2;
const [BTC, ETH] = BENCH_COINS;
const all = Array.from({ length: SHARDS }, (_, shard) => shard);

const stack = await startExchange({ env: { SHARDS: values.shards, COMMAND_DEADLINE_MS: '5000' } });
try {
  await openIdle();
  const traders = await registerTraders();
  const sent = traders.map(() => 0);
  const load = new OpenLoop({
    url: `${stack.baseUrl}/v1/exchanges/perpx/exchange`,
    senders: traders.length,
    perSecond: RATE,
    next: (sender) => {
      const buy = (sent[sender] as number)++ % 2 === 0;
      const action = orderAction(BTC.asset, { buy, px: buy ? BTC.ask : BTC.bid, sz: BTC.size, tif: 'Ioc' });
      return { key: traders[sender]?.apiKey as string, body: JSON.stringify({ action, nonce: Date.now() }) };
    },
  });
  const phases: { name: string; fromMs: number; toMs: number }[] = [];
  const phase = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const fromMs = performance.now();
    await work();
    phases.push({ name, fromMs, toMs: performance.now() });
  };
  const still = () => new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  await still(); // warm
  await phase('1 pod', still);
  let added: string[] = [];
  // The start of three processes on the same machine has a cost, too, and that cost is no hand-over.
  await phase('3 start', async () => {
    added = await Promise.all(Array.from({ length: PODS - 1 }, () => stack.add('actors')));
    await until(async () => (await stack.redis.hlen(podKeys.pods)) === PODS);
  });
  await phase('1 to 4', async () => {
    await until(async () => (await owners()).size === PODS);
    await isSettled();
  });
  await phase('4 pods', still);
  await phase('4 to 1', async () => {
    for (const name of added) await stack.kill(name, 'SIGTERM');
    await isSettled();
  });
  await phase('1 pod again', still);
  await load.stop();
  const shardsOf = traders.map(({ address }) => shardOf(address, SHARDS));
  const result = {
    ...{ accounts: ACCOUNTS, traders: traders.length, ordersPerSecond: RATE, shards: SHARDS },
    phases: phases.map(({ name, fromMs, toMs }) => ({
      ...{ phase: name, seconds: round((toMs - fromMs) / 1000, 1) },
      ...told(load.asked.filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs)),
    })),
    // The longest that an order of a shard waited while its pods came and went.
    slowestOfShard: spread(
      all.map((shard) =>
        Math.max(
          0,
          ...moving(load.asked, phases)
            .filter(({ sender }) => shardsOf[sender] === shard)
            .map(({ tookMs }) => tookMs),
        ),
      ),
    ),
    handOvers: handOvers(),
    fills: await checkFills(traders, load.asked),
  };
  console.log(JSON.stringify({ rebalance: result }));
} finally {
  await stack.stop();
}

/** Accounts with a position and a resting order, which each new owner has to load. */
async function openIdle(): Promise<void> {
  const gateway = await startGateway(stack, { SHARDS: values.shards, COMMAND_DEADLINE_MS: '20000' });
  const order = (limitPrice: string, timeInForce: 'ioc' | 'gtc'): OrderRequest => ({
    ...{ asset: ETH.asset, side: 'buy', limitPrice, size: ETH.size, reduceOnly: false },
    type: { kind: 'limit', timeInForce },
  });
  await openAccounts(gateway, accountIds(ACCOUNTS), () => [order(ETH.ask, 'ioc'), order('1500', 'gtc')]);
  await gateway.stop();
}

/** As many on each shard. */
async function registerTraders(): Promise<TestAccount[]> {
  const ofShard = new Map(all.map((shard) => [shard, [] as TestAccount[]]));
  while ([...ofShard.values()].some((some) => some.length < TRADERS_A_SHARD)) {
    const account = await stack.register();
    const some = ofShard.get(shardOf(account.address, SHARDS));
    if (some !== undefined && some.length < TRADERS_A_SHARD) some.push(account);
  }
  return [...ofShard.values()].flat();
}

async function owners(): Promise<Set<string>> {
  const tokens = await Promise.all(all.map((shard) => stack.redis.get(shardKeys.lease(shard))));
  return new Set(tokens.map((token) => token?.split(':')[1] ?? ''));
}

/** Each shard has an owner, and no lease has changed hands for two of its lives. */
async function isSettled(): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < 2; ) {
    const now = (await Promise.all(all.map((shard) => stack.redis.get(shardKeys.lease(shard))))).join();
    quiet = now === before && (await owners()).has('') === false ? quiet + 1 : 0;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

function told(asked: readonly Asked[]): object {
  const statuses: Record<string, number> = {};
  for (const { status, body } of asked) {
    const name = status === 200 ? '200' : `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? body.slice(0, 80)}`;
    statuses[name] = (statuses[name] ?? 0) + 1;
  }
  return { orders: asked.length, statuses, ...spread(asked.map(({ tookMs }) => tookMs)) };
}

/** Orders that were due while pods came or went. */
function moving(asked: readonly Asked[], phases: readonly { name: string; fromMs: number; toMs: number }[]): readonly Asked[] {
  const moves = phases.filter(({ name }) => name.includes('to'));
  return asked.filter(({ dueMs }) => moves.some(({ fromMs, toMs }) => dueMs >= fromMs && dueMs < toMs));
}

function spread(ms: readonly number[]): { p50Ms: number; p99Ms: number; maxMs: number } {
  const sorted = Float64Array.from(ms.length === 0 ? [0] : ms).sort();
  return {
    p50Ms: round(quantile(sorted, 0.5), 1),
    p99Ms: round(quantile(sorted, 0.99), 1),
    maxMs: round(quantile(sorted, 1), 1),
  };
}

/** From the release of each shard to commands being answered again, and to all accounts being in memory, by the logs of the pods. */
function handOvers(): object {
  const lines = [...stack.processes.values()]
    .filter(({ name }) => name.startsWith('actors'))
    .flatMap(({ logFile }) => readFileSync(logFile, 'utf8').split('\n'))
    .filter((line) => /"shard (released|taken|recovered|loaded)"/.test(line))
    .map((line) => JSON.parse(line) as { time: string; msg: string; shard: number; tookMs?: number })
    .map((line) => ({ ...line, atMs: Date.parse(line.time) || Number(line.time) }))
    .sort((a, b) => a.atMs - b.atMs);
  const gaps = { taken: [] as number[], recovered: [] as number[], loaded: [] as number[] };
  const releases = lines.filter(({ msg }) => msg === 'shard released');
  for (const { msg, shard, atMs } of lines) {
    // The old owner logs the release a moment after the next owner may have taken the shard.
    const since = releases.findLast((one) => one.shard === shard && one.atMs <= atMs + 100)?.atMs;
    if (since === undefined) continue;
    if (msg === 'shard taken') gaps.taken.push(atMs - since);
    if (msg === 'shard recovered') gaps.recovered.push(atMs - since);
    if (msg === 'shard loaded') gaps.loaded.push(atMs - since);
  }
  return { count: gaps.recovered.length, ...Object.fromEntries(Object.entries(gaps).map(([what, ms]) => [what, spread(ms)])) };
}

/** Each order with an answer of filled is a fill, and no other fill is there but fills of orders without an answer. */
async function checkFills(traders: readonly TestAccount[], asked: readonly Asked[]): Promise<object> {
  let [acknowledged, untold, stored] = [0, 0, 0];
  for (const [sender, { apiKey, address }] of traders.entries()) {
    const own = asked.filter((one) => one.sender === sender);
    const filled = own.flatMap(({ status, body }) => (status === 200 ? [Number(/"oid":(\d+)/.exec(body)?.[1])] : []));
    const open = own.filter(({ status }) => status === 0 || status === 504).length;
    const oids: number[] = [];
    for (let startTime = 0; ; ) {
      const page: { oid: number; time: number; tid: number }[] = await stack.ask(apiKey, {
        ...{ type: 'userFillsByTime', user: address, startTime },
      });
      const before = oids.length;
      for (const { oid } of page) if (!oids.includes(oid)) oids.push(oid);
      startTime = page.at(-1)?.time ?? 0;
      if (oids.length === before) break;
    }
    const there = new Set(oids);
    const lost = filled.filter((oid) => !there.has(oid));
    if (lost.length > 0 || new Set(filled).size !== filled.length || there.size > filled.length + open) {
      throw new Error(`${address}: ${filled.length} acknowledged, ${there.size} stored, ${open} not told, lost: ${lost.join()}`);
    }
    acknowledged += filled.length;
    untold += open;
    stored += there.size;
  }
  return { acknowledged, untold, stored };
}
