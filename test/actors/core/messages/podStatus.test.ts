import { expect } from 'chai';
import {
  ablePods,
  canRead,
  isDueTo,
  isDueToAnother,
  type PodStatus,
  parsePodStatus,
  podDueTo,
  rankPods,
  rankReaders,
  shardOwners,
} from '../../../../src/actors/core/messages/podStatus.ts';
import { NO_PINS } from '../../../../src/shared/domain/shards.ts';

const report = (token: string, recovered: boolean): string =>
  JSON.stringify({
    sinceMs: 1,
    leaving: false,
    shards: [{ shard: 0, token, recovered, loaded: recovered, accounts: 3 }],
    history: { lagMs: 0, mongoDown: false },
  });

describe('podStatus: who answers for a shard', () => {
  it('reads the time and the report', () => {
    expect(parsePodStatus('a', `1700 ${report('1:a:x', true)}`)).to.deep.include({ podId: 'a', atMs: 1700, sinceMs: 1 });
  });

  it('an owner counts while its token is the lease’s and it has recovered', () => {
    const owner = parsePodStatus('a', `1 ${report('1:a:x', true)}`);
    const recovering = parsePodStatus('b', `1 ${report('2:b:y', false)}`);
    expect(shardOwners([owner, recovering], ['1:a:x'])).to.deep.equal([owner]);
    expect(shardOwners([owner, recovering], ['2:b:y'])).to.deep.equal([undefined]);
    expect(shardOwners([owner], [null])).to.deep.equal([undefined]);
  });
});

const SHARDS = Array.from({ length: 160 }, (_, shard) => shard);
const ownersOf = (pods: readonly string[]): (string | undefined)[] => SHARDS.map((shard) => rankPods(shard, pods)[0]);

describe('assignment: every pod comes to the same answer', () => {
  it('the order of the list does not matter', () => {
    expect(ownersOf(['a', 'b', 'c'])).to.deep.equal(ownersOf(['c', 'a', 'b']));
  });

  it('each of four pods gets about a quarter', () => {
    const owners = ownersOf(['pod-1', 'pod-2', 'pod-3', 'pod-4']);
    for (const pod of ['pod-1', 'pod-2', 'pod-3', 'pod-4']) {
      expect(owners.filter((owner) => owner === pod).length).to.be.within(24, 60);
    }
  });

  it('a pod that leaves moves its own shards and no others', () => {
    const before = ownersOf(['a', 'b', 'c']);
    const after = ownersOf(['a', 'c']);
    for (const shard of SHARDS) if (before[shard] !== 'b') expect(after[shard]).to.equal(before[shard]);
  });
});

describe('assignment: who can read a shard comes first', () => {
  const pod = (podId: string, fields: Partial<PodStatus> = {}): PodStatus => ({
    ...{ podId, atMs: 1, sinceMs: 1, leaving: false, shards: [], history: { lagMs: 0, mongoDown: false } },
    ...{ formats: { reads: 1, writes: 1 }, pins: 0, ...fields },
  });

  it('settled pods, then new ones, each in the order of the hash', () => {
    const pods = ['a', 'b', 'c', 'd'];
    const [settled, fresh] = [pods.slice(0, 2), pods.slice(2)];
    for (const shard of SHARDS.slice(0, 20)) {
      const ranked = rankReaders(shard, {
        trusted: settled.map((podId) => pod(podId)),
        fresh: fresh.map((podId) => pod(podId)),
        pins: [],
      });
      expect(ranked).to.deep.equal([...rankPods(shard, settled), ...rankPods(shard, fresh)]);
    }
  });

  it('a pod that has given a shard back comes last for it, after new ones, and keeps its place for others', () => {
    const [first = '', second = ''] = rankPods(7, ['a', 'b']);
    const refusing = pod(first, { refused: [{ shard: 7, form: 'snapshot', version: 3 }] });
    expect(rankReaders(7, { trusted: [refusing], fresh: [pod(second)], pins: [] })).to.deep.equal([second, first]);
    expect(rankReaders(8, { trusted: [refusing], fresh: [pod(second)], pins: [] })).to.deep.equal([first, second]);
  });

  it('a pod is trusted when it has spoken for two lease lives; one that leaves, is silent or cannot read takes part in nothing', () => {
    const formats = { reads: 2, writes: 2 } as const;
    const pods = [
      pod('old', { atMs: 9000, sinceMs: 8000, formats }),
      pod('new', { atMs: 9500, sinceMs: 8001, formats }),
      pod('leaving', { atMs: 9500, sinceMs: 0, leaving: true, formats }),
      pod('silent', { atMs: 8999, sinceMs: 0, formats }),
      pod('older build', { atMs: 9500, sinceMs: 0 }),
    ];
    const heard = { nowMs: 10_000, pods, pins: NO_PINS };
    const { trusted, fresh } = ablePods(heard, { ttlMs: 1000, recorded: 2 });
    expect([trusted, fresh].map((pods) => pods.map(({ podId }) => podId))).to.deep.equal([['old'], ['new']]);
  });

  it('a shard goes to a trusted pod that comes before its owner, unless that one has given it back', () => {
    const [first = '', second = ''] = rankPods(7, ['a', 'b']);
    const refusing = pod(first, { refused: [{ shard: 7, form: 'snapshot', version: 3 }] });
    expect(isDueToAnother(7, second, { trusted: [pod(first), pod(second)], fresh: [], pins: [] })).to.equal(true);
    expect(isDueToAnother(7, first, { trusted: [pod(first), pod(second)], fresh: [], pins: [] })).to.equal(false);
    expect(isDueToAnother(7, second, { trusted: [pod(second)], fresh: [pod(first)], pins: [] })).to.equal(false);
    const [best = '', ...others] = rankPods(7, ['a', 'b', 'c']);
    const beside = (podId: string) => others.filter((other) => other !== podId).map((other) => pod(other));
    for (const owner of others) {
      const joining = { trusted: [pod(owner), ...beside(owner)], fresh: [pod(best)], pins: [] };
      expect(isDueToAnother(7, owner, joining), 'it waits for the one that will have it').to.equal(false);
      expect([owner, ...others].some((podId) => isDueTo(7, podId, joining))).to.equal(false);
    }
    expect(isDueToAnother(7, second, { trusted: [refusing, pod(second)], fresh: [], pins: [] })).to.equal(false);
  });

  it('a pod reads what it announces, and nothing newer', () => {
    expect(canRead(pod('old'), 1)).to.equal(true);
    expect(canRead(pod('old'), 2)).to.equal(false);
    expect(canRead(pod('new', { formats: { reads: 2, writes: 1 } }), 2)).to.equal(true);
    expect(canRead(pod('new', { formats: { reads: 2, writes: 2 } }), 3)).to.equal(false);
  });
});

