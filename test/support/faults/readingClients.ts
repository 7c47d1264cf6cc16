// A client that changes an account by one node, and clients that read it on others. All of them tell the judge what they know and
// what they are shown.
import { wireOrder } from '../orderWire.ts';
import type { Answer, Stack, TestAccount } from '../stack.ts';
import { until } from '../until.ts';
import type { Freshness, Shown } from './freshness.ts';
import type { Random } from './seeds.ts';

/** The writer's one resting order has this price and the number of its round. */
const FIRST_PRICE = 40_000;
/** Pause after a refusal: a service that is away would be asked thousands of times a second. */
const AFTER_FAILURE_MS = 25;
const BTC = 0;
const ETH = 1;
const QUESTIONS = ['openOrders', 'clearinghouseState', 'frontendOpenOrders', 'webData2', 'userRateLimit'] as const;

/** The work of a writer after each round. */
const ALSO = ['fill', 'transfer', 'mark', 'read'] as const;

export const seqOf = ({ headers }: Answer): number => Number(headers.get('x-account-seq'));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks without a pause, one question after the other. */
export class Reader {
  readonly #stack: Stack;
  readonly #account: TestAccount;
  readonly #judge: Freshness;
  readonly #node: number;
  #answers = 0;
  #isStopping = false;
  #done: Promise<void> = Promise.resolve();

  constructor(stack: Stack, account: TestAccount, judge: Freshness, node: number) {
    this.#stack = stack;
    this.#account = account;
    this.#judge = judge;
    this.#node = node;
  }

  start(): this {
    this.#done = this.#run();
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  /** Resolves when it has been answered so many more times than now. */
  async reads(count: number): Promise<void> {
    const wanted = this.#answers + count;
    await until(() => this.#answers >= wanted);
  }

  async #run(): Promise<void> {
    for (let asked = 0; !this.#isStopping; asked++) {
      const type = QUESTIONS[asked % QUESTIONS.length] as (typeof QUESTIONS)[number];
      await this.#judge.judge(`node ${this.#node} (${type})`, () => show(this.#stack, this.#account, { type, node: this.#node }));
      this.#answers += 1;
    }
  }
}

/** Undefined when the node refuses or its answer gets lost. */
async function show(
  stack: Stack,
  { apiKey, address }: TestAccount,
  { type, node }: { readonly type: string; readonly node: number },
): Promise<Shown | undefined> {
  const answer = await stack.info(apiKey, { type, user: address }, stack.baseUrls[node]).catch(() => undefined);
  if (answer?.status !== 200) {
    await pause(AFTER_FAILURE_MS);
    return undefined;
  }
  const orders: { coin: string; limitPx: string }[] | undefined = Array.isArray(answer.body)
    ? answer.body
    : answer.body.openOrders;
  const [order] = orders?.filter(({ coin }) => coin === 'BTC') ?? [];
  return { seq: seqOf(answer), ...(order && { round: Number(order.limitPx) - FIRST_PRICE }) };
}

/** Changes the account by one node, in rounds: its order has the newest round that was acknowledged. */
export class Writer {
  readonly #stack: Stack;
  readonly #account: TestAccount;
  readonly #judge: Freshness;
  readonly #random: Random;
  readonly #also: readonly (typeof ALSO)[number][];
  #round = 0;

  /** @param also what it may do after each round; `mark` moves the market of all */
  constructor(
    stack: Stack,
    account: TestAccount,
    judge: Freshness,
    random: Random,
    also: readonly (typeof ALSO)[number][] = ALSO,
  ) {
    this.#stack = stack;
    this.#account = account;
    this.#judge = judge;
    this.#random = random;
    this.#also = also;
  }

  /** An isolated position beside the order, whose margin can be moved. */
  async begin(): Promise<void> {
    await this.#act({ type: 'updateLeverage', asset: ETH, isCross: false, leverage: 5 });
    await this.#act({ type: 'order', orders: [wireOrder(ETH, { px: '2100', sz: '0.1', tif: 'Ioc' })], grouping: 'na' });
    await this.round();
  }

  /** Resolves when the order has the next round, as far as the writer knows. */
  async round(): Promise<void> {
    this.#round += 1;
    const px = String(FIRST_PRICE + this.#round);
    let isDone = false;
    await this.#judge.acknowledge(this.#round, async () => {
      const oid = await this.#oid();
      if (oid === undefined) return false;
      const order = wireOrder(BTC, { px, sz: '0.001' });
      isDone = await this.#act(
        oid === 0 ? { type: 'order', orders: [order], grouping: 'na' } : { type: 'batchModify', modifies: [{ oid, order }] },
      );
      return isDone;
    });
    if (isDone) await this.#alsoHappens();
  }

  /** Of its order; 0 = it has none; undefined = the answer did not say. */
  async #oid(): Promise<number | undefined> {
    const { apiKey, address } = this.#account;
    const answer = await this.#stack.info(apiKey, { type: 'openOrders', user: address }).catch(() => undefined);
    if (answer?.status !== 200) {
      await pause(AFTER_FAILURE_MS);
      return undefined;
    }
    return (answer.body as { coin: string; oid: number }[]).find(({ coin }) => coin === 'BTC')?.oid ?? 0;
  }

  async #alsoHappens(): Promise<void> {
    const random = this.#random;
    const what = random.pick(this.#also);
    const px = random.pick(['1990', '2010']);
    if (what === 'mark') await this.#stack.market.control({ op: 'setPrice', coin: 'ETH', px });
    else if (what === 'read') {
      await this.#judge.judge('node 0', () => show(this.#stack, this.#account, { type: 'openOrders', node: 0 }));
    } else if (what === 'transfer') await this.#act({ type: 'updateIsolatedMargin', asset: ETH, isBuy: true, ntli: 1_000_000 });
    else {
      const isBuy = random.chance(0.5);
      const order = wireOrder(ETH, { buy: isBuy, px: isBuy ? '2100' : '1900', sz: '0.01', tif: 'Ioc' });
      await this.#act({ type: 'order', orders: [order], grouping: 'na' });
    }
  }

  /** @returns true when it was acknowledged, each part of it */
  async #act(action: object): Promise<boolean> {
    const answer = await this.#stack.exchange(this.#account.apiKey, action).catch(() => undefined);
    if (answer?.status !== 200) await pause(AFTER_FAILURE_MS);
    return answer?.status === 200 && !JSON.stringify(answer.body).includes('"err');
  }
}
