import { expect } from 'chai';
import { rankPods } from '../../../../src/actors/domain/messages/podRanking.ts';

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
