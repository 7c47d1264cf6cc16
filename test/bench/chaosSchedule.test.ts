import { expect } from 'chai';
import { scheduleOf, type Targets, textOf } from '../../bench/chaos/schedule.ts';
import { Random } from '../support/faults/seeds.ts';

const SERVER: Targets = { processes: ['actors-0', 'api-0', 'market-0'], shards: 16, masters: 0 };
const CLUSTER: Targets = { ...SERVER, masters: 3 };
const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

const typesOf = (targets: Targets): Set<string> =>
  new Set(SEEDS.flatMap((seed) => scheduleOf(new Random(seed), targets).map(({ fault }) => fault.type)));

describe('schedule: the faults of a round of chaos', () => {
  it('are decided by the seed', () => {
    const texts = SEEDS.map((seed) => scheduleOf(new Random(seed), SERVER).map(textOf).join(', '));
    expect(SEEDS.map((seed) => scheduleOf(new Random(seed), SERVER).map(textOf).join(', '))).to.deep.equal(texts);
    expect(new Set(texts).size).to.equal(SEEDS.length);
  });

  it('are of every kind that the Redis of the fleet can take', () => {
    const processes = ['kill', 'leave', 'sleep', 'clock'];
    expect([...typesOf(SERVER)]).to.have.members([...processes, 'blackHole', 'killStore', 'stall', 'slow', 'away', 'cut']);
    expect([...typesOf(CLUSTER)]).to.have.members([...processes, 'moveSlot', 'killMaster']);
  });

  it('come in order, two to five, and kill no more than one master: its replica has none', () => {
    for (const seed of SEEDS) {
      const schedule = scheduleOf(new Random(seed), CLUSTER);
      expect(schedule.map(({ atMs }) => atMs)).to.deep.equal(schedule.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
      expect(schedule.length).to.be.within(1, 5);
      expect(schedule.filter(({ fault }) => fault.type === 'killMaster').length).to.be.at.most(1);
    }
  });
});
