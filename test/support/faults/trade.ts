// Orders of one account after another, while stores fail: how many were answered, and whether what the account has agrees.
import { expect } from 'chai';
import { orderAction } from '../orderWire.ts';
import type { Stack, TestAccount } from '../stack.ts';
import { until } from '../until.ts';
import { checkArchive } from './checkArchive.ts';
import { BTC } from './coins.ts';

/** The default. */
const SHARDS = 16;

/** Bought and sold in turn: however fast the machine, the account does not run out of margin. */
const ORDERS = [
  orderAction(BTC.asset, { px: '65100', sz: '0.01', tif: 'Ioc' }),
  orderAction(BTC.asset, { buy: false, px: '64900', sz: '0.01', tif: 'Ioc' }),
] as const;

/** Each has some orders filled from now on. */
export async function allTradeOn(trades: readonly Trade[]): Promise<void> {
  const before = trades.map(({ filled }) => filled);
  await until(() => trades.every(({ filled }, i) => filled > (before[i] ?? 0) + 3));
}

/** One account's orders, one after another: each is sent until it is known what became of it. */
export class Trade {
  filled = 0;
  readonly #stack: Stack;
  readonly #account: TestAccount;
  #isEnded = false;

  constructor(stack: Stack, account: TestAccount) {
    this.#stack = stack;
    this.#account = account;
  }

  end(): void {
    this.#isEnded = true;
  }

  async run(): Promise<void> {
    while (!this.#isEnded) {
      const order = ORDERS[this.filled % 2] as (typeof ORDERS)[number];
      const { body } = await this.#stack.act(this.#account.apiKey, order);
      expect(body.response?.data.statuses[0].filled?.totalSz).to.equal('0.01');
      this.filled += 1;
    }
  }

  /**
   * The account is the same at every node: its fills are its position, no fill stands twice. Of orders that were answered none is
   * missing, or, where a master may take some with it, they are missing everywhere.
   * @returns how many orders were filled
   */
  async check({ mayLose = false }: { mayLose?: boolean } = {}): Promise<number> {
    const { apiKey } = this.#account;
    const fills: { oid: number; tid: number; side: 'A' | 'B'; sz: string }[] = await this.#stack.ask(apiKey, {
      type: 'userFills',
    });
    const orders = new Set(fills.map(({ oid }) => oid)).size;
    expect(new Set(fills.map(({ tid }) => tid)).size).to.equal(fills.length);
    if (mayLose) expect(orders).to.be.at.most(this.filled);
    else expect(orders).to.equal(this.filled);
    const { assetPositions } = await this.#stack.ask(apiKey, { type: 'clearinghouseState' });
    const bought = fills.reduce((sum, { side, sz }) => sum + (side === 'B' ? Number(sz) : -Number(sz)), 0);
    expect(Number(assetPositions[0]?.position.szi ?? 0)).to.be.closeTo(bought, 1e-9);
    await checkArchive(this.#stack, this.#account.address, { shards: SHARDS, mayBreak: mayLose });
    return orders;
  }
}
