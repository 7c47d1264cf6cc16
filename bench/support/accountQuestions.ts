// Questions about many accounts in turn, over one connection each conversation, and orders of the same accounts now and then.

import { wireOrder } from '../../test/support/orderWire.ts';
import type { TestAccount } from '../../test/support/stack.ts';
import { BENCH_COINS } from './exchange.ts';
import { type Conversation, postRequest } from './load.ts';

export interface Asked {
  readonly type: string;
  /** Fields of the question beside `type` and `user`. */
  readonly fields?: object;
  /** Text that every right answer contains. */
  readonly has: string;
  /** Each account sends an order that fills as often, ms. */
  readonly tradesEveryMs?: number;
}

/** Conversations that share the accounts. */
export function conversationsOf(
  accounts: readonly TestAccount[],
  asked: Asked,
  connections: number,
): (baseUrl: string) => readonly Conversation[] {
  return (baseUrl) =>
    Array.from({ length: connections }, (_, n) => {
      const own = accounts.filter((_account, i) => i % connections === n);
      return new AccountQuestions(baseUrl, own, asked);
    });
}

interface Speaker {
  readonly question: Buffer;
  readonly order: Buffer;
  nextTradeMs: number;
}

class AccountQuestions implements Conversation {
  readonly #speakers: readonly Speaker[];
  readonly #asked: Asked;
  #turn = 0;
  #isOrder = false;

  constructor(baseUrl: string, accounts: readonly TestAccount[], asked: Asked) {
    const { type, fields, tradesEveryMs = Number.POSITIVE_INFINITY } = asked;
    const [{ asset, ask, size }] = BENCH_COINS;
    const order = { type: 'order', orders: [wireOrder(asset, { px: ask, sz: size, tif: 'Ioc' })], grouping: 'na' };
    const orderBody = JSON.stringify({ action: order, nonce: Date.now() });
    this.#asked = asked;
    this.#speakers = accounts.map(({ apiKey, address }, i) => {
      const headers = { 'X-API-Key': apiKey };
      return {
        question: postRequest(`${baseUrl}/v1/exchanges/perpx/info`, JSON.stringify({ type, user: address, ...fields }), headers),
        order: postRequest(`${baseUrl}/v1/exchanges/perpx/exchange`, orderBody, headers),
        nextTradeMs: performance.now() + (tradesEveryMs * (i + 1)) / accounts.length,
      };
    });
  }

  next(): Buffer {
    this.#turn = (this.#turn + 1) % this.#speakers.length;
    const speaker = this.#speakers[this.#turn] as Speaker;
    const nowMs = performance.now();
    this.#isOrder = nowMs >= speaker.nextTradeMs;
    if (!this.#isOrder) return speaker.question;
    speaker.nextTradeMs = nowMs + (this.#asked.tradesEveryMs ?? 0);
    return speaker.order;
  }

  onAnswer(status: number, body: string): void {
    if (status !== 200 || !body.includes(this.#isOrder ? '"filled"' : this.#asked.has)) throw new Error(`${status} ${body}`);
  }
}
