// A pod that meets data it cannot read: it writes nothing final about an account that another owner may read, and a
// pod that is too old for the deployment leaves its shards to others.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { SnapshotDocument } from '../../src/actors/core/history/historyDocuments.ts';
import { parsePodStatus } from '../../src/actors/core/messages/podStatus.ts';
import { writeQuarantineRecord } from '../../src/actors/core/messages/quarantineRecord.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { haltedAccounts } from '../../src/operators/acts/haltedAccounts.ts';
import { type Format, NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { podKeys, SHARD_MAILBOX, shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

describe('an account that cannot be loaded is halted by this owner alone', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;
  let pod: Actors;
  const account = accountName(1);

  before(async () => {
    bench = await ActorBench.start();
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
    const damaged = { _id: account, v: 1, shard: shard(), seq: 1, commit: 0, text: '{"id":' } as const;
    await snapshots().insertOne(damaged);
    pod = await bench.startOnlyPod();
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    expect(await quarantine()).to.deep.equal({});
    expect(pod.status().find((one) => one.shard === shard())).to.include({ halted: 1 });
  });

  it('operators find every one of them, however many there are', async () => {
    const more = Array.from({ length: 30 }, (_, n) => accountName(100 + n));
    const damaged = more.map((id) => ({
      _id: id,
      v: 1 as const,
      shard: shardOf(id, bench.config.SHARDS),
      seq: 1,
      commit: 0,
      text: '{"id":',
    }));
    await snapshots().insertMany(damaged);
    for (const id of more) expect(await codeOf(gateway.send(id, commands.state, ask))).to.equal('account_quarantined');
    const listed = async () => await haltedAccounts({ redis: bench.redis, billing: { config: bench.config } as never });
    await until(async () => (await listed()).length === 31);
    for (const { accountId, reason } of await listed()) {
      expect([account, ...more]).to.include(accountId);
      expect(reason).to.match(/^cannot be loaded: /);
    }
  });

  it('the next owner tries again, also where it is written down, and takes that away', async () => {
    await bench.stopPod(pod);
    await snapshots().deleteOne({ _id: account });
    const folded = accountName(2);
    const halted = (reason: string): string => writeQuarantineRecord({ reason, atMs: 1, seq: 1 });
    await bench.redis.hset(
      shardKeys.quarantine(shard()),
      account,
      halted('cannot be loaded: no reason given'),
      folded,
      halted('wake-up: Error'),
    );
    await bench.startOnlyPod();
    await until(async () => !((await quarantine()) as Record<string, string>)[account]);
    expect(await codeOf(gateway.send(account, commands.open, ask))).to.equal('done');
    expect(
      (await haltedAccounts({ redis: bench.redis, billing: { config: bench.config } as never })).map(
        ({ accountId }) => accountId,
      ),
    ).to.deep.equal([folded]);
    expect(await quarantine(), 'a fold that threw stays').to.deep.equal({ [folded]: halted('wake-up: Error') });
  });
});

describe('a pod that the deployment has left behind', () => {
  let bench: ActorBench;
  before(async () => {
    bench = await ActorBench.start();
  });
  after(() => bench.stop());

  it('gives its shards back, says so, takes none, and takes them again when it can read them', async () => {
    const record: { current: Format; recorded: number } = { current: NEWEST_FORMAT, recorded: NEWEST_FORMAT };
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

describe('what a newer build has written is left to it', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  const NEWER = NEWEST_FORMAT + 1;
  /** Each of the first shards has one thing that this build cannot read; the last has none. */
  const [WITH_SNAPSHOT, WITH_ENTRY, WITH_COMMAND, WITH_SHARD_COMMAND, HEALTHY] = [0, 1, 2, 3, 4] as const;
  const refusing = [WITH_SNAPSHOT, WITH_ENTRY, WITH_COMMAND, WITH_SHARD_COMMAND];

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '5' });
  });
  after(() => bench.stop());

  const query = { id: { incarnation: 'waiting', counter: 1 }, requestId: 'r', command: commands.state };

  /** Some account of the shard. */
  const accountOf = (shard: number): string => {
    for (let n = 1; ; n++) if (shardOf(accountName(n), bench.config.SHARDS) === shard) return accountName(n);
  };
  const wait = async (shard: number, accountId: string, text: string): Promise<void> => {
    const id = `${await bench.redis.incr(shardKeys.sequence(shard))}-0`;
    await bench.redis
      .multi()
      .xadd(shardKeys.commands(shard, accountId), id, 'c', text)
      .sadd(shardKeys.pending(shard), accountId)
      .exec();
  };
  const snapshots = () => bench.mongo.db.collection<SnapshotDocument>(collections.accounts);

  it('the shard is given back and announced, nothing is consumed, parked or quarantined; repaired, it is taken again', async () => {
    const { redis } = bench;
    const [snapshot, entry, command] = [WITH_SNAPSHOT, WITH_ENTRY, WITH_COMMAND].map(accountOf) as [string, string, string];
    const text = JSON.stringify({ id: snapshot, seq: 1, v: NEWER });
    await snapshots().insertOne({ _id: snapshot, v: 1, shard: WITH_SNAPSHOT, seq: 1, commit: 0, text });
    await wait(WITH_SNAPSHOT, snapshot, JSON.stringify(query));
    const entries = JSON.stringify([{ accountId: entry, seq: 1, timeMs: 1, events: [], firstRows: {}, v: NEWER }]);
    await redis.xadd(shardKeys.journal(WITH_ENTRY), '1-0', 't', '1', 'k', '1', 'i', '0', 'e', entries);
    await wait(WITH_COMMAND, command, JSON.stringify({ ...query, v: NEWER }));
    await wait(WITH_SHARD_COMMAND, SHARD_MAILBOX, JSON.stringify({ type: 'scanLiquidation', v: NEWER }));

    const registry = new Registry();
    const pod = await bench.startPod({ registry });
    const said = async () => parsePodStatus(pod.podId, (await redis.hget(podKeys.pods, pod.podId)) ?? '0 {}');
    await until(async () => ((await said()).refused ?? []).length === refusing.length);
    expect((await said()).refused).to.have.deep.members([
      { shard: WITH_SNAPSHOT, form: 'snapshot', version: NEWER },
      { shard: WITH_ENTRY, form: 'journal entry', version: NEWER },
      { shard: WITH_COMMAND, form: 'command envelope', version: NEWER },
      { shard: WITH_SHARD_COMMAND, form: 'shard command', version: NEWER },
    ]);
    expect(await registry.metrics()).to.match(/^actor_refused_shards 4$/m);
    await until(
      () =>
        pod
          .status()
          .map(({ shard }) => shard)
          .join() === String(HEALTHY),
    );
    for (const shard of refusing) {
      expect(await redis.exists(shardKeys.lease(shard)), `lease of ${shard}`).to.equal(0);
      expect(await redis.exists(shardKeys.quarantine(shard), shardKeys.dead(shard)), `set aside in ${shard}`).to.equal(0);
    }
    const mailboxes = [
      shardKeys.commands(WITH_SNAPSHOT, snapshot),
      shardKeys.commands(WITH_COMMAND, command),
      shardKeys.commands(WITH_SHARD_COMMAND, SHARD_MAILBOX),
    ];
    expect(await Promise.all(mailboxes.map((key) => redis.xlen(key)))).to.deep.equal([1, 1, 1]);
    expect(await redis.xlen(shardKeys.journal(WITH_ENTRY))).to.equal(1);

    await snapshots().deleteOne({ _id: snapshot });
    await redis.xtrim(shardKeys.journal(WITH_ENTRY), 'MAXLEN', 0);
    await redis.del(...mailboxes);
    await until(() => bench.hasAllShards(pod));
    await until(async () => (await said()).refused?.length === 0);
    const gateway = await bench.startGateway();
    for (const shard of refusing) await gateway.send(accountOf(shard), commands.open, ask);
  });
});
