// Streams of the whole exchange: sockets on one API node, each on `allMids`, `l2Book` and its account's `userFills`
// and `orderUpdates`, while the venue moves and accounts trade. In turns with it, bare ws sends the same texts to as
// many sockets. Measures how late a book is after the venue sent it, how late a fill after its commit, and the cost
// of a message. `node --import tsx bench/streams.ts`
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { orderAction } from '../test/support/orderWire.ts';
import type { Stack, TestAccount } from '../test/support/stack.ts';
import type { BarePush } from './support/bareStream.ts';
import { cpuMicros } from './support/cpu.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { readJournals } from './support/journalReader.ts';
import { quantile, round } from './support/load.ts';
import { median } from './support/sideBySide.ts';
import type { Audience, Heard } from './support/streamListeners.ts';

const { BENCH_ROUNDS = '3', BENCH_SOCKETS = '1000,5000' } = process.env;
const ROUNDS = Number(BENCH_ROUNDS);
const SOCKETS_PER_ACCOUNT = 5;
const PUSHES = 10;
/** A book comes about so often. */
const PUSH_EVERY_MS = 1000;
/** Orders between two pushes, each of another account and filled at once. */
const ORDERS_PER_PUSH = 10;
const [BTC] = BENCH_COINS;
const DEEP = '1000000000';
const LEVELS = 20;

/** The results of one side over all rounds. */
class Figures {
  readonly cpuMicrosPerMessage: number[] = [];
  readonly bookLateMs: number[] = [];
  /** After the commit, and after the order was sent. */
  readonly fillLateMs: number[] = [];
  readonly orderToFillMs: number[] = [];
  messages = 0;
  bytes = 0;

  add({ messages, bytes, lateMs }: Heard, cpu: number): void {
    this.cpuMicrosPerMessage.push(cpu / messages);
    for (const ms of lateMs) this.bookLateMs.push(ms);
    this.messages += messages;
    this.bytes += bytes;
  }
}

