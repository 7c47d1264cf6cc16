// The cost of one order in an action of 1 to 1,000 through the whole service, HTTP to HTTP: microseconds of CPU of each process,
// and the time of the action on one connection, per order. One account: orders that rest and their cancels in turn, and IOC orders
// that fill, buys and sells in turn. Prints one line of JSON per case and size.
// `node --import tsx bench/batchOrders.ts [--case resting|filled] [--n 1,10,100,1000]`; BENCH_SECONDS for each.
import { parseArgs } from 'node:util';
import { orderAction } from '../test/support/orderWire.ts';
import type { Stack, TestAccount } from '../test/support/stack.ts';
import { CpuMeter } from './support/cpu.ts';
import { BENCH_COINS, pidsOf, registerAccounts, startExchange } from './support/exchange.ts';
import { type Conversation, drive, postRequest, quantile, round } from './support/load.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '5');
const WARM_UP_SECONDS = 5;
const [BTC, , SOL] = BENCH_COINS;
/** So little is lost by each pair of fills that an account lasts for the whole bench. */
const FILLED = { asset: SOL.asset, bid: '99.99', ask: '100.01', size: '0.11' };
/** One account writes more here than any may in a minute. */
const JOURNAL_BOUNDS = { JOURNAL_MAX_BYTES: `${2 ** 30}`, JOURNAL_ACCOUNT_MAX_BYTES: `${2 ** 30}`, JOURNAL_LAG_MS: '1000' };
/** Prices of resting orders, away from the book. */
const PRICES = 100;

const times = <Item>(n: number, make: (i: number) => Item): Item[] => Array.from({ length: n }, (_, i) => make(i));

/** The time and CPU of the actions of one kind. */
interface Taken {
  readonly millis: number[];
  /** By process. */
  readonly cpuMicros: Record<string, number>;
}

/** One action after the other. Work after an answer, such as the writing of history, counts for the next action. */
abstract class Turns implements Conversation {
  readonly taken = new Map<string, Taken>();
  readonly #url: string;
  readonly #apiKey: string;
  readonly #pids: ReadonlyMap<string, number>;
  #sentAtMs = 0;
  #meter: CpuMeter;

  constructor(stack: Stack, { apiKey }: TestAccount) {
    this.#url = `${stack.baseUrl}/v1/exchanges/perpx/exchange`;
    this.#apiKey = apiKey;
    this.#pids = pidsOf(stack);
    this.#meter = new CpuMeter(this.#pids);
  }

  next(): Buffer {
    const body = JSON.stringify({ action: this.action(), nonce: Date.now() });
    const request = postRequest(this.#url, body, { 'X-API-Key': this.#apiKey });
    this.#meter = new CpuMeter(this.#pids);
    this.#sentAtMs = performance.now();
    return request;
  }

  onAnswer(status: number, body: string): void {
    const tookMs = performance.now() - this.#sentAtMs;
    const kind = status === 200 ? this.done(body) : undefined;
    if (!kind) throw new Error(`${status} ${body.slice(0, 500)}`);
    const taken = this.taken.get(kind) ?? { millis: [], cpuMicros: {} };
    this.taken.set(kind, taken);
    taken.millis.push(tookMs);
    for (const [name, micros] of Object.entries(this.#meter.per(1))) {
      taken.cpuMicros[name] = (taken.cpuMicros[name] ?? 0) + micros;
    }
  }

  protected abstract action(): object;

  /** The kind of action that was done; undefined when a part of the action was not done. */
  protected abstract done(body: string): string | undefined;
}

class RestAndCancel extends Turns {
  readonly #orders: object;
  readonly #size: number;
  #oids: number[] = [];

  constructor(stack: Stack, account: TestAccount, size: number) {
    super(stack, account);
    this.#size = size;
    const orders = times(size, (i) => ({ px: `${60_000 - (i % PRICES)}`, sz: BTC.size, tif: 'Gtc' as const }));
    this.#orders = orderAction(BTC.asset, ...orders);
  }

  protected action(): object {
    if (this.#oids.length === 0) return this.#orders;
    return { type: 'cancel', cancels: this.#oids.map((o) => ({ a: BTC.asset, o })) };
  }

  protected done(body: string): string | undefined {
    if (this.#oids.length > 0) {
      const canceled = body.split('"success"').length - 1;
      const isAll = canceled === this.#oids.length;
      this.#oids = [];
      return isAll ? 'cancel' : undefined;
    }
    this.#oids = [...body.matchAll(/"resting":\{"oid":(\d+)/g)].map(([, oid]) => Number(oid));
    return this.#oids.length === this.#size ? 'rest' : undefined;
  }
}

class Filled extends Turns {
  readonly #actions: readonly object[];
  readonly #size: number;
  #sent = 0;

  constructor(stack: Stack, account: TestAccount, size: number) {
    super(stack, account);
    this.#size = size;
    this.#actions = [true, false].map((buy) => {
      const order = { buy, px: buy ? FILLED.ask : FILLED.bid, sz: FILLED.size, tif: 'Ioc' as const };
      return orderAction(FILLED.asset, ...times(size, () => order));
    });
  }

  protected action(): object {
    this.#sent += 1;
    return this.#actions[this.#sent % 2] as object;
  }

  protected done(body: string): string | undefined {
    return body.split('"filled"').length - 1 === this.#size ? 'fill' : undefined;
  }
}

const CASES = { resting: RestAndCancel, filled: Filled };

const { values } = parseArgs({ options: { case: { type: 'string' }, n: { type: 'string' } } });
const cases = Object.entries(CASES).flatMap(([name, Case]) => (values.case === undefined || values.case === name ? [Case] : []));
const sizes = (values.n ?? '1,10,100,1000').split(',').map(Number);

/** Per order: the median action's time, and the CPU of each process. */
function figuresOf({ millis, cpuMicros }: Taken, size: number): object {
  const wall = (quantile(Float64Array.from(millis).sort(), 0.5) * 1000) / size;
  const perOrder = ([name, micros]: [string, number]) => [name, round(micros / millis.length / size, 1)] as const;
  const { generator: _, ...cpu } = Object.fromEntries(Object.entries(cpuMicros).map(perOrder));
  const all = Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
  return { actions: millis.length, wallMicros: round(wall, 1), cpuMicros: { ...cpu, all: round(all, 1) } };
}

const stack = await startExchange({ env: JOURNAL_BOUNDS });
try {
  const { bid, ask } = FILLED;
  await stack.market.control({ op: 'setBook', coin: SOL.coin, bids: [[bid, '1000000000']], asks: [[ask, '1000000000']] });
  for (const Case of cases) {
    for (const size of sizes) {
      const [account] = (await registerAccounts(stack, 1)) as [TestAccount];
      const conversation = new Case(stack, account, size);
      await drive(stack.baseUrl, [conversation], WARM_UP_SECONDS);
      conversation.taken.clear();
      await drive(stack.baseUrl, [conversation], SECONDS);
      for (const [kind, taken] of conversation.taken) {
        console.log(JSON.stringify({ case: `${kind}${size}`, ...figuresOf(taken, size) }));
      }
    }
  }
} finally {
  await stack.stop();
}
