import { expect } from 'chai';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { type FaultStack, SHARDS } from '../support/faults/faultStack.ts';
import { scenario } from '../support/faults/seeds.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { soldThrough } from '../support/faults/soldThrough.ts';
import { until } from '../support/until.ts';

/** Beyond what Linux gives. */
const NO_PROCESS = 2 ** 22 + 1;

describe('several actor processes', function () {
  this.timeout(600_000);
  let faults: FaultStack;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  /** Names of the processes that own the shards. */
  const owners = async (): Promise<(string | undefined)[]> => {
    const tokens = await Promise.all(
      Array.from({ length: SHARDS }, (_, shard) => faults.stack.redis.get(shardKeys.lease(shard))),
    );
    return tokens.map((token) => /^\d+:(actors-\d+)-/.exec(token ?? '')?.[1]);
  };
  const owned = (holds: (names: (string | undefined)[]) => boolean): Promise<void> => until(async () => holds(await owners()));
  const endAllBut = async (name: string): Promise<void> => {
    for (const one of faults.stack.processes.values()) {
      if (one.name.startsWith('actors-') && one.name !== name) await one.end();
    }
    await owned((names) => names.every((owner) => owner === name));
  };

  scenario('one that sleeps beyond its lease writes nothing when it wakes, and steals no command', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const sold = await soldThrough(faults, load);
    const heir = await stack.add('actors');
    await stack.kill('actors-0', 'SIGSTOP');
    await owned((names) => names.every((owner) => owner === heir));
    await load.progress(5);
    await stack.kill('actors-0', 'SIGCONT');
    await load.verdict();
    await sold.expectAll();
    await endAllBut('actors-0');
  });

  scenario('two that start at once for the same shards', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    await stack.kill('actors-0');
    await owned((names) => names.every((owner) => owner === undefined));
    await stack.restart('actors-0');
    const other = await stack.add('actors');
    await owned((names) => names.every((owner) => owner === 'actors-0' || owner === other));
    await load.verdict();
    await endAllBut('actors-0');
  });

  scenario('one joins and one leaves under load: nobody is refused', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const sold = await soldThrough(faults, load);
    const second = await stack.add('actors');
    await owned((names) => names.includes('actors-0') && names.includes(second));
    await load.progress(5);
    await stack.kill('actors-0', 'SIGTERM');
    await owned((names) => names.every((owner) => owner === second));
    await load.verdict();
    await sold.expectAll();
    expect(load.refusals()).to.deep.equal({});
    await stack.restart('actors-0');
    await owned((names) => names.includes('actors-0'));
    await endAllBut('actors-0');
  });

  scenario(
    'one is asked to leave before it is stopped: it keeps what nobody takes, and gives all to one that comes',
    async (seed) => {
      const { stack } = faults;
      const load = await faults.load(seed);
      const sold = await soldThrough(faults, load);
      expect(await stack.leave('actors-0', 1), 'nobody takes the shards').to.equal(1);
      expect(await owners()).to.satisfy((names: string[]) => names.every((owner) => owner === 'actors-0'));
      await load.progress(3);
      const twice = [stack.leave('actors-0', 600), stack.leave('actors-0', 600)];
      const heir = await stack.add('actors');
      expect(await Promise.all(twice)).to.deep.equal([0, 0]);
      await owned((names) => names.every((owner) => owner === heir));
      expect(stack.process('actors-0').isRunning, 'it waits for its end').to.equal(true);
      expect(await stack.isReady('actors-0')).to.equal(false);
      await load.progress(3);
      await stack.kill('actors-0', 'SIGTERM');
      expect(await stack.leave('actors-0', 600, NO_PROCESS), 'it has ended already').to.equal(0);
      await load.verdict();
      await sold.expectAll();
      expect(load.refusals()).to.deep.equal({});
      await stack.restart('actors-0');
      await owned((names) => names.includes('actors-0'));
      await endAllBut('actors-0');
    },
  );
});