const start = (name: string): ChildProcess =>
  fork(fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

async function listen(broadcast: Audience): Promise<ChildProcess> {
  const listeners = start('streamListeners');
  listeners.send(broadcast);
  await once(listeners, 'message');
  return listeners;
}

async function heardBy(listeners: ChildProcess): Promise<Heard> {
  const answered = once(listeners, 'message') as Promise<[Heard]>;
  listeners.send('heard');
  return (await answered)[0];
}

/** Calls for each push, and for each order at its moment between them. */
async function keepTime(onPush: (n: number) => void, onOrder: (n: number) => void): Promise<void> {
  for (let push = 0; push < PUSHES; push++) {
    onPush(push);
    for (let n = 0; n < ORDERS_PER_PUSH; n++) {
      await pause(PUSH_EVERY_MS / ORDERS_PER_PUSH);
      onOrder(push * ORDERS_PER_PUSH + n);
    }
  }
}

class Ours {
  readonly #stack: Stack;
  readonly #accounts: readonly TestAccount[];
  readonly #listeners: ChildProcess;
  readonly #tail: Redis;
  /** When an entry was in the journal, by account and number, ms since the epoch; when an account's order was sent. */
  readonly #committedAtMs = new Map<string, number>();
  readonly #sentAtMs = new Map<string, number>();
  #moves = 0;
  samples: Heard['samples'] = {};

  private constructor(stack: Stack, accounts: readonly TestAccount[], listeners: ChildProcess) {
    this.#stack = stack;
    this.#accounts = accounts;
    this.#listeners = listeners;
    this.#tail = new Redis(stack.redisStore.url);
  }

  static async open(stack: Stack, accounts: readonly TestAccount[], sockets: number): Promise<Ours> {
    const base = stack.baseUrl.replace(/^http/, 'ws');
    const targets = accounts.map(({ apiKey, address }) => ({
      url: `${base}/v1/exchanges/perpx/key/${apiKey}/ws`,
      user: address,
    }));
    const ours = new Ours(stack, accounts, await listen({ sockets, targets }));
    await readJournals(ours.#tail, (entries) => {
      for (const { accountId, seq } of entries) ours.#committedAtMs.set(`${accountId} ${seq}`, now());
    });
    return ours;
  }

  async run(figures: Figures): Promise<void> {
    await heardBy(this.#listeners);
    const { pid } = this.#stack.process('api-0');
    const before = cpuMicros(pid as number);
    const said: Promise<unknown>[] = [];
    await keepTime(
      () => said.push(this.#move()),
      (n) => said.push(this.#order(n)),
    );
    await Promise.all(said);
    const heard = await heardBy(this.#listeners);
    figures.add(heard, cpuMicros(pid as number) - before);
    for (const { user, seq, atMs } of heard.fills) {
      const committedAtMs = this.#committedAtMs.get(`${user} ${seq}`);
      if (committedAtMs === undefined) throw new Error(`a fill that is not in the journal: ${user} ${seq}`);
      figures.fillLateMs.push(atMs - committedAtMs);
      figures.orderToFillMs.push(atMs - (this.#sentAtMs.get(user) as number));
    }
    this.samples = heard.samples;
  }

  stop(): void {
    this.#tail.disconnect();
    this.#listeners.send('stop');
  }

  /** Another book and, with it, another mid. */
  #move(): Promise<void> {
    const by = ++this.#moves % 5;
    const side = (best: string, step: number) =>
      Array.from({ length: LEVELS }, (_, level) => [String(Number(best) + step * (level + by)), DEEP] as [string, string]);
    return this.#stack.market.control({ op: 'setBook', coin: BTC.coin, bids: side(BTC.bid, -1), asks: side(BTC.ask, 2) });
  }

  async #order(n: number): Promise<void> {
    const { apiKey, address } = this.#accounts[n % this.#accounts.length] as TestAccount;
    const order = orderAction(BTC.asset, { buy: true, px: '65100', sz: BTC.size, tif: 'Ioc' });
    this.#sentAtMs.set(address, now());
    const { status, body } = await this.#stack.exchange(apiKey, order);
    if (status !== 200 || !JSON.stringify(body).includes('"filled"')) throw new Error(`not filled: ${JSON.stringify(body)}`);
  }
}

class Bare {
  readonly #server: ChildProcess;
  readonly #listeners: ChildProcess;
  readonly #groups: number;

  private constructor(server: ChildProcess, listeners: ChildProcess, groups: number) {
    this.#server = server;
    this.#listeners = listeners;
    this.#groups = groups;
  }

  static async open(sockets: number): Promise<Bare> {
    const server = start('bareStream');
    const [url] = (await once(server, 'message')) as [string];
    const groups = sockets / SOCKETS_PER_ACCOUNT;
    const targets = Array.from({ length: groups }, (_, n) => ({ url: `${url}/${n}`, user: '' }));
    return new Bare(server, await listen({ sockets, targets }), groups);
  }

  async run(figures: Figures, samples: Heard['samples']): Promise<void> {
    await heardBy(this.#listeners);
    const texts = (...names: string[]) => names.map((name) => samples[name] as string);
    const push = (what: Partial<BarePush>): void => {
      this.#server.send({ toAll: [], toGroup: [], groups: [], ...what } satisfies BarePush);
    };
    const before = cpuMicros(this.#server.pid as number);
    await keepTime(
      () => push({ toAll: texts('allMids', 'l2Book') }),
      (n) => push({ toGroup: texts('orderUpdates', 'userFills'), groups: [n % this.#groups] }),
    );
    const heard = await heardBy(this.#listeners);
    figures.add(heard, cpuMicros(this.#server.pid as number) - before);
  }

  stop(): void {
    this.#listeners.send('stop');
    this.#server.kill();
  }
}

const now = (): number => performance.timeOrigin + performance.now();

function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: round(quantile(sorted, 0.5), 1), p99: round(quantile(sorted, 0.99), 1) };
}

const shown = ({ cpuMicrosPerMessage, messages, bytes, bookLateMs }: Figures) => ({
  messages,
  bytesPerMessage: Math.round(bytes / messages),
  cpuMicrosPerMessage: round(median(cpuMicrosPerMessage), 2),
  bookLateMs: percentiles(bookLateMs),
});

async function compare(stack: Stack, accounts: readonly TestAccount[], sockets: number): Promise<object> {
  const ours = await Ours.open(stack, accounts.slice(0, sockets / SOCKETS_PER_ACCOUNT), sockets);
  const bare = await Bare.open(sockets);
  const [oursFigures, bareFigures] = [new Figures(), new Figures()];
  await ours.run(new Figures()); // to warm up
  await bare.run(new Figures(), ours.samples);
  for (let n = 0; n < ROUNDS; n++) {
    await ours.run(oursFigures);
    await bare.run(bareFigures, ours.samples);
  }
  ours.stop();
  bare.stop();
  const [exchange, yardstick] = [shown(oursFigures), shown(bareFigures)];
  return {
    exchange: {
      ...exchange,
      fillAfterCommitMs: percentiles(oursFigures.fillLateMs),
      fillAfterOrderMs: percentiles(oursFigures.orderToFillMs),
    },
    bare: yardstick,
    throughputByBare: round(yardstick.cpuMicrosPerMessage / exchange.cpuMicrosPerMessage, 2),
  };
}

const sizes = BENCH_SOCKETS.split(',').map(Number);
/** All sockets come from one address, and again for each round. */
const OF_ONE_ADDRESS = String(4 * Math.max(...sizes));
const stack = await startExchange({ env: { CONNECTIONS: OF_ONE_ADDRESS, ADDRESS_CONNECTIONS: OF_ONE_ADDRESS } });
try {
  const accounts = await registerAccounts(stack, Math.max(...sizes) / SOCKETS_PER_ACCOUNT);
  const figures: Record<string, object> = {};
  for (const sockets of sizes) figures[`${sockets} sockets`] = await compare(stack, accounts, sockets);
  console.log(JSON.stringify({ streams: figures }));
} finally {
  await stack.stop();
}
