import { expect } from 'chai';
import { ablePods, isDueToAnother, rankPods, rankReaders } from '../../../../src/actors/domain/messages/podRanking.ts';
import { canRead, type PodStatus } from '../../../../src/actors/domain/messages/podStatus.ts';

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
    ...fields,
  });

  it('settled pods, then new ones, each in the order of the hash', () => {
    const pods = ['a', 'b', 'c', 'd'];
    const [settled, fresh] = [pods.slice(0, 2), pods.slice(2)];
    for (const shard of SHARDS.slice(0, 20)) {
      const ranked = rankReaders(shard, {
        trusted: settled.map((podId) => pod(podId)),
        fresh: fresh.map((podId) => pod(podId)),
      });
      expect(ranked).to.deep.equal([...rankPods(shard, settled), ...rankPods(shard, fresh)]);
    }
  });

  it('a pod that has given a shard back comes last for it, after new ones, and keeps its place for others', () => {
    const [first = '', second = ''] = rankPods(7, ['a', 'b']);
    const refusing = pod(first, { refused: [{ shard: 7, form: 'snapshot', version: 3 }] });
    expect(rankReaders(7, { trusted: [refusing], fresh: [pod(second)] })).to.deep.equal([second, first]);
    expect(rankReaders(8, { trusted: [refusing], fresh: [pod(second)] })).to.deep.equal([first, second]);
  });

  it('a pod is trusted when it has spoken for two lease lives; one that leaves, is silent or cannot read takes part in nothing', () => {
    const now = { nowMs: 10_000, ttlMs: 1000, recorded: 2 as const };
    const formats = { reads: 2, writes: 2 } as const;
    const { trusted, fresh } = ablePods(
      [
        pod('old', { atMs: 9000, sinceMs: 8000, formats }),
        pod('new', { atMs: 9500, sinceMs: 8001, formats }),
        pod('leaving', { atMs: 9500, sinceMs: 0, leaving: true, formats }),
        pod('silent', { atMs: 8999, sinceMs: 0, formats }),
        pod('older build', { atMs: 9500, sinceMs: 0 }),
      ],
      now,
    );
    expect([trusted, fresh].map((pods) => pods.map(({ podId }) => podId))).to.deep.equal([['old'], ['new']]);
  });

  it('a shard goes to a trusted pod that comes before its owner, unless that one has given it back', () => {
    const [first = '', second = ''] = rankPods(7, ['a', 'b']);
    const refusing = pod(first, { refused: [{ shard: 7, form: 'snapshot', version: 3 }] });
    expect(isDueToAnother(7, second, { trusted: [pod(first), pod(second)], fresh: [] })).to.equal(true);
    expect(isDueToAnother(7, first, { trusted: [pod(first), pod(second)], fresh: [] })).to.equal(false);
    expect(isDueToAnother(7, second, { trusted: [pod(second)], fresh: [pod(first)] })).to.equal(false);
    expect(isDueToAnother(7, second, { trusted: [refusing, pod(second)], fresh: [] })).to.equal(false);
  });

  it('a pod that announces nothing reads the first generation alone', () => {
    expect(canRead(pod('old'), 1)).to.equal(true);
    expect(canRead(pod('old'), 2)).to.equal(false);
    expect(canRead(pod('new', { formats: { reads: 2, writes: 1 } }), 2)).to.equal(true);
    expect(canRead(pod('new', { formats: { reads: 2, writes: 2 } }), 3)).to.equal(false);
  });
});
