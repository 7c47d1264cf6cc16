import { expect } from 'chai';
import { KeptReads } from '../../../src/api/account/reading.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

describe('kept reads: asking twice costs once while the account has no new entry', () => {
  let exchange: ExchangeInMemory;
  let kept: KeptReads;
  let reads: number;
  beforeEach(() => {
    exchange = new ExchangeInMemory();
    kept = new KeptReads(() => exchange.nowMs);
    reads = 0;
  });
  const read = (name = 'analytics all'): Promise<number> =>
    kept.read(exchange.services.gateway, exchange.call, name, async () => {
      reads += 1;
      return reads;
    });

  it('many who ask at once, and soon after, get one answer', async () => {
    expect(new Set(await Promise.all(Array.from({ length: 10 }, () => read())))).to.deep.equal(new Set([1]));
    exchange.nowMs += 4999;
    expect(await read()).to.equal(1);
    exchange.nowMs += 1;
    expect(await read()).to.equal(2);
  });

  it('another question has another answer', async () => {
    expect([await read(), await read('analytics 1d'), await read()]).to.deep.equal([1, 2, 1]);
  });

  it('after a new entry the account is read anew: a client reads its own writes', async () => {
    await read();
    await exchange.exchange({ type: 'updateLeverage', asset: 0, isCross: true, leverage: 2 });
    expect(await read()).to.equal(2);
  });

  it('an entry of the same number is another one after Redis has lost the first', async () => {
    const lost = exchange;
    await lost.exchange({ type: 'updateLeverage', asset: 0, isCross: true, leverage: 2 });
    await read();
    exchange = new ExchangeInMemory();
    await exchange.exchange({ type: 'updateLeverage', asset: 0, isCross: true, leverage: 3 });
    const seqOf = async ({ services: { gateway }, call }: ExchangeInMemory): Promise<unknown> =>
      gateway.send(call.caller.accountId, { type: 'query', query: { kind: 'summary' } }, { requestId: '' });
    expect(await seqOf(exchange)).to.have.property('seq', ((await seqOf(lost)) as { seq: number }).seq);
    expect(await read()).to.equal(2);
  });

  it('a failure is not kept', async () => {
    const failing = kept.read(exchange.services.gateway, exchange.call, 'x', () => Promise.reject(new Error('away')));
    expect(await failing.catch((error: Error) => error.message)).to.equal('away');
    expect(await read('x')).to.equal(1);
  });
});
