// The long history of one user, read in every way that reads all of it, beside a neighbour that trades on the same API node and the same
// owner: exports (several asked for at once), comparisons of a what-if with its source, the tearsheet, analytics and the equity
// curve. Prints the latency of the neighbour's orders with and without the reader, the growth of the API node and of Redis, and the
// longest pauses of both event loops.
// `node --import tsx bench/longHistory.ts [--entries 100000] [--compared 5000] [--seconds 4]`
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { TestAccount } from '../test/support/stack.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders, iocAction } from './support/iocOrders.ts';
import { drive, quantile, round } from './support/load.ts';
import { OpenLoop } from './support/openLoop.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    compared: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '4' },
  },
});
const [ENTRIES, COMPARED, SECONDS] = [Number(values.entries), Number(values.compared), Number(values.seconds)];
/** The pace of the neighbour: a pause of some milliseconds meets one of its orders. */
const ORDERS_PER_SECOND = 100;
const CONNECTIONS = 32;
/** Requests of the user at once: more than it may have, so that what is refused costs, too. */
const AT_ONCE = 4;
const MB = 1e6;

const dir = mkdtempSync(join(tmpdir(), 'paper-bench-'));
const file = join(dir, 'loops');
const watch = fileURLToPath(new URL('./support/loopWatch.mjs', import.meta.url));
const stack = await startExchange({ nodeFlags: ['--import', watch], env: { SHARDS: '1', LOG_LEVEL: 'warn', LOOP_WATCH: file } });
try {
  const [long, neighbour] = (await registerAccounts(stack, 2)) as [TestAccount, TestAccount];
  const account = '/v1/exchanges/perpx/account';
  const get = async (path: string) => {
    const answer = await fetch(`${stack.baseUrl}${account}/${path}`, { headers: { 'x-api-key': long.apiKey } });
    return { status: answer.status, ...(await lengthOf(answer)) };
  };
  const trade = async (entries: number): Promise<void> => {
    let made = 0;
    const isOver = () => made >= entries;
    const orders = () => new IocOrders(stack.baseUrl, long);
    while (!isOver()) made += (await drive(stack.baseUrl, Array.from({ length: CONNECTIONS }, orders), 1)).requests;
  };
  const beganMs = performance.now();
  await trade(ENTRIES - COMPARED);
  const body = { name: 'what if', seq: await seqOf(long), what_if: { fees: { maker: '0', taker: '0' } } };
  const { address } = (await stack.call('POST', `${account}/fork`, { key: long.apiKey, body })).body;
  await tradeSlowly(long, COMPARED);
  const made = { entries: await seqOf(long), tookS: round((performance.now() - beganMs) / 1000, 0) };
  await stack.call('GET', `${account}/compare?with=${address}`, { key: long.apiKey });
  const reads: Record<string, readonly string[]> = {
    nothing: [],
    journal: ['export?kind=journal'],
    journalCsv: ['export?kind=journal&format=csv'],
    fills: ['export?kind=fills'],
    equityRows: ['export?kind=equity&format=csv'],
    compare: [`compare?with=${address}`],
    tearsheet: ['tearsheet?period=all', 'tearsheet/figures?period=30d', 'tearsheet?period=7d'],
    analytics: ['analytics?period=all', 'analytics?period=30d', 'equity-curve?period=all&interval=1m'],
  };
  // The first request of a kind has costs of its own (caches, code that is compiled). The figures leave it out.
  for (const path of Object.values(reads).flat()) await get(path);
  const rows: Record<string, unknown> = {};
  for (const [name, paths] of Object.entries(reads)) {
    const row = await beside(neighbour, async (isOver) => {
      const done = { answers: {} as Record<string, number>, longestMs: 0, mb: 0 };
      const one = async (n: number): Promise<void> => {
        for (let i = n; !isOver(); i++) {
          const startMs = performance.now();
          const { status, bytes } = await get(paths[i % paths.length] as string);
          done.answers[status] = (done.answers[status] ?? 0) + 1;
          done.mb = Math.max(done.mb, round(bytes / MB, 2));
          if (status === 200) done.longestMs = Math.max(done.longestMs, round(performance.now() - startMs, 0));
          else await pause(100);
        }
      };
      if (paths.length > 0) await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => one(n)));
      return done;
    });
    rows[name] = row;
    console.error(name, JSON.stringify(row));
  }
  console.log(JSON.stringify({ longHistory: { made, seconds: SECONDS, rows } }));
} finally {
  await stack.stop();
  rmSync(dir, { recursive: true });
}

