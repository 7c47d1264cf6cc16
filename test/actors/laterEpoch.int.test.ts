// MongoDB remembers an owner that Redis has forgotten: the shard is given up at once and taken beyond that owner's epoch.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { JournalPositionDocument } from '../../src/actors/engine/journal/journalPosition.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

describe('a later epoch in MongoDB ends the ownership', function () {
  this.timeout(600_000);
  let bench: ActorBench;

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200' });
  });
  after(() => bench.stop());

  it('the shard is taken beyond it, trading and history go on, and a metric says so', async () => {
    const gateway = await bench.startGateway();
    const registry = new Registry();
    await bench.startOnlyPod({ registry });
    const account = accountName(1);
    const shard = shardOf(account, bench.config.SHARDS);
    const positions = bench.mongo.db.collection<JournalPositionDocument>(collections.shards);
    const position = () => positions.findOne({ _id: shard });
    const commit = async (): Promise<number> => (await position())?.commit ?? 0;
    await gateway.send(account, commands.open, ask);
    await until(async () => (await commit()) > 0);

    await positions.updateOne({ _id: shard }, { $set: { epoch: 40, owner: '40:forgotten:0' }, $inc: { version: 1 } });
    const epochInRedis = async (): Promise<number> => Number.parseInt((await bench.redis.get(shardKeys.lease(shard))) ?? '0', 10);
    await until(async () => (await epochInRedis()) === 41);

    const before = await commit();
    expect(await gateway.send(account, commands.place(), ask)).to.have.nested.property('orders[0].type', 'filled');
    await until(async () => (await commit()) > before);
    expect(await position()).to.include({ epoch: 41 });
    expect(await registry.getSingleMetricAsString('actor_later_epochs_total')).to.match(/ [1-9]\d*$/m);
  });
});
