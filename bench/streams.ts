// Fan-out: 5,000 sockets with `allMids` and `l2Book` on one API node, next to the same texts sent by bare ws to as many, in
// turns. CPU time of the sending process per message, and how late books are. `node --import tsx bench/streams.ts`
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readRecording } from '../test/support/recordings.ts';
import { until } from '../test/support/until.ts';
import { quantile, round } from './support/load.ts';
import type { Heard } from './support/streamListeners.ts';
import type { Order, Report } from './support/streamNode.ts';

const { BENCH_SOCKETS = '5000', BENCH_PUSHES = '10', BENCH_ROUNDS = '3' } = process.env;
const SOCKETS = Number(BENCH_SOCKETS);
const PUSHES = Number(BENCH_PUSHES);
/** A book comes about so often. */
const PUSH_EVERY_MS = 1000;
const CHANNELS = 2;
const WITHIN_MS = 60_000;

const start = (name: string, ...args: string[]): ChildProcess =>
  fork(fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url)), args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

class Side {
  readonly #node: ChildProcess;
  readonly #listeners: ChildProcess;
  readonly cpuMicros: number[] = [];
  readonly lateMs: number[] = [];
  bytesPerMessage = 0;

  private constructor(node: ChildProcess, listeners: ChildProcess) {
    this.#node = node;
    this.#listeners = listeners;
  }

  static async open(...args: string[]): Promise<Side> {
    const node = start('streamNode', ...args);
    const [{ url }] = (await once(node, 'message')) as [{ url: string }];
    const listeners = start('streamListeners', url, String(SOCKETS));
    await once(listeners, 'message');
    return new Side(node, listeners);
  }

  /** @param isCounted false to warm up */
  async run({ isCounted }: { isCounted: boolean }): Promise<void> {
    await this.#heard();
    const before = await this.#cpu();
    const heard: Heard[] = [];
    for (let n = 0; n < PUSHES; n++) {
      this.#node.send('push' satisfies Order);
      await new Promise((resolve) => setTimeout(resolve, PUSH_EVERY_MS));
    }
    const want = SOCKETS * CHANNELS * PUSHES;
    const sum = (figure: 'messages' | 'bytes'): number => heard.reduce((total, one) => total + one[figure], 0);
    await until(async () => {
      heard.push(await this.#heard());
      return sum('messages') >= want;
    }, WITHIN_MS);
    if (!isCounted) return;
    this.cpuMicros.push(((await this.#cpu()) - before) / want);
    for (const { lateMs } of heard) for (const ms of lateMs) this.lateMs.push(ms);
    this.bytesPerMessage = Math.round(sum('bytes') / sum('messages'));
  }

  async stop(): Promise<void> {
    this.#listeners.send('stop');
    const ended = once(this.#node, 'exit');
    this.#node.send('stop' satisfies Order);
    await ended;
  }

  async #cpu(): Promise<number> {
    const answered = once(this.#node, 'message') as Promise<[Extract<Report, { cpuMicros: number }>]>;
    this.#node.send('cpu' satisfies Order);
    return (await answered)[0].cpuMicros;
  }

  async #heard(): Promise<Heard> {
    const answered = once(this.#listeners, 'message') as Promise<[Heard]>;
    this.#listeners.send('heard');
    return (await answered)[0];
  }
}

const mids = Object.keys(readRecording('info.allMids').response as object).length;
const ours = await Side.open('ours');
const bare = await Side.open('bare', String(mids));
for (const side of [ours, bare]) await side.run({ isCounted: false });
for (let n = 0; n < Number(BENCH_ROUNDS); n++) for (const side of [ours, bare]) await side.run({ isCounted: true });
const figures = ({ cpuMicros, lateMs, bytesPerMessage }: Side) => {
  const late = lateMs.toSorted((a, b) => a - b);
  return {
    cpuMicrosPerMessage: round(
      quantile(
        cpuMicros.toSorted((a, b) => a - b),
        0.5,
      ),
      2,
    ),
    bytesPerMessage,
    bookLateMs: { p50: quantile(late, 0.5), p99: quantile(late, 0.99) },
  };
};
const [oursFigures, bareFigures] = [figures(ours), figures(bare)];
const byBare = round(bareFigures.cpuMicrosPerMessage / oursFigures.cpuMicrosPerMessage, 2);
console.log(JSON.stringify({ streams: { sockets: SOCKETS, ours: oursFigures, bare: bareFigures, throughputByBare: byBare } }));
await Promise.all([ours.stop(), bare.stop()]);
