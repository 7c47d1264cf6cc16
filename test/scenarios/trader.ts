// A trader in the scenarios: short words for orders and answers, and the account's own records, which must agree with
// each other at any time.
import { expect } from 'chai';
import { type OrderFields, wireOrder } from '../support/orderWire.ts';
import type { Answer, Stack, TestAccount } from '../support/stack.ts';

/** `coin` beside the fields of an order. */
export interface CoinOrder extends OrderFields {
  readonly coin: string;
}

/** Where the trader has the account. */
interface Venue {
  readonly stack: Stack;
  asset(coin: string): number;
}

export class Trader {
  readonly account: TestAccount;
  readonly #exchange: Venue;

  constructor(exchange: Venue, account: TestAccount) {
    this.#exchange = exchange;
    this.account = account;
  }

  /** Answer to an action as it came. */
  act(action: object, options: { idempotencyKey?: string } = {}): Promise<Answer> {
    return this.#exchange.stack.exchange(this.account.apiKey, action, options);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the endpoint sends; the test says what it should be
  async info(type: string, fields: object = {}): Promise<any> {
    const { status, body } = await this.#exchange.stack.info(this.account.apiKey, { type, ...fields });
    expect(status, `${type}: ${JSON.stringify(body)}`).to.equal(200);
    return body;
  }

  /** Places orders in one batch; each element in words, see `inWords`. */
  async place(...orders: readonly CoinOrder[]): Promise<string[]> {
    return inWords((await this.act(this.orderAction(...orders))).body);
  }

  orderAction(...orders: readonly CoinOrder[]): object {
    const rows = orders.map(({ coin, ...fields }) => wireOrder(this.#exchange.asset(coin), fields));
    return { type: 'order', orders: rows, grouping: 'na' };
  }

  /** Places one order that must rest; its oid. */
  async rest(order: CoinOrder): Promise<number> {
    const { body } = await this.act(this.orderAction(order));
    const [element] = body.response.data.statuses;
    const oid: unknown = element.resting?.oid ?? element.filled?.oid;
    expect(oid, JSON.stringify(body)).to.be.a('number');
    return oid as number;
  }

  /** Begins the account again, as its owner's own token may. */
  async reset(): Promise<void> {
    const path = `${this.#exchange.stack.baseUrl}/v1/exchanges/perpx/account/reset`;
    const { status } = await fetch(path, { method: 'POST', headers: { authorization: `Bearer ${this.account.token}` } });
    expect(status).to.equal(200);
  }

  async cancel(...cancels: readonly (readonly [coin: string, oid: number])[]): Promise<string[]> {
    const rows = cancels.map(([coin, o]) => ({ a: this.#exchange.asset(coin), o }));
    return inWords((await this.act({ type: 'cancel', cancels: rows })).body);
  }

  async cancelByCloid(...cancels: readonly (readonly [coin: string, cloid: string])[]): Promise<string[]> {
    const rows = cancels.map(([coin, cloid]) => ({ asset: this.#exchange.asset(coin), cloid }));
    return inWords((await this.act({ type: 'cancelByCloid', cancels: rows })).body);
  }

  async modify(...modifies: readonly { oid: number | string; order: CoinOrder }[]): Promise<string[]> {
    const rows = modifies.map(({ oid, order: { coin, ...fields } }) => ({
      oid,
      order: wireOrder(this.#exchange.asset(coin), fields),
    }));
    return inWords((await this.act({ type: 'batchModify', modifies: rows })).body);
  }

  /** `ok`, or the text of the refusal. */
  async leverage(coin: string, leverage: number, mode: 'cross' | 'isolated' = 'cross'): Promise<string> {
    const asset = this.#exchange.asset(coin);
    const { body } = await this.act({ type: 'updateLeverage', asset, isCross: mode === 'cross', leverage });
    return body.status === 'ok' ? 'ok' : body.response;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in info
  async position(coin: string): Promise<any> {
    const { assetPositions } = await this.info('clearinghouseState');
    return assetPositions.find(({ position }: { position: { coin: string } }) => position.coin === coin)?.position;
  }

  /** Open orders, oldest first: `B 4.0/10.0 @ 99.5`, the rest and the ordered size. */
  async open(): Promise<string[]> {
    const orders: OpenOrderRow[] = await this.info('openOrders');
    return orders
      .sort((a, b) => a.oid - b.oid)
      .map(({ side, sz, origSz, limitPx, reduceOnly }) => `${side} ${sz}/${origSz} @ ${limitPx}${reduceOnly ? ' reduce' : ''}`);
  }

  /** Fills, oldest first: `B 6.0 @ 99.5 maker`. */
  async fills(): Promise<string[]> {
    const fills: FillRow[] = await this.info('userFills');
    return fills.reverse().map(({ side, sz, px, crossed }) => `${side} ${sz} @ ${px} ${crossed ? 'taker' : 'maker'}`);
  }

  /** Status of an order, by oid or cloid: `canceled 4.0/10.0`. */
  async status(oid: number | string): Promise<string> {
    const { status, order } = await this.info('orderStatus', { oid });
    return status === 'order' ? `${order.status} ${order.sz}/${order.order.origSz}` : status;
  }

  /** How the account's orders ended or rest, oldest oid first, one status each. */
  async statuses(): Promise<string[]> {
    const rows: HistoricalRow[] = await this.info('historicalOrders');
    const newest = new Map<number, string>();
    for (const { order, status } of rows) if (!newest.has(order.oid)) newest.set(order.oid, status);
    return [...newest].sort(([a], [b]) => a - b).map(([, status]) => status);
  }

  /** Every record of the account tells the same story. */
  async expectConsistent(): Promise<void> {
    const [state, open, frontend, history, fills] = await Promise.all([
      this.info('clearinghouseState'),
      this.info('openOrders') as Promise<OpenOrderRow[]>,
      this.info('frontendOpenOrders') as Promise<OpenOrderRow[]>,
      this.info('historicalOrders') as Promise<HistoricalRow[]>,
      this.info('userFills') as Promise<FillRow[]>,
    ]);
    expect(frontend.map(numbersOfOrder), 'openOrders and frontendOpenOrders').to.deep.equal(open.map(numbersOfOrder));
    expect(new Set(fills.map(({ tid }) => tid)).size, 'tids').to.equal(fills.length);
    const newest = new Map<number, HistoricalRow>();
    for (const row of history) if (!newest.has(row.order.oid)) newest.set(row.order.oid, row);
    const stillOpen = [...newest.values()].filter(({ status }) => status === 'open');
    expect(stillOpen.map(({ order }) => order.oid).sort(), 'open in historicalOrders').to.deep.equal(
      open.map(({ oid }) => oid).sort(),
    );
    for (const { order, status } of newest.values()) {
      const filled = sum(fills.filter(({ oid }) => oid === order.oid).map(({ sz }) => sz));
      const left = Number(open.find(({ oid }) => oid === order.oid)?.sz ?? order.sz);
      if (status === 'filled') expect(left, `left of ${order.oid}`).to.equal(0);
      expect(Number((filled + left).toFixed(8)), `sizes of ${order.oid}`).to.equal(Number(order.origSz));
    }
    for (const coin of new Set(fills.map((fill) => fill.coin))) {
      const signed = sum(fills.filter((fill) => fill.coin === coin).map(({ side, sz }) => (side === 'B' ? sz : `-${sz}`)));
      const held = state.assetPositions.find(({ position }: { position: { coin: string } }) => position.coin === coin);
      expect(Number(held?.position.szi ?? 0), `position in ${coin}`).to.equal(Number(signed.toFixed(8)));
    }
  }
}

/** Each element of an answer: `resting`, `filled 12.0 @ 100.05833`, `success`, or the text of a refusal. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came
function inWords(body: any): string[] {
  if (body.status !== 'ok') return [body.response ?? JSON.stringify(body)];
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return body.response.data.statuses.map((element: any) => {
    if (typeof element === 'string') return element;
    if (element.filled) return `filled ${element.filled.totalSz} @ ${element.filled.avgPx}`;
    return element.resting ? 'resting' : element.error;
  });
}

interface OpenOrderRow {
  readonly oid: number;
  readonly coin: string;
  readonly side: string;
  readonly sz: string;
  readonly origSz: string;
  readonly limitPx: string;
  readonly reduceOnly?: boolean;
}

interface HistoricalRow {
  readonly order: OpenOrderRow;
  readonly status: string;
}

interface FillRow {
  readonly oid: number;
  readonly tid: number;
  readonly coin: string;
  readonly side: string;
  readonly px: string;
  readonly sz: string;
  readonly crossed: boolean;
}

const numbersOfOrder = ({ oid, coin, side, sz, origSz, limitPx }: OpenOrderRow) => ({ oid, coin, side, sz, origSz, limitPx });

const sum = (texts: readonly string[]): number => texts.reduce((total, text) => total + Number(text), 0);
