import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { podKeys, shardTag } from '../../src/shared/redis/keys.ts';
import { setBooks } from '../support/faults/coins.ts';
import { allTradeOn, Trade } from '../support/faults/trade.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** The default. */
const SHARDS = 16;

describe('one of three nodes of a Redis Cluster says nothing, and no replica takes over', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let stack: Stack;

  before(async () => {
    cluster = await startRedisCluster();
    stack = await startStack({
      ...{ pods: 2, redisThrough: () => Promise.resolve(cluster.url) },
      env: { LEASE_TTL_MS: '900', MARKET_MAX_AGE_MS: '600000' },
    });
    await setBooks(stack.market);
  });
  after(async () => {
    await stack.stop();
    await cluster.stop();
  });

  it('shards of the others trade on, and a pod that dies is replaced there; then all go on', async () => {
    const silent = await cluster.ownerOf(podKeys.pods);
    const nodeOf = ({ address }: TestAccount) => cluster.ownerOf(shardTag(shardOf(address, SHARDS)));
    const accounts = await Promise.all(Array.from({ length: 8 }, () => stack.register()));
    const nodes = await Promise.all(accounts.map(nodeOf));
    const elsewhere = accounts.filter((_, i) => nodes[i] !== silent);
    const trades = elsewhere.map((account) => new Trade(stack, account));
    const running = trades.map((trade) => trade.run());
    await allTradeOn(trades);
    cluster.freeze(silent);
    await allTradeOn(trades);
    await stack.kill('actors-0');
    await allTradeOn(trades);
    const health = await stack.health();
    expect(health.reasons).to.include('A part of Redis does not answer');
    cluster.thaw(silent);
    const all = accounts.map((account) => new Trade(stack, account));
    for (const trade of trades) trade.end();
    await Promise.all(running);
    const again = all.map((trade) => trade.run());
    await allTradeOn(all);
    for (const trade of all) trade.end();
    await Promise.all(again);
    for (const trade of trades) expect(trade.filled).to.be.above(0);
    await until(async () => (await stack.health()).code === 200);
  });
});
