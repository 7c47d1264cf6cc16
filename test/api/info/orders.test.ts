import { expect } from 'chai';
import type { OrderView } from '../../../src/actors/core/messages/order.ts';
import { readOpenOrders } from '../../../src/api/info/orders.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

describe('open orders: thousands are not made into an answer in one piece', () => {
  const { call, services } = new ExchangeInMemory();

  /** @returns the steps, with each turn of the event loop */
  async function happenings(count: number): Promise<string[]> {
    const orders = Array.from({ length: count }, (_, oid) => ({ oid }) as OrderView);
    const happened: string[] = [];
    const gateway = { ask: async () => ({ type: 'answer', seq: 1, answer: { kind: 'openOrders', orders } }) };
    setImmediate(() => happened.push('a turn of others'));
    const shaped = await readOpenOrders(call, { ...services, gateway: gateway as never }, (newestFirst) => {
      setImmediate(() => happened.push('a turn of others'));
      happened.push(`shaped from ${newestFirst[0]?.oid}`);
      return newestFirst.length;
    });
    happened.push(`written ${shaped}`);
    return happened;
  }

  it('few at once', async () => {
    expect(await happenings(1000)).to.deep.equal(['shaped from 999', 'written 1000']);
  });

  it('more with turns of others between reading, shaping and writing', async () => {
    expect(await happenings(1001)).to.deep.equal(['a turn of others', 'shaped from 1000', 'a turn of others', 'written 1001']);
  });
});
