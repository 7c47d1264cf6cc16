// An account that buys and sells the same amount in turn, each order filled at once: its position stays within one order.
import { orderAction } from '../../test/support/orderWire.ts';
import type { TestAccount } from '../../test/support/stack.ts';
import { BENCH_COINS } from './exchange.ts';
import { type Conversation, postRequest } from './load.ts';

const [BTC] = BENCH_COINS;

export const iocAction = (buy: boolean) => orderAction(BTC.asset, { buy, px: buy ? BTC.ask : BTC.bid, sz: BTC.size, tif: 'Ioc' });

export class IocOrders implements Conversation {
  readonly #requests: readonly Buffer[];
  #sent = 0;

  constructor(baseUrl: string, { apiKey }: TestAccount) {
    this.#requests = [true, false].map((buy) =>
      postRequest(`${baseUrl}/v1/exchanges/perpx/exchange`, JSON.stringify({ action: iocAction(buy), nonce: Date.now() }), {
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
