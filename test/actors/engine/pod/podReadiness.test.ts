import { expect } from 'chai';
import { type PodStatus, rankPods, type ShardStatus } from '../../../../src/actors/core/messages/podStatus.ts';
import { PodReadiness } from '../../../../src/actors/engine/pod/podReadiness.ts';

const SHARDS = 8;
const TTL_MS = 3000;

describe('readiness of a pod: it has what it should have', () => {
  const pod = { id: 'a', shards: [] as { status: ShardStatus }[] };
  let nowMs: number;
  let readiness: PodReadiness;
  const all = Array.from({ length: SHARDS }, (_, shard) => shard);
  const share = all.filter((shard) => rankPods(shard, ['a', 'b'])[0] === 'a');

  const status = (podId: string): PodStatus => ({
    ...{ podId, atMs: 0, sinceMs: 0, leaving: false, shards: [], history: { lagMs: 0, mongoDown: false } },
    ...{ formats: { reads: 1, writes: 1 }, pins: 0 },
  });
  const owns = (shards: readonly number[], recovered = true): { status: ShardStatus }[] =>
    shards.map((shard) => ({ status: { shard, token: '', recovered, loaded: recovered, accounts: 0, halted: 0 } }));

  beforeEach(() => {
    nowMs = 0;
    pod.shards = owns(share);
    readiness = new PodReadiness(pod, { shards: SHARDS, ttlMs: TTL_MS, now: () => nowMs });
    readiness.onBeat({ trusted: [status('a'), status('b')], fresh: [], pins: [] });
  });

  it('with its share of two pods, all of it recovered', () => {
    expect(share.length, 'a share').to.be.within(1, SHARDS - 1);
    expect(readiness.whyNot()).to.deep.equal([]);
  });

  it('not while another pod still has a shard of its share', () => {
    pod.shards = owns(share.slice(1));
    expect(readiness.whyNot()).to.deep.equal([`Shards that this pod should have and has not recovered: ${share[0]}`]);
  });

  it('not while a shard recovers, its due or not', () => {
    const notDue = all.find((shard) => !share.includes(shard)) as number;
    pod.shards = [...owns(share), ...owns([notDue], false)];
    expect(readiness.whyNot()).to.deep.equal([`Shards that this pod should have and has not recovered: ${notDue}`]);
  });

  it('with the whole deployment’s shards when it is alone, and with none when none is due to it', () => {
    readiness.onBeat({ trusted: [status('a')], fresh: [], pins: [] });
    expect(readiness.whyNot()[0]).to.include('has not recovered');
    pod.shards = owns(all);
    expect(readiness.whyNot()).to.deep.equal([]);
    const idle = new PodReadiness({ id: 'idle', shards: [] }, { shards: 0, ttlMs: TTL_MS, now: () => nowMs });
    idle.onBeat({ trusted: [status('idle')], fresh: [], pins: [] });
    expect(idle.whyNot()).to.deep.equal([]);
  });

  it('without a shard that it has left to a pod of a newer build', () => {
    const left = share[0] as number;
    const refusing = { ...status('a'), refused: [{ shard: left, form: 'snapshot', version: 9 }] };
    pod.shards = owns(share.slice(1));
    readiness.onBeat({ trusted: [refusing, status('b')], fresh: [], pins: [] });
    expect(readiness.whyNot()).to.deep.equal([]);
  });

  it('with a shard that an operator has moved to it, and without one that was moved away', () => {
    const moved = all.find((shard) => !share.includes(shard)) as number;
    const [away = 0] = share;
    const pins = [
      { shard: moved, node: 'x', atMs: 0 },
      { shard: away, node: 'y', atMs: 0 },
    ];
    const [x, y] = ['x.0', 'y.0'].map((podId) => ({ ...status(podId), pins: 1 })) as [PodStatus, PodStatus];
    const dueToX = all.filter((shard) => rankPods(shard, ['x.0', 'y.0'])[0] === 'x.0');
    const movedPod = { id: 'x.0', shards: owns(all) };
    const ready = new PodReadiness(movedPod, { shards: SHARDS, ttlMs: TTL_MS, now: () => nowMs });
    ready.onBeat({ trusted: [x, y], fresh: [], pins });
    movedPod.shards = owns([...new Set([...dueToX, moved])].filter((shard) => shard !== away));
    expect(ready.whyNot()).to.deep.equal([]);
    movedPod.shards = owns(dueToX.filter((shard) => shard !== moved));
    expect(ready.whyNot()).to.deep.equal([`Shards that this pod should have and has not recovered: ${moved}`]);
  });

  it('not before the other pods hand shards over to it', () => {
    readiness.onBeat({ trusted: [status('b')], fresh: [status('a')], pins: [] });
    expect(readiness.whyNot()[0]).to.include('it is new');
  });

  it('not before its first heartbeat, nor when the last one is older than a lease lives', () => {
    const silent = [`No heartbeat of this pod has reached Redis for ${TTL_MS} ms`];
    expect(new PodReadiness(pod, { shards: SHARDS, ttlMs: TTL_MS, now: () => nowMs }).whyNot()).to.deep.equal(silent);
    nowMs = TTL_MS;
    expect(readiness.whyNot()).to.deep.equal([]);
    nowMs = TTL_MS + 1;
    expect(readiness.whyNot()).to.deep.equal(silent);
  });
});
