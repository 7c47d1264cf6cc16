import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { JOB_QUEUE_PREFIX } from '../../src/shared/redis/jobQueue.ts';
import { deploymentKeys, shardTag } from '../../src/shared/redis/keys.ts';
import { setBooks } from '../support/faults/coins.ts';
import { allTradeOn, Trade } from '../support/faults/trade.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** The default. */
const SHARDS = 16;

describe('processes that start while a node of a Redis Cluster is away', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let stack: Stack;
  let accounts: readonly TestAccount[];

  const start = async (options: { hasReplicas: boolean }): Promise<void> => {
    cluster = await startRedisCluster(options);
    stack = await startStack({
      ...{ jobs: 1, redisThrough: () => Promise.resolve(cluster.url) },
      env: { LEASE_TTL_MS: '900', MARKET_MAX_AGE_MS: '600000' },
    });
    await setBooks(stack.market);
    accounts = await Promise.all(Array.from({ length: 6 }, () => stack.register()));
  };
  afterEach(async () => {
    await stack.stop();
    await cluster.stop();
  });

  const names = (): string[] => [...stack.processes.keys()];
  const end = (some: readonly string[]) => Promise.all(some.map((name) => stack.kill(name)));
  const begin = (some: readonly string[]) => Promise.all(some.map((name) => stack.restart(name)));
  const waitsFor = (name: string, tag: string): Promise<void> =>
    until(() => stack.process(name).lifeLog().includes(`waits for MongoDB or Redis: on a cluster, for the node of ${tag}`));
  const tradeOn = async (some: readonly TestAccount[]): Promise<void> => {
    const trades = some.map((account) => new Trade(stack, account));
    const running = trades.map((trade) => trade.run());
    await allTradeOn(trades);
    for (const trade of trades) trade.end();
    await Promise.all(running);
  };
  const allAreWhole = async (): Promise<void> => {
    for (const name of names()) await until(() => stack.isReady(name));
    await tradeOn(accounts);
    for (const name of names()) {
      expect(stack.process(name).isRunning, name).to.equal(true);
      expect(stack.process(name).lifeLog(), name).to.not.match(/"level":60|^Error|^ {4}at /m);
    }
  };

  it('silent: all wait for the node of {deployment} and say so, then each role works as soon as it has what it needs', async () => {
    await start({ hasReplicas: false });
    const [first, other] = await Promise.all([deploymentKeys.record, JOB_QUEUE_PREFIX].map((key) => cluster.ownerOf(key)));
    const nodes = await Promise.all(accounts.map(({ address }) => cluster.ownerOf(shardTag(shardOf(address, SHARDS)))));
    await end(names());
    for (const node of [first, other]) cluster.freeze(node as number);
    await begin(names());
    for (const name of names()) await waitsFor(name, '{deployment}');
    // Asked to stop while it waits, it stops.
    await stack.kill('market-0', 'SIGTERM');
    expect(stack.process('market-0').lifeLog()).to.not.include('Connection is closed');
    await begin(['market-0']);
    cluster.thaw(first as number);
    await tradeOn(accounts.filter((_, i) => nodes[i] !== other));
    await waitsFor('jobs-0', '{bull}');
    cluster.thaw(other as number);
    await allAreWhole();
  });

  it('killed: they work as soon as its replica has taken over, and start then, though REDIS_URL names the dead node first', async () => {
    await start({ hasReplicas: true });
    await end(names());
    const replaced = cluster.killMaster(0);
    await begin(['market-0', 'actors-0']);
    await replaced;
    await begin(['jobs-0', 'api-0']);
    await allAreWhole();
  });
});
