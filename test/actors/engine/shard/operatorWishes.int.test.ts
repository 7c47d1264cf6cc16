import { expect } from 'chai';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import { OperatorWishes } from '../../../../src/actors/engine/shard/operatorWishes.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const nothing = (): void => undefined;
const SHARD = 2;

describe('wishes of operators', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let store: Store;
  let redis: Redis;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  it('are taken by the owner, and stay for it when a former owner looks', async () => {
    await redis.set(shardKeys.lease(SHARD), '2:now:b');
    await redis.hset(shardKeys.wishes(SHARD), 'a', 'lift');
    const takenBy: string[] = [];
    const wishesOf = (token: string) =>
      new OperatorWishes({
        ...{ pod: { redis, log }, lease: { shard: SHARD, token } },
        opened: {
          recovered: {
            reload: async (accountId) => {
              takenBy.push(token);
              return emptyAccount(accountId);
            },
            tailOf: () => [],
          },
          waiting: { add: nothing },
        },
        accounts: { quarantined: new Map([['a', 'a fault']]), halt: nothing, readmit: nothing },
        commits: { draft: new CommitDraft(1, NEWEST_FORMAT), isChanging: () => false },
        ...{ loader: { halt: nothing }, notLoadedIndex: { note: nothing }, events: { onWork: nothing } },
      });
    wishesOf('1:former:a').look();
    wishesOf('2:now:b').look();
    await until(() => takenBy.length > 0);
    expect(takenBy).to.deep.equal(['2:now:b']);
    expect(await redis.exists(shardKeys.wishes(SHARD))).to.equal(0);
  });
});
