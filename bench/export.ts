// Exports of one account, one after the other as fast as they come, beside a bare Koa stream of the same bytes in turns, and beside a quiet
// account that asks for its state every 100 ms. Prints MB a second of time and of the node's CPU, the growth of the node's memory,
// and the latencies of the quiet client. `node --import tsx bench/export.ts [--seconds 5]`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { wireOrder } from '../test/support/orderWire.ts';
import { askQuietly } from './support/askQuietly.ts';
import { cpuMicros } from './support/cpu.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { round } from './support/load.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
const SECONDS = Number(values.seconds);
const ROUNDS = 2;
/** The account's past: orders that rest nowhere, and fills. */
const [BATCHES, ORDERS] = [100, 40];
const MB = 1e6;

const stack = await startExchange();
const dir = mkdtempSync(join(tmpdir(), 'paper-bench-'));
try {
  const [busy, quiet] = await registerAccounts(stack, 2);
  if (busy === undefined || quiet === undefined) throw new Error('no accounts');
  const orders = Array.from({ length: ORDERS }, (_, i) =>
    wireOrder(0, { px: i % 4 === 0 ? '70000' : '50000', sz: '0.001', tif: 'Ioc', buy: true }),
  );
  const sells = orders.map((order) => ({ ...order, b: false, p: order.p === '70000' ? '60000' : '70000' }));
  for (let i = 0; i < BATCHES; i++)
    await stack.act(busy.apiKey, { type: 'order', orders: i % 2 === 0 ? orders : sells, grouping: 'na' });
  const pid = stack.process('api-0').pid ?? 0;
  const ask = async (kind: string): Promise<Buffer> => {
    const url = `${stack.baseUrl}/v1/exchanges/perpx/account/export?kind=${kind}`;
    const answer = await fetch(url, { headers: { 'x-api-key': busy.apiKey } });
    return Buffer.from(await answer.arrayBuffer());
  };
  const alone = await askQuietly(stack, [quiet.apiKey], SECONDS);
  const results = [];
  for (const kind of ['journal', 'orders']) {
    const bytes = await ask(kind);
    if (!bytes.subarray(-400).includes('"complete":true')) throw new Error(`${kind} is not whole`);
    writeFileSync(join(dir, kind), bytes);
    const bare = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('./support/bareExport.ts', import.meta.url)), join(dir, kind)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [port] = (await once(bare.stdout, 'data')) as [Buffer];
    const askBare = async (): Promise<Buffer> =>
      Buffer.from(await (await fetch(`http://127.0.0.1:${Number(port)}/`)).arrayBuffer());
    const [ours, theirs] = [[] as Speed[], [] as Speed[]];
    const before = memoryOf(pid);
    for (let i = 0; i < ROUNDS; i++) {
      ours.push(await speed(() => ask(kind), pid));
      theirs.push(await speed(askBare, bare.pid as number));
    }
    const grownBy = memoryOf(pid) - before;
    let isOver = false;
    const beside = askQuietly(stack, [quiet.apiKey], SECONDS).finally(() => {
      isOver = true;
    });
    while (!isOver) await ask(kind);
    bare.kill();
    const [own, other] = [best(ours), best(theirs)];
    results.push({
      ...{ kind, bytes: bytes.length, mbPerSecond: own.perSecond, mbPerCpuSecond: own.perCpuSecond },
      ...{ bareMbPerSecond: other.perSecond, ratio: round(own.perSecond / other.perSecond, 3), grownMb: round(grownBy / MB, 1) },
      quietBeside: await beside,
    });
  }
  console.log(JSON.stringify({ bench: 'export', alone, results }, null, 2));
} finally {
  rmSync(dir, { recursive: true });
  await stack.stop();
}

interface Speed {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** MB a second of the clock, and of the CPU of that process. */
async function speed(read: () => Promise<Buffer>, pid: number): Promise<Speed> {
  const [beganMs, cpu] = [performance.now(), cpuMicros(pid)];
  let bytes = 0;
  while (performance.now() - beganMs < SECONDS * 1000) bytes += (await read()).length;
  const seconds = (performance.now() - beganMs) / 1000;
  return {
    perSecond: round(bytes / MB / seconds, 1),
    perCpuSecond: round((bytes / MB / Math.max(10_000, cpuMicros(pid) - cpu)) * 1e6, 1),
  };
}

function best(speeds: readonly Speed[]): Speed {
  return speeds.reduce((fastest, one) => (one.perSecond > fastest.perSecond ? one : fastest));
}

/** Resident bytes of a process. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}
