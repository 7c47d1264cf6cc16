import { FaultStack } from '../support/faults/faultStack.ts';
import { scenario } from '../support/faults/seeds.ts';

describe('kill -9 of one process or all of them', function () {
  this.timeout(180_000);
  let faults: FaultStack;

  before(async () => {
    faults = await FaultStack.start();
  });
  after(() => faults.stop());

  scenario('nothing at all is wrong', async (seed) => {
    const load = await faults.load(seed);
    await load.verdict();
  });

  scenario('the actors', async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.kill('actors-0');
    await faults.stack.restart('actors-0');
    await load.verdict();
  });
});
