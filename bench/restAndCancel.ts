// Orders that rest away from the book and are canceled at once, 64 accounts on 64 connections; each pair is two requests.
// `node --import tsx bench/restAndCancel.ts`
import { orderAction } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { type Conversation, postRequest } from './support/load.ts';
import { compare } from './support/sideBySide.ts';

const CONNECTIONS = 64;
const [BTC] = BENCH_COINS;
const ORDER = orderAction(BTC.asset, { px: '60000', sz: BTC.size, tif: 'Gtc' });
const cancelOf = (oid: number) => ({ type: 'cancel', cancels: [{ a: BTC.asset, o: oid }] });

class RestAndCancel implements Conversation {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #order: Buffer;
  #oid: number | undefined;

  constructor(baseUrl: string, { apiKey }: TestAccount) {
    this.#url = `${baseUrl}/v1/exchanges/perpx/exchange`;
    this.#headers = { 'X-API-Key': apiKey };
    this.#order = this.#request(ORDER);
  }

  next(): Buffer {
    return this.#oid === undefined ? this.#order : this.#request(cancelOf(this.#oid));
  }

  onAnswer(status: number, body: string): void {
    const isOrder = this.#oid === undefined;
    const oid = /"resting":\{"oid":(\d+)/.exec(body)?.[1];
    if (status !== 200 || (isOrder ? oid === undefined : !body.includes('"success"'))) throw new Error(`${status} ${body}`);
    this.#oid = isOrder ? Number(oid) : undefined;
  }

  #request(action: object): Buffer {
    return postRequest(this.#url, JSON.stringify({ action, nonce: Date.now() }), this.#headers);
  }
}

const stack = await startExchange();
try {
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const [{ apiKey }] = accounts as [TestAccount];
  const { body: rested } = await stack.exchange(apiKey, ORDER);
  const { body: canceled } = await stack.exchange(apiKey, cancelOf(rested.response.data.statuses[0].resting.oid));
  const pairs = await compare(stack, { order: rested, cancel: canceled }, (baseUrl) =>
    accounts.map((one) => new RestAndCancel(baseUrl, one)),
  );
  console.log(JSON.stringify({ restAndCancel64: pairs }));
} finally {
  await stack.stop();
}
