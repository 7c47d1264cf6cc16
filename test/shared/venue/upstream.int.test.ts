// Questions to the venue with the shared cache, on a real Redis and the emulated venue.
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RetryableError, TerminalError } from '../../../src/shared/errors.ts';
import { marketKeys } from '../../../src/shared/redis/keys.ts';
import { Upstream } from '../../../src/shared/venue/upstream.ts';
import { startEmulator, type TestMarket } from '../../support/market.ts';
import { type Store, startRedis } from '../../support/stores.ts';

const log = pino({ level: 'silent' });

describe('upstream: answers of the venue are shared, bounded and outlive it', () => {
  let store: Store;
  let redis: Redis;
  let venue: TestMarket;
  let nowMs = Date.now();
  const node = (): Upstream => new Upstream({ log, redis, url: venue.url, now: () => nowMs });
  const status = { type: 'exchangeStatus' };

  before(async () => {
    store = await startRedis();
    redis = new Redis(store.url);
    venue = await startEmulator();
  });

  after(async () => {
    redis.disconnect();
    await venue.stop();
    await store.stop();
  });

  const failure = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      return await work;
    } catch (error) {
      return error;
    }
  };

  it('gives two nodes one answer within its time, and a new one after it', async () => {
    const first = await node().info(status, { ttlMs: 1000 });
    expect(await node().info(status, { ttlMs: 1000 })).to.deep.equal(first);
    nowMs += 1001;
    expect(await node().info(status, { ttlMs: 1000 })).to.not.deep.equal(first);
  });

  it('asks once when many ask at once', async () => {
    const one = node();
    const answers = await Promise.all(Array.from({ length: 50 }, () => one.info({ ...status, n: 1 }, { ttlMs: 0 })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
  });

  it('passes a refusal of the venue on', async () => {
    expect(await failure(node().info({ type: 'nonsense' }, { ttlMs: 1000 }))).to.be.instanceOf(TerminalError);
  });

  it('remembers a bounded number of answers', async () => {
    const one = node();
    for (let i = 0; i < 210; i++) await one.info({ ...status, i }, { ttlMs: 1000 });
    expect(await redis.zcard(marketKeys.restIndex)).to.equal(200);
    expect(await redis.keys('{mkt}:rest:*')).to.have.length(200);
  });

  it('gives an old answer when the venue is away, and says so when there is none', async () => {
    const known = { type: 'spotMeta' };
    const answer = await node().info(known, { ttlMs: 1000 });
    await venue.stop();
    nowMs += 3_600_000;
    expect(await node().info(known, { ttlMs: 1000 })).to.deep.equal(answer);
    expect(await failure(node().info({ type: 'meta' }, { ttlMs: 1000 }))).to.be.instanceOf(RetryableError);
  });
});
