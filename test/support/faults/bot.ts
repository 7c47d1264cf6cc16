// A client that sends orders one after the other, without or with a pause, and records every acknowledgement. Its
// orders are a function of its seed and of the answers. An answer that says nothing about the outcome is recorded as
// unknown.

import { wireOrder } from '../orderWire.ts';
import type { Answer, Stack, TestAccount } from '../stack.ts';
import { until } from '../until.ts';
import { COINS, type FaultCoin, SOL } from './coins.ts';
import { type Operation, oidOf, type Status, type Told } from './operation.ts';
import type { Random } from './seeds.ts';

/** Open orders from which on it cancels before it places more. */
const OPEN_MAX = 25;
/** Pause after a request that failed: a service that is away would be asked thousands of times a second. */
const AFTER_FAILURE_MS = 25;
/** Cloids are unique in a test run. */
let bots = 0;

interface OpenOrder {
  readonly oid: number;
  readonly coin: FaultCoin;
  readonly buy: boolean;
}

export class Bot {
  readonly account: TestAccount;
  readonly operations: Operation[] = [];
  /** Answers that no service may ever give, such as an order that its own client cannot see. */
  readonly violations: { readonly text: string; readonly atMs: number }[] = [];
  acknowledged = 0;
  readonly #stack: Stack;
  readonly #random: Random;
  readonly #breathMs: number;
  readonly #open: OpenOrder[] = [];
  readonly #number: number;
  #isStopping = false;
  #cloids = 0;
  /** Broken connections so far: each makes it go on with the next API node. */
  #breaks = 0;
  #latest = 'none';
  #done: Promise<void> = Promise.resolve();

  /** @param options.breathMs longest pause after an acknowledgement (0 = none at all) */
  constructor(stack: Stack, account: TestAccount, options: { random: Random; breathMs: number }) {
    this.#stack = stack;
    this.account = account;
    this.#random = options.random;
    this.#breathMs = options.breathMs;
    bots += 1;
    this.#number = bots;
  }

  start(): this {
    this.#isStopping = false;
    this.#done = this.#run();
    return this;
  }

  /** Resolves when the last request has been answered. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  /** Resolves when so many more operations have been acknowledged than now. */
  async progress(count: number): Promise<void> {
    const wanted = this.acknowledged + count;
    await until(() => this.acknowledged >= wanted);
  }

  /** Its last question and answer, to find out why it gets no further. */
  lastWords(): string {
    const { operations, acknowledged } = this;
    const last = operations.slice(-2).map(({ kind, idempotencyKey, told }) => JSON.stringify({ kind, idempotencyKey, told }));
    return `${acknowledged} acknowledged of ${operations.length}, last ${last.join(', ')}; latest answer ${this.#latest}`;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const operation = this.#next();
      this.operations.push(operation);
      operation.told = await this.#send(operation);
      if (operation.told.type === 'acknowledged') {
        this.acknowledged += 1;
        await this.#learn(operation, operation.told.statuses);
        if (this.#breathMs > 0) await pause(this.#random.whole(0, this.#breathMs));
      } else await pause(AFTER_FAILURE_MS);
    }
  }

