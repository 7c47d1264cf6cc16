// An account that buys and sells the same amount in turn, each order filled at once: its position stays within one order.
import { orderAction } from '../../test/support/orderWire.ts';
import type { TestAccount } from '../../test/support/stack.ts';
import { BENCH_COINS } from './exchange.ts';
import { type Conversation, postRequest } from './load.ts';

const [BTC] = BENCH_COINS;

export const iocAction = (buy: boolean) => orderAction(BTC.asset, { buy, px: buy ? BTC.ask : BTC.bid, sz: BTC.size, tif: 'Ioc' });

const BOTH_WAYS: readonly object[] = [iocAction(true), iocAction(false)];

export class IocOrders implements Conversation {
  readonly #requests: readonly Buffer[];
  #sent = 0;

  /** @param actions a purchase, and a sale of the same amount */
  constructor(baseUrl: string, { apiKey }: Pick<TestAccount, 'apiKey'>, actions: readonly object[] = BOTH_WAYS) {
    this.#requests = actions.map((action) =>
      postRequest(`${baseUrl}/v1/exchanges/perpx/exchange`, JSON.stringify({ action, nonce: Date.now() }), {
        'X-API-Key': apiKey,
      }),
    );
  }

  next(): Buffer {
    this.#sent += 1;
    return this.#requests[this.#sent % 2] as Buffer;
  }

  onAnswer(status: number, body: string): void {
    if (status !== 200 || !body.includes('"filled"')) throw new Error(`not filled: ${status} ${body}`);
  }
}
