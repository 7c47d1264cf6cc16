import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { shardTag } from '../../src/shared/redis/keys.ts';
import { setBooks } from '../support/faults/coins.ts';
import { allTradeOn, Trade } from '../support/faults/trade.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** The default. */
const SHARDS = 16;

describe('a replica takes over from a master that dies', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let stack: Stack;

  const start = async (env: Record<string, string> = {}): Promise<void> => {
    cluster = await startRedisCluster({ hasReplicas: true });
    stack = await startStack({
      ...{ redisThrough: () => Promise.resolve(cluster.url) },
      // MongoDB has rows before Redis loses them.
      env: { HISTORY_DELAY_MS: '0', ...env },
    });
    await setBooks(stack.market);
  };
  afterEach(async () => {
    await stack.stop();
    await cluster.stop();
  });
  const masterOf = ({ address }: TestAccount): Promise<number> => cluster.ownerOf(shardTag(shardOf(address, SHARDS)));
  const logs = (): string => [...stack.processes.values()].map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');

  it('one that lags loses what it lacks: whole, in MongoDB too, and the log and a metric say so', async () => {
    await start();
    const account = await stack.register();
    const trade = new Trade(stack, account);
    const running = trade.run();
    await allTradeOn([trade]);
    const master = await masterOf(account);
    await cluster.cutReplica(master);
    const had = trade.filled;
    await until(() => trade.filled > had + 5);
    const rows = () =>
      stack.mongo.db.collection(collections.history).findOne({ _id: new RegExp(`^${account.address}:fills:`) as never });
    await until(async () => ((await rows())?.['rows'].length ?? 0) > had + 3);
    await cluster.killMaster(master);
    await until(() => logs().includes('Redis has lost'));
    await allTradeOn([trade]);
    trade.end();
    await running;
    expect(await trade.check({ mayLose: true })).to.be.below(trade.filled);
    expect(await stack.metrics('actors-0')).to.match(/^actor_redis_losses_total [1-9]/m);
  });

  it('with REDIS_MIN_REPLICAS it has all that was answered, and trading goes on when it has a replica itself', async () => {
    await start({ REDIS_MIN_REPLICAS: '1' });
    const accounts = await Promise.all(Array.from({ length: 3 }, () => stack.register()));
    const trades = accounts.map((account) => new Trade(stack, account));
    const running = trades.map((trade) => trade.run());
    await allTradeOn(trades);
    const master = await masterOf(accounts[0] as TestAccount);
    await cluster.killMaster(master);
    await cluster.restart(master);
    await allTradeOn(trades);
    for (const trade of trades) trade.end();
    await Promise.all(running);
    for (const trade of trades) await trade.check();
    expect(logs()).to.not.include('Redis has lost');
  });

  it('one that is cut off is replaced, and does nothing any more when it comes back', async () => {
    await start({ REDIS_MIN_REPLICAS: '1' });
    const account = await stack.register();
    const trade = new Trade(stack, account);
    const running = trade.run();
    await allTradeOn([trade]);
    const master = await masterOf(account);
    cluster.freeze(master);
    await cluster.untilReplaced(master);
    cluster.thaw(master);
    await allTradeOn([trade]);
    trade.end();
    await running;
    await trade.check();
    expect(logs()).to.not.include('Redis has lost');
  });
});
