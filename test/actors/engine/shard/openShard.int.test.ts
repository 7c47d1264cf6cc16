import { expect } from 'chai';
import type { MailboxCommand } from '../../../../src/actors/engine/commit/mailbox.ts';
import { type Lease, LeaseTerm } from '../../../../src/actors/engine/ownership/lease.ts';
import { beginPossiblePoison, openShard } from '../../../../src/actors/engine/shard/openShard.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';

const SHARD = 0;
const headsOf = (heads: Record<string, string>): Map<string, MailboxCommand> =>
  new Map(Object.entries(heads).map(([accountId, id]) => [accountId, { id, text: '{}', envelope: undefined }]));

describe('openShard: who is counted against the commands that wait', function () {
  this.timeout(600_000);
  let store: Store;
  let redis: Redis;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log: createLogger({ level: 'silent', role: 'test' }) });
  });
  beforeEach(() => redis.flushall());
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const take = async (epoch: number): Promise<Lease> => {
    const token = `${epoch}:test:${epoch}`;
    await redis.set(shardKeys.lease(SHARD), token);
    const before = { commitNumber: 0, idCounter: 0, isClean: false, hasWorked: true, isProven: false };
    return { shard: SHARD, token, epoch, ...before, term: new LeaseTerm(60_000, performance.now()) };
  };
  const numbers = { commitNumber: 0, idCounter: 0 };

  it('an owner that recovers again under its own lease has not died of what it began, nor of what came since', async () => {
    const lease = await take(2);
    const { possiblePoison: found } = await openShard(redis, lease, { ...numbers, heads: headsOf({ a: '1-0', b: '2-0' }) });
    expect([...found]).to.deep.equal([
      ['1-0', 1],
      ['2-0', 1],
    ]);
    expect(await beginPossiblePoison(redis, lease, { accountId: 'a', id: '1-0', ownersBegun: 2 })).to.equal(true);
    const heads = headsOf({ a: '1-0', b: '7-0', c: '8-0' });
    const { possiblePoison } = await openShard(redis, lease, { ...numbers, heads, found });
    expect([...possiblePoison]).to.deep.equal([['1-0', 1]]);
    expect(await redis.hgetall(shardKeys.poisonCommands(SHARD))).to.deep.equal({ a: '1-0 1' });
    // An owner that dies of the command when it has begun it again is counted.
    expect(await beginPossiblePoison(redis, lease, { accountId: 'a', id: '1-0', ownersBegun: 2 })).to.equal(true);
    const next = await openShard(redis, await take(3), { ...numbers, heads });
    expect(next.possiblePoison.get('1-0')).to.equal(2);
  });
});
