import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { JournalPositionDocument } from '../../../src/actors/engine/journal/journalPosition.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { deploymentKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { QUIET_BREATHS_MS, SHARDS } from '../../support/faults/faultStack.ts';
import { Random, scenario } from '../../support/faults/seeds.ts';
import { type RemoteFaults, remoteFaults } from '../../support/faults/sharedFaults.ts';
import { until } from '../../support/until.ts';

describe('owners that are not who they think they are', function () {
  this.timeout(600_000);
  let remote: RemoteFaults;

  remoteFaults.use((shared) => {
    remote = shared;
  });

  const epochOf = async (shard: number): Promise<number> =>
    Number.parseInt((await remote.faults.stack.redis.get(shardKeys.lease(shard))) ?? '0', 10);
  const log = (name: string): string => readFileSync(remote.faults.stack.process(name).logFile, 'utf8');

  scenario('MongoDB knows a later owner than Redis: the shard is taken anew beyond it, and goes on', async (seed) => {
    const { stack } = remote.faults;
    const load = await remote.faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const shards = [...new Set(load.bots.map(({ account }) => shardOf(account.address, SHARDS)))];
    const positions = stack.mongo.db.collection<JournalPositionDocument>(collections.shards);
    const later = new Map<number, number>();
    for (const shard of shards) {
      const epoch = (await epochOf(shard)) + new Random(seed).whole(2, 1000);
      later.set(shard, epoch);
      const owner = `${epoch}:forgotten:0`;
      await until(
        async () =>
          (await positions.updateOne({ _id: shard }, { $set: { epoch, owner }, $inc: { version: 1 } })).matchedCount === 1,
      );
    }
    for (const [shard, epoch] of later) await until(async () => (await epochOf(shard)) === epoch + 1);
    expect(await stack.metrics('actors-0')).to.match(/^actor_later_epochs_total [1-9]/m);
    await load.verdict();
    for (const [shard, epoch] of later) expect(await positions.findOne({ _id: shard })).to.include({ epoch: epoch + 1 });
  });

  scenario(
    'two processes with one NODE_ID: the second is refused; one that was asleep when its name was taken ends',
    async (seed) => {
      const { stack } = remote.faults;
      const load = await remote.faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
      const names = await stack.redis.hkeys(deploymentKeys.processes);
      const nodeId = names.find((name) => name.startsWith('actors-0-')) as string;
      const says = `Another process of this deployment runs under NODE_ID=${nodeId}: give each process another name`;
      const leases = await Promise.all([...Array(SHARDS).keys()].map(epochOf));

      const twin = await stack.add('actors', { NODE_ID: nodeId });
      await stack.process(twin).ended();
      expect(log(twin)).to.include(says);
      await load.progress(5);
      expect(await Promise.all([...Array(SHARDS).keys()].map(epochOf)), 'the first one keeps its shards').to.deep.equal(leases);

      await stack.kill('actors-0', 'SIGSTOP');
      stack.process(twin).start();
      await until(async () =>
        (await Promise.all([...Array(SHARDS).keys()].map(epochOf))).every((epoch, shard) => epoch > (leases[shard] ?? 0)),
      );
      await load.progress(5);
      await stack.kill('actors-0', 'SIGCONT');
      await stack.process('actors-0').ended();
      expect(log('actors-0')).to.include(says);
      await load.verdict();
    },
  );
});
