// Orders that fill at once (Ioc), buys and sells in turn: 64 accounts on 64 connections for throughput, then one connection
// for latency. Every answer is checked to be a fill. `node --import tsx bench/iocOrders.ts`

import { orderAction } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { type Conversation, postRequest } from './support/load.ts';
import { compare } from './support/sideBySide.ts';

const CONNECTIONS = 64;
const [BTC] = BENCH_COINS;

const action = (buy: boolean) => orderAction(BTC.asset, { buy, px: buy ? BTC.ask : BTC.bid, sz: BTC.size, tif: 'Ioc' });

class IocOrders implements Conversation {
  readonly #requests: readonly Buffer[];
  #sent = 0;

  constructor(baseUrl: string, { apiKey }: TestAccount) {
    this.#requests = [true, false].map((buy) =>
      postRequest(`${baseUrl}/v1/exchanges/perpx/exchange`, JSON.stringify({ action: action(buy), nonce: Date.now() }), {
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

const stack = await startExchange();
try {
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const [first] = accounts as [TestAccount];
  const { body: sample } = await stack.exchange(first.apiKey, action(true));
  const ofAccounts = (some: readonly TestAccount[]) => (baseUrl: string) => some.map((one) => new IocOrders(baseUrl, one));
  const many = await compare(stack, { order: sample }, ofAccounts(accounts));
  const one = await compare(stack, { order: sample }, ofAccounts([first]));
  console.log(JSON.stringify({ iocOrders64: many, iocOrders1: one }));
} finally {
  await stack.stop();
}
