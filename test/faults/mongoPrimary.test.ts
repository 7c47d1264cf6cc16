import { expect } from 'chai';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { FaultStack, QUIET_BREATHS_MS } from '../support/faults/faultStack.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { FAULTS, MongoReplicaSet } from '../support/mongo/replicaSet.ts';
import { until } from '../support/until.ts';

/** Elections of one scenario. */
const MOVES = 5;
/** One in so many commands to MongoDB fails. */
const FAILING = 6;

describe('the primary of MongoDB moves in the middle of trading', function () {
  this.timeout(600_000);
  let set: MongoReplicaSet;
  let faults: FaultStack;

  before(async () => {
    faults = await FaultStack.start({
      ...{ jobs: 1, mongoInMemory: true },
      mongoThrough: async (url) => {
        set = await MongoReplicaSet.start(Number(new URL(url).port));
        return set.url;
      },
    });
  });
  after(async () => {
    await faults.stop();
    await set.stop();
  });

  scenario('again and again, with answers lost and writes begun: trading goes on, history has everything once', async (seed) => {
    const random = new Random(seed);
    const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const failed = new Set<string>();
    const concerns = new Set<unknown>();
    set.fault = (command) => {
      if (command.body['update'] === collections.shards) concerns.add(command.body['writeConcern']?.w);
      if (!random.chance(1 / FAILING)) return undefined;
      failed.add(command.name);
      return random.pick(FAULTS);
    };
    for (let move = 0; move < MOVES; move++) {
      set.stepDown();
      await load.progress(random.whole(2, 6));
      set.elect();
      await load.progress(random.whole(2, 6));
    }
    // Each of the history writer's writes has failed in some way, and its answers were lost.
    await until(() => ['find', 'update'].every((name) => failed.has(name)) && set.repeated > 0);
    expect([...concerns], 'the journal is cut behind what a majority has').to.deep.equal(['majority']);
    expect(load.refusals(), 'refused meanwhile').to.deep.equal({});
    set.fault = () => undefined;
    await load.verdict();
    await until(async () => (await faults.stack.health()).status === 'ok');
  });
});
