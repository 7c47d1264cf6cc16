// What a pod does about data that it cannot read: nothing is written for good about an account that another owner may
// read, and a pod that is too old for the deployment leaves its shards to others.
import { expect } from 'chai';
import type { SnapshotDocument } from '../../src/actors/domain/history/historyDocuments.ts';
import { parsePodStatus } from '../../src/actors/domain/messages/podStatus.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/commandGateway.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shardOf.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { podKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

describe('an account that cannot be loaded is halted by this owner alone', function () {
  this.timeout(30_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let pod: Actors;
  const account = accountName(1);

  before(async () => {
    bench = await ActorBench.start({ COMMAND_DEADLINE_MS: '3000' });
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());

  const shard = (): number => shardOf(account, bench.config.SHARDS);
  const quarantine = (): Promise<Record<string, string>> => bench.redis.hgetall(shardKeys.quarantine(shard()));
  const snapshots = () => bench.mongo.db.collection<SnapshotDocument>(collections.accounts);
  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof RequestError ? error.code : error),
    );

  it('its clients are told 503, and nothing is written down', async () => {
    const damaged = { _id: account, schema: 1, shard: shard(), seq: 1, commit: 0, text: '{"id":' } as const;
    await snapshots().insertOne(damaged);
    pod = await bench.startOnlyPod();
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    expect(await quarantine()).to.deep.equal({});
    expect(pod.status().find((one) => one.shard === shard())).to.include({ halted: 1 });
  });

  it('the next owner tries again, also where an older build has written it down, and takes that away', async () => {
    await bench.stopPod(pod);
    await snapshots().deleteOne({ _id: account });
    const folded = accountName(2);
    await bench.redis.hset(shardKeys.quarantine(shard()), account, 'cannot be loaded: no reason given', folded, 'wake-up: Error');
    await bench.startOnlyPod();
    await until(async () => !((await quarantine()) as Record<string, string>)[account]);
    expect(await codeOf(gateway.send(account, commands.open, ask))).to.equal('done');
    expect(await quarantine(), 'a fold that threw stays').to.deep.equal({ [folded]: 'wake-up: Error' });
  });
});

describe('a pod that the deployment has left behind', function () {
  this.timeout(30_000);
  let bench: ActorBench;
  before(async () => {
    bench = await ActorBench.start();
  });
  after(() => bench.stop());

  it('gives its shards back, says so, takes none, and takes them again when it can read them', async () => {
    const record: { current: 2; recorded: number } = { current: NEWEST_FORMAT, recorded: NEWEST_FORMAT };
    const pod = await bench.startOnlyPod({ formats: record });
    record.recorded = NEWEST_FORMAT + 1;
    await until(() => pod.status().length === 0);
    await until(async () => {
      const [said = ''] = Object.values(await bench.redis.hgetall(podKeys.pods));
      const { formats, shards } = parsePodStatus(pod.podId, said);
      return shards.length === 0 && formats?.reads === NEWEST_FORMAT;
    });
    const leases = Array.from({ length: bench.config.SHARDS }, (_, shard) => bench.redis.exists(shardKeys.lease(shard)));
    expect(await Promise.all(leases)).to.deep.equal(leases.map(() => 0));
    record.recorded = NEWEST_FORMAT;
    await until(() => bench.hasAllShards(pod));
  });
});