/** The neighbour's orders, and what the processes were held and grew by, while something goes on, which is begun again as long as they last. */
async function beside<T>({ apiKey }: TestAccount, meanwhile: (isOver: () => boolean) => Promise<T>) {
  const [api, actors] = [stack.process('api-0').pid as number, stack.process('actors-0').pid as number];
  const redis = stack.redisStore.pid;
  await loops([api, actors]);
  const before = { api: memoryOf(api), redis: memoryOf(redis) };
  let [isOver, sent, most] = [false, 0, before.api];
  const sampled = setInterval(() => {
    most = Math.max(most, memoryOf(api));
  }, 50);
  const other = meanwhile(() => isOver);
  const actions = [true, false].map((buy) => JSON.stringify({ action: iocAction(buy), nonce: Date.now() }));
  const load = new OpenLoop({
    ...{ url: `${stack.baseUrl}/v1/exchanges/perpx/exchange`, senders: 1, perSecond: ORDERS_PER_SECOND },
    next: () => ({ key: apiKey, body: actions[sent++ % 2] as string }),
  });
  await pause(SECONDS * 1000);
  await load.stop();
  isOver = true;
  const held = await loops([api, actors]);
  const done = await other;
  clearInterval(sampled);
  const bad = load.asked.find(({ status, body }) => status !== 200 || !body.includes('"filled"'));
  if (bad !== undefined) throw new Error(`not filled: ${bad.status} ${bad.body}`);
  const ms = Float64Array.from(load.asked.map(({ tookMs }) => tookMs)).sort();
  return {
    ...{
      orders: ms.length,
      p50Ms: round(quantile(ms, 0.5), 2),
      p99Ms: round(quantile(ms, 0.99), 2),
      longestMs: round(ms.at(-1) ?? 0, 1),
    },
    ...{ apiHeld: held.get(api), ownerHeld: held.get(actors) },
    ...{ apiGrewMb: round((most - before.api) / MB, 1), redisGrewMb: round((memoryOf(redis) - before.redis) / MB, 1) },
    reads: done,
  };
}

/** Longest pauses of each process since it was asked last, ms: by the clock, and of the processors' time. */
async function loops(pids: readonly number[]): Promise<Map<number, string>> {
  const known = linesOf(file).length;
  for (const pid of pids) process.kill(pid, 'SIGUSR2');
  for (;;) {
    const lines = linesOf(file).slice(known);
    const told = lines.map(
      (line) => JSON.parse(line) as { pid: number; gcMs: number; pauses: { heldMs: number; cpuMs: number }[] },
    );
    if (told.length === pids.length)
      return new Map(
        told.map(({ pid, pauses, gcMs }) => [
          pid,
          `${pauses.map((one) => `${one.heldMs.toFixed(0)}/${one.cpuMs.toFixed(0)}`).join(' ')} gc ${gcMs.toFixed(0)}`,
        ]),
      );
    await pause(20);
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function seqOf({ apiKey }: TestAccount): Promise<number> {
  const answer = await fetch(`${stack.baseUrl}/v1/exchanges/perpx/account/overview`, { headers: { 'x-api-key': apiKey } });
  await answer.arrayBuffer();
  return Number(answer.headers.get('x-account-seq'));
}

/** One order after the other, so that a what-if has had each. */
async function tradeSlowly({ apiKey }: TestAccount, entries: number): Promise<void> {
  for (let n = 0; n < entries; n += 8)
    await Promise.all(Array.from({ length: 8 }, (_, i) => stack.exchange(apiKey, iocAction(i % 2 === 0))));
}

/** Reads it and forgets it. */
async function lengthOf(answer: Response): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += (piece as Uint8Array).length;
  return { bytes };
}

/** Resident bytes of a process. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}