describe('assignment: what an operator has moved goes before the hash', () => {
  const pod = (podId: string, fields: Partial<PodStatus> = {}): PodStatus => ({
    ...{ podId, atMs: 1, sinceMs: 1, leaving: false, shards: [], history: { lagMs: 0, mongoDown: false } },
    ...{ formats: { reads: 1, writes: 1 }, pins: 1, ...fields },
  });
  const SHARD = 7;
  const [first = '', second = '', third = ''] = rankPods(SHARD, ['a.1', 'b.1', 'c.1']);
  const to = (podId: string) => [{ shard: SHARD, node: podId.slice(0, 1), atMs: 0 }];
  const all = [first, second, third].map((podId) => pod(podId));

  it('the shard is due to the pod of that name, and no other shard is', () => {
    const moved = { trusted: all, fresh: [], pins: to(third) };
    expect(podDueTo(SHARD, moved)).to.equal(third);
    expect(rankReaders(SHARD, moved)).to.deep.equal([third, first, second]);
    expect(isDueToAnother(SHARD, first, moved)).to.equal(true);
    expect(isDueToAnother(SHARD, third, moved)).to.equal(false);
    for (const shard of SHARDS.filter((one) => one !== SHARD)) {
      expect(podDueTo(shard, moved)).to.equal(rankPods(shard, [first, second, third])[0]);
    }
  });

  it('it is the pod’s name, not one life of it: of two lives one has it', () => {
    const [one = ''] = rankPods(SHARD, [third, `${third.slice(0, 1)}.2`]);
    const both = [...all, pod(`${third.slice(0, 1)}.2`)];
    expect(podDueTo(SHARD, { trusted: both, fresh: [], pins: to(third) })).to.equal(one);
  });

  it('while that pod is not there, or is not trusted, or has given the shard back, the hash decides', () => {
    const without = all.slice(0, 2);
    expect(podDueTo(SHARD, { trusted: without, fresh: [], pins: to(third) })).to.equal(first);
    expect(podDueTo(SHARD, { trusted: without, fresh: [pod(third)], pins: to(third) })).to.equal(first);
    expect(isDueToAnother(SHARD, first, { trusted: without, fresh: [pod(third)], pins: to(third) })).to.equal(false);
    const refusing = pod(third, { refused: [{ shard: SHARD, form: 'snapshot', version: 9 }] });
    expect(podDueTo(SHARD, { trusted: [...without, refusing], fresh: [], pins: to(third) })).to.equal(first);
  });

  it('a new owner of that name keeps it before it is trusted', () => {
    expect(isDueToAnother(SHARD, third, { trusted: all.slice(0, 2), fresh: [pod(third)], pins: to(third) })).to.equal(false);
  });
});
