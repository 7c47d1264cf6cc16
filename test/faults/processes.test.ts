import type { FaultStack } from '../support/faults/faultStack.ts';
import { scenario } from '../support/faults/seeds.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { soldThrough } from '../support/faults/soldThrough.ts';

describe('kill -9 of a process loses and doubles nothing', function () {
  this.timeout(600_000);
  let faults: FaultStack;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  scenario('of none: the checks hold when nothing is wrong', async (seed) => {
    const load = await faults.load(seed);
    await load.verdict();
  });

  scenario('of the actors, three times; every public trade fills once', async (seed) => {
    const load = await faults.load(seed);
    const sold = await soldThrough(faults, load);
    for (let i = 0; i < 3; i++) {
      await faults.stack.kill('actors-0');
      await faults.stack.restart('actors-0');
      await load.progress(3);
    }
    await load.verdict();
    await sold.expectAll();
  });

  scenario('of the API', async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.kill('api-0');
    await faults.stack.restart('api-0');
    await load.verdict();
  });

  scenario('of the market', async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.kill('market-0');
    await faults.stack.restart('market-0');
    await load.verdict();
  });

  scenario('of everything at once, both stores too', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const roles = ['actors-0', 'api-0', 'market-0'];
    await Promise.all([...roles.map((name) => stack.kill(name)), stack.redisStore.kill(), stack.mongoStore.kill()]);
    await Promise.all([stack.restartRedis(), stack.restartMongo()]);
    for (const name of roles) await stack.restart(name);
    await load.verdict();
  });
});
