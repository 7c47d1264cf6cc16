import { shardOf } from '../../src/shared/domain/shards.ts';
import { shardTag } from '../../src/shared/redis/keys.ts';
import { setBooks } from '../support/faults/coins.ts';
import { allTradeOn, Trade } from '../support/faults/trade.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';

/** The default. */
const SHARDS = 16;

describe('a master of a Redis Cluster dies in the middle of trading', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let stack: Stack;

  before(async () => {
    cluster = await startRedisCluster({ hasReplicas: true });
    stack = await startStack({ apis: 2, pods: 2, redisThrough: () => Promise.resolve(cluster.url) });
    await setBooks(stack.market);
  });

  after(async () => {
    await stack.stop();
    await cluster.stop();
  });

  it('its replica takes over: all accounts trade on, and each order was filled once', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => stack.register()));
    const trades = accounts.map((account) => new Trade(stack, account));
    const running = trades.map((trade) => trade.run());
    await allTradeOn(trades);
    const [{ address }] = accounts as [TestAccount];
    await cluster.killMaster(await cluster.ownerOf(shardTag(shardOf(address, SHARDS))));
    await allTradeOn(trades);
    for (const trade of trades) trade.end();
    await Promise.all(running);
    for (const trade of trades) await trade.check({ mayLose: true });
  });
});
