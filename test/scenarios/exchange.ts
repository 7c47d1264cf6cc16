// One running exchange for all scenarios; only they move its market. After every move comes a move that the process that fills
// orders must show, so a scenario continues when its whole script has been applied, and never sleeps.
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { Trader } from './trader.ts';

/** `[px, sz]`, best first. */
export type Levels = readonly (readonly [px: string, sz: string])[];

/** A coin that no scenario trades: its mark counts the moves of all others. */
const SENTINEL = 'LTC';

export class Exchange {
  readonly stack: Stack;
  readonly #assets: ReadonlyMap<string, number>;
  readonly #watcher: string;
  #moves = 50;

  constructor(stack: Stack, parts: { assets: ReadonlyMap<string, number>; watcher: string }) {
    this.stack = stack;
    this.#assets = parts.assets;
    this.#watcher = parts.watcher;
  }

  asset(coin: string): number {
    const asset = this.#assets.get(coin);
    if (asset === undefined) throw new Error(`no coin ${coin}`);
    return asset;
  }

  /** A new account with 10,000 USD. */
  async trader(): Promise<Trader> {
    return new Trader(this, await this.stack.register());
  }

  /** Replaces the book, and sets mark, oracle and mid where `mark` is given. */
  async book(coin: string, sides: { bids: Levels; asks: Levels; mark?: string }): Promise<void> {
    const { bids, asks, mark } = sides;
    await this.stack.market.control({ op: 'setBook', coin, bids, asks });
    if (mark !== undefined) await this.stack.market.control({ op: 'setPrice', coin, px: mark });
    await this.settled();
  }

  async mark(coin: string, px: string): Promise<void> {
    await this.stack.market.control({ op: 'setMark', coin, px });
    await this.settled();
  }

  /** Public trades, `[aggressor, px, sz]`; the book stays as it is. */
  async trades(coin: string, ...trades: readonly (readonly ['B' | 'A', string, string])[]): Promise<void> {
    for (const [side, px, sz] of trades) await this.stack.market.control({ op: 'trade', coin, side, px, sz, keepBook: true });
    await this.settled();
  }

  /** Resolves when every move so far has been applied to the orders. */
  async settled(): Promise<void> {
    this.#moves += 1;
    await this.stack.market.control({ op: 'setMark', coin: SENTINEL, px: String(this.#moves) });
    const shown = `${this.#moves}.0`;
    await until(async () => (await this.stack.markAtOwner(this.#watcher, SENTINEL)) === shown);
  }
}

let starting: Promise<Exchange> | undefined;

export const sharedExchange = (): Promise<Exchange> => {
  starting ??= start();
  return starting;
};

after(async () => (await starting)?.stack.stop());

async function start(): Promise<Exchange> {
  const stack = await startStack();
  const { apiKey } = await stack.register();
  const { universe } = (await stack.info(apiKey, { type: 'meta' })).body;
  const assets = new Map<string, number>(universe.map(({ name }: { name: string }, index: number) => [name, index]));
  return new Exchange(stack, { assets, watcher: apiKey });
}
