import { expect } from 'chai';
import { rankPods, rankReaders } from '../../../../src/actors/domain/messages/podRanking.ts';
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
      const ranked = rankReaders(
        shard,
        settled.map((podId) => pod(podId)),
        fresh.map((podId) => pod(podId)),
      );
      expect(ranked).to.deep.equal([...rankPods(shard, settled), ...rankPods(shard, fresh)]);
    }
  });

  it('a pod that has given a shard back comes last for it, after new ones, and keeps its place for others', () => {
    const [first = '', second = ''] = rankPods(7, ['a', 'b']);
    const refusing = pod(first, { refused: [{ shard: 7, form: 'snapshot', version: 3 }] });
    expect(rankReaders(7, [refusing], [pod(second)])).to.deep.equal([second, first]);
    expect(rankReaders(8, [refusing], [pod(second)])).to.deep.equal([first, second]);
  });

  it('a pod that announces nothing reads the first generation alone', () => {
    expect(canRead(pod('old'), 1)).to.equal(true);
    expect(canRead(pod('old'), 2)).to.equal(false);
    expect(canRead(pod('new', { formats: { reads: 2, writes: 1 } }), 2)).to.equal(true);
    expect(canRead(pod('new', { formats: { reads: 2, writes: 2 } }), 3)).to.equal(false);
  });
});
