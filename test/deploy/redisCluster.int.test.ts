import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { shardTag } from '../../src/shared/redis/keys.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** The default. */
const SHARDS = 16;
const ORDER = orderAction(BTC.asset, { px: '65100', sz: '0.01', tif: 'Ioc' });

describe('the roles on a Redis Cluster of three nodes', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let stack: Stack;

  before(async () => {
    cluster = await startRedisCluster();
    stack = await startStack({ apis: 2, pods: 2, jobs: 1, redisThrough: () => Promise.resolve(cluster.url) });
  });

  after(async () => {
    await stack.stop();
    await cluster.stop();
  });

  it('accounts of many shards trade over either API node, and have their history', async () => {
    await setBooks(stack.market);
    const accounts = await Promise.all(Array.from({ length: 6 }, () => stack.register()));
    for (const [i, { apiKey }] of accounts.entries()) {
      const { status, body } = await stack.exchange(apiKey, ORDER, { baseUrl: stack.baseUrls[i % 2] ?? '' });
      expect([status, body.response?.data.statuses[0].filled?.totalSz]).to.deep.equal([200, '0.01']);
      expect(filledOrders((await stack.info(apiKey, { type: 'userFills' }, stack.baseUrls[(i + 1) % 2])).body)).to.deep.equal([
        0.01,
      ]);
    }
  });

  it('a shard whose slot goes from node to node trades on: each order is filled once', async () => {
    const { apiKey, address } = await stack.register();
    const tag = shardTag(shardOf(address, SHARDS));
    let isMoving = true;
    let orders = 0;
    const trade = async (): Promise<void> => {
      while (isMoving) {
        const { body } = await stack.act(apiKey, ORDER);
        expect(body.response?.data.statuses[0].filled?.totalSz).to.equal('0.01');
        orders += 1;
      }
    };
    const trading = trade();
    for (let i = 0; i < 2 * cluster.nodes.length; i++) {
      const before = orders;
      await cluster.moveSlotOf(tag, ((await cluster.ownerOf(tag)) + 1) % cluster.nodes.length);
      await until(() => orders > before);
    }
    isMoving = false;
    await trading;
    expect(filledOrders(await stack.ask(apiKey, { type: 'userFills' }))).to.deep.equal(
      Array.from({ length: orders }, () => 0.01),
    );
    const { assetPositions } = await stack.ask(apiKey, { type: 'clearinghouseState' });
    expect(Number(assetPositions[0].position.szi)).to.be.closeTo(0.01 * orders, 1e-9);
  });

  it('each node has a part of the shards, and no call had keys of two slots', async () => {
    const tags = Array.from({ length: SHARDS }, (_, shard) => shardTag(shard));
    expect(new Set(await Promise.all(tags.map((tag) => cluster.ownerOf(tag)))).size).to.equal(3);
    const logs = [...stack.processes.values()].map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
    expect(logs).to.not.match(/CROSSSLOT|non local key|do not hash to the same slot/);
  });
});

/** The filled size of each order. */
function filledOrders(fills: readonly { readonly oid: number; readonly sz: string }[]): number[] {
  const sizes = new Map<number, number>();
  for (const { oid, sz } of fills) sizes.set(oid, (sizes.get(oid) ?? 0) + Number(sz));
  return [...sizes.values()].map((size) => Number(size.toFixed(9)));
}
