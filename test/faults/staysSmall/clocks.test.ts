import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { type Load, QUIET_BREATHS_MS, SHARDS } from '../../support/faults/faultStack.ts';
import { Random, scenario } from '../../support/faults/seeds.ts';
import { type RemoteFaults, remoteFaults } from '../../support/faults/sharedFaults.ts';
import { until } from '../../support/until.ts';

/** How far a machine's clock is set ahead while its process runs, ms. */
const SETTINGS_MS = [3_600_000, -10_000, 1500, -1500];

describe('clocks that are wrong, and are set while the processes run', function () {
  this.timeout(600_000);
  let remote: RemoteFaults;

  remoteFaults.use((shared) => {
    remote = shared;
  });
  afterEach(() => {
    for (const one of remote.faults.stack.processes.values()) one.setClock(0);
  });

  /** Tokens of the owners. A lease that ran out on a busy machine is renewed under the same one. */
  const owners = async (): Promise<(string | null)[]> => {
    let tokens: (string | null)[] = [];
    await until(async () => {
      const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
      tokens = await Promise.all(shards.map((shard) => remote.faults.stack.redis.get(shardKeys.lease(shard))));
      return tokens.every((token) => token !== null);
    });
    return tokens;
  };
  const reasons = async (): Promise<readonly string[]> => (await remote.faults.stack.health()).reasons;
  const reasonFor = (name: string, aheadMs: number): RegExp => {
    const seconds = Math.abs(aheadMs) / 1000;
    // It may be some hundredths off, for the estimate of Redis's clock is.
    const figure = `(${(seconds - 0.1).toFixed(1)}|${seconds.toFixed(1)}|${(seconds + 0.1).toFixed(1)})`.replaceAll('.', '\\.');
    return new RegExp(`^The clock of ${name}-\\w+’s machine is ${figure} s ${aheadMs > 0 ? 'ahead of' : 'behind'} Redis’s$`);
  };
  /** Seconds, by its metrics. */
  const offset = async (name: string): Promise<number> => {
    const [, seconds] = /^clock_offset_seconds (\S+)$/m.exec(await remote.faults.stack.metrics(name)) ?? [];
    return Number(seconds);
  };
  /** A machine that is busy for seconds lets a command expire. A clock that counts would do so with all of them, and nothing would go on. */
  const expectNothingRefused = async (load: Load): Promise<void> => {
    await load.verdict();
    for (const told of Object.keys(load.troubles())) expect(told).to.be.oneOf(['503 expired', 'unknown']);
  };

  scenario('of a pod: its shards stay, no account is refused, then or later, and operators are told', async (seed) => {
    const { stack } = remote.faults;
    const load = await remote.faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const pod = stack.process('actors-0');
    const before = await owners();
    const left = [...SETTINGS_MS];
    while (left.length > 0) {
      const [aheadMs] = left.splice(new Random(seed).whole(0, left.length - 1), 1) as [number];
      pod.setClock(aheadMs);
      await until(async () => (await reasons()).some((reason) => reasonFor('actors-0', aheadMs).test(reason)));
      await until(async () => Math.abs((await offset('actors-0')) - aheadMs / 1000) < 0.5);
      await load.progress(5);
    }
    pod.setClock(0);
    await until(async () => !(await reasons()).some((reason) => reason.startsWith('The clock')));
    await load.progress(5);
    expect(await owners()).to.deep.equal(before);
    const log = readFileSync(pod.logFile, 'utf8');
    expect(log.match(/the clock of this machine is wrong/g)).to.have.length(SETTINGS_MS.length);
    expect(log).to.include('the clock of this machine is right again');
    await expectNothingRefused(load);
  });

  scenario('of every machine, each other: as if all were right', async (seed) => {
    const { stack } = remote.faults;
    const random = new Random(seed);
    const load = await remote.faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const before = await owners();
    for (let round = 0; round < 2; round++) {
      for (const one of stack.processes.values()) one.setClock(random.pick(SETTINGS_MS));
      await until(
        async () => (await reasons()).filter((reason) => reason.startsWith('The clock')).length === stack.processes.size,
      );
      await load.progress(5);
    }
    for (const one of stack.processes.values()) one.setClock(0);
    await until(async () => !(await reasons()).some((reason) => reason.startsWith('The clock')));
    expect(await owners()).to.deep.equal(before);
    await expectNothingRefused(load);
  });
});