  #next(): Operation {
    const random = this.#random;
    const open = this.#open.length > 0 ? random.pick(this.#open) : undefined;
    const roll = this.#open.length >= OPEN_MAX ? 0 : random.next();
    if (open && roll < 0.2) return this.#cancel(open);
    if (open && roll < 0.32) return this.#modify(open);
    if (roll > 0.97) return this.#leverage();
    return this.#order();
  }

  #order(): Operation {
    const cloids = Array.from({ length: this.#random.pick([1, 1, 1, 2, 3]) }, () => this.#cloid());
    const orders = cloids.map((cloid) => this.#wire(this.#random.pick(COINS), this.#random.chance(0.5), cloid));
    return this.#operation({ kind: 'order', cloids, action: { type: 'order', orders, grouping: 'na' } });
  }

  #cancel({ oid, coin }: OpenOrder): Operation {
    const others = this.#open.filter((other) => other.oid !== oid && this.#random.chance(0.1));
    const cancels = [{ a: coin.asset, o: oid }, ...others.map((other) => ({ a: other.coin.asset, o: other.oid }))];
    return this.#operation({ kind: 'cancel', targets: cancels.map(({ o }) => o), action: { type: 'cancel', cancels } });
  }

  #modify({ oid, coin, buy }: OpenOrder): Operation {
    const cloid = this.#cloid();
    const modifies = [{ oid, order: this.#wire(coin, buy, cloid, ['Gtc', 'Gtc', 'Alo']) }];
    return this.#operation({ kind: 'modify', cloids: [cloid], targets: [oid], action: { type: 'batchModify', modifies } });
  }

  #leverage(): Operation {
    const { asset } = this.#random.pick(COINS);
    const leverage = this.#random.whole(10, 20);
    return this.#operation({ kind: 'leverage', action: { type: 'updateLeverage', asset, isCross: true, leverage } });
  }

  #operation(fields: Pick<Operation, 'kind' | 'action'> & Partial<Operation>): Operation {
    const idempotencyKey = this.#random.chance(0.15) ? `bot-${this.#number}-${this.operations.length}` : undefined;
    return { cloids: [], targets: [], idempotencyKey, sentAtMs: Date.now(), told: { type: 'waiting' }, ...fields };
  }

  /** An order that crosses the book or rests away from it, by chance. */
  #wire(
    coin: FaultCoin,
    buy: boolean,
    cloid: string,
    tifs: readonly ('Ioc' | 'Gtc' | 'Alo')[] = ['Ioc', 'Ioc', 'Ioc', 'Gtc', 'Gtc', 'Alo'],
  ): ReturnType<typeof wireOrder> {
    const random = this.#random;
    const tif = random.pick(tifs);
    const crosses = tif === 'Ioc' ? random.chance(0.95) : tif === 'Gtc' ? random.chance(0.25) : random.chance(0.1);
    const away = crosses ? random.whole(1, 40) : -random.whole(10, 400);
    const price = Number(coin.mark) * (1 + ((buy ? 1 : -1) * away) / 10_000);
    return wireOrder(coin.asset, {
      buy,
      tif,
      cloid,
      px: price.toFixed(coin.priceDecimals),
      sz: (coin.size * random.whole(1, 6)).toFixed(coin.sizeDecimals),
      reduceOnly: random.chance(0.1),
    });
  }

  /** With an Idempotency-Key it asks again until it has the outcome. */
  async #send(operation: Operation): Promise<Told> {
    let told = await this.#ask(operation);
    while (told.type === 'unknown' && operation.idempotencyKey !== undefined && !this.#isStopping) {
      await pause(AFTER_FAILURE_MS);
      const again = await this.#ask(operation);
      // Undone is said of this attempt; the one before may have happened.
      if (again.type === 'acknowledged') told = again;
    }
    return told;
  }

  async #ask(operation: Operation): Promise<Told> {
    this.#latest = 'awaited';
    const told = await this.#tell(operation);
    this.#latest = JSON.stringify(told);
    return told;
  }

  async #tell({ action, idempotencyKey }: Operation): Promise<Told> {
    let answer: Answer;
    try {
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      answer = await this.#stack.exchange(this.account.apiKey, action, { baseUrl: this.#baseUrl, ...options });
    } catch {
      this.#breaks += 1;
      return { type: 'unknown', isAnswered: false }; // the connection broke: whether it was done shows in the end
    }
    const { status, body } = answer;
    if (status === 504) return { type: 'unknown', isAnswered: true };
    if (status !== 200) return { type: 'undone', status, text: `${body.code}: ${body.detail}` };
    if (body.status !== 'ok') return { type: 'undone', status, text: String(body.response) };
    return { type: 'acknowledged', statuses: body.response.data?.statuses ?? [], atMs: Date.now() };
  }

  async #learn({ kind, targets, action }: Operation, statuses: readonly Status[]): Promise<void> {
    for (const [i, oid] of targets.entries()) if (statuses[i] !== undefined) this.#forget(oid);
    if (kind !== 'order' && kind !== 'modify') return;
    const { orders, modifies } = action as { orders?: WireOrder[]; modifies?: { order: WireOrder }[] };
    const wires = orders ?? modifies?.map(({ order }) => order) ?? [];
    const rested: OpenOrder[] = [];
    for (const [i, { a, b }] of wires.entries()) {
      const status = statuses[i];
      const coin = COINS.find(({ asset }) => asset === a);
      if (!coin || status === undefined || status === 'success' || !('resting' in status)) continue;
      rested.push({ oid: oidOf(status) as number, coin, buy: b });
    }
    this.#open.push(...rested);
    // A later order of the same batch, or a closed position, may have ended it already.
    const [alone, ...others] = wires;
    const isCertain = alone?.r === false && others.length === 0;
    if (isCertain && rested.length > 0 && this.#random.chance(0.3)) await this.#expectVisible(rested);
  }

  /** A client reads its own writes. Orders on the coin that trades may have been filled by now. */
  async #expectVisible(orders: readonly OpenOrder[]): Promise<void> {
    const atMs = Date.now();
    const answer = await this.#stack
      .info(this.account.apiKey, { type: 'openOrders', user: this.account.address }, this.#baseUrl)
      .catch(() => undefined);
    if (answer?.status !== 200) return;
    const seen = new Set((answer.body as { oid: number }[]).map(({ oid }) => oid));
    for (const { oid, coin } of orders) {
      if (coin !== SOL && !seen.has(oid))
        this.violations.push({ text: `order ${oid} rests and is not among the open orders`, atMs });
    }
  }

  get #baseUrl(): string {
    const { baseUrls, baseUrl } = this.#stack;
    return baseUrls[this.#breaks % baseUrls.length] ?? baseUrl;
  }

  #forget(oid: number): void {
    const at = this.#open.findIndex((order) => order.oid === oid);
    if (at !== -1) this.#open.splice(at, 1);
  }

  #cloid(): string {
    this.#cloids += 1;
    return `0x${process.pid.toString(16).padStart(12, '0')}${this.#number.toString(16).padStart(8, '0')}${this.#cloids.toString(16).padStart(12, '0')}`;
  }
}

type WireOrder = ReturnType<typeof wireOrder>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
