import { expect } from 'chai';
import { type AblePods, type PodStatus, rankPods } from '../../../../src/actors/core/messages/podStatus.ts';
import { HandOvers } from '../../../../src/actors/engine/pod/departure.ts';

const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);

describe('hand-overs: a next owner gets few shards at a time', () => {
  let nowMs: number;
  let given: number[][];
  let handOvers: HandOvers;
  /** The shards that each pod has loaded. */
  let loaded: Record<string, number[]>;

  beforeEach(() => {
    nowMs = 0;
    given = [];
    loaded = { a: [], b: [], c: [] };
    handOvers = new HandOvers({
      now: () => nowMs,
      give: (shards) => {
        given.push([...shards]);
        return Promise.resolve();
      },
    });
  });

  const able = (...names: string[]): AblePods => ({
    trusted: names.map(
      (podId): PodStatus => ({
        ...{ podId, atMs: 0, sinceMs: 0, leaving: false, history: { lagMs: 0, mongoDown: false } },
        ...{ formats: { reads: 1, writes: 1 }, pins: 0 },
        shards: (loaded[podId] ?? []).map((shard) => ({
          shard,
          token: '',
          recovered: true,
          loaded: true,
          accounts: 0,
          halted: 0,
        })),
      }),
    ),
    fresh: [],
    pins: [],
  });
  const ownerOf = (shard: number): string => rankPods(shard, ['a', 'b', 'c'])[0] as string;
  const left = (): number[] => SHARDS.filter((shard) => !given.flat().includes(shard));

  it('two to a pod and four in all; the next when it has loaded these, and not before', async () => {
    expect(await handOvers.giveNext(left(), able('a', 'b', 'c'))).to.equal(true);
    const [first = []] = given;
    expect(first).to.have.length(4);
    for (const pod of ['a', 'b', 'c']) expect(first.filter((shard) => ownerOf(shard) === pod).length).to.be.at.most(2);
    await handOvers.giveNext(left(), able('a', 'b', 'c'));
    expect(given[1], 'nobody has loaded').to.deep.equal([]);
    const [one = 0] = first;
    loaded[ownerOf(one)] = [one];
    await handOvers.giveNext(left(), able('a', 'b', 'c'));
    expect(given[2], 'one has').to.have.length(1);
  });

  it('all of them come to an end, and nothing is given twice', async () => {
    for (let round = 0; left().length > 0; round++) {
      expect(round, 'rounds').to.be.below(SHARDS.length);
      await handOvers.giveNext(left(), able('a', 'b', 'c'));
      for (const shard of given.at(-1) ?? []) loaded[ownerOf(shard)]?.push(shard);
    }
    expect(given.flat().toSorted((x, y) => x - y)).to.deep.equal(SHARDS);
  });

  it('a pod that never has them holds up its own shards for a second, and those of others not at all', async () => {
    await handOvers.giveNext(left(), able('a'));
    expect(given[0]).to.have.length(2);
    nowMs = 1001;
    await handOvers.giveNext(left(), able('a'));
    expect(given[1]).to.have.length(2);
  });

  it('a pod that leaves gives all away in turn, waits while nobody takes them, and stops when it is told', async () => {
    const others = [[], ['a'], ['a'], undefined];
    const heard = async (): Promise<AblePods | undefined> => {
      for (const shard of given.at(-1) ?? []) loaded['a']?.push(shard);
      const names = await Promise.resolve(others.shift());
      return names && able(...names);
    };
    await handOvers.giveInTurn({ shards: () => left().slice(0, 6), able: heard });
    expect(given.map((shards) => shards.length)).to.deep.equal([0, 2, 2]);
    await handOvers.giveInTurn({ shards: () => [], able: () => expect.fail('nothing is left to give') });
  });
});
