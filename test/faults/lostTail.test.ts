import { statSync } from 'node:fs';
import { expect } from 'chai';
import { cutTo, GrowthOfFile, incrementOf, journalsIn } from '../support/faults/appendOnlyFile.ts';
import { type FaultStack, SHARDS } from '../support/faults/faultStack.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { until } from '../support/until.ts';

/** The cut takes between these, ms. */
const LOST_MS_MIN = 1200;
const LOST_MS_MAX = 3000;

describe('Redis forgets its last moments', function () {
  this.timeout(600_000);
  let faults: FaultStack;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  scenario('what is older than the cut is there, what is lost is lost whole, no number is given twice', async (seed) => {
    const { stack, tap } = faults;
    const load = await faults.load(seed);
    const { dir } = stack.redisStore;
    const file = incrementOf(dir);
    const growth = new GrowthOfFile(file);
    const beganAtMs = Date.now();
    await until(() => Date.now() > beganAtMs + LOST_MS_MAX + 500);
    const { size } = statSync(file);
    await load.progress(1); // of which a cut before it loses something
    await tap.stop();
    growth.stop();
    await stack.redisStore.kill();
    const killedAtMs = Date.now();

    const whole = await journalsIn(dir, { shards: SHARDS });
    const longest = Math.min(size, growth.bytesAt(killedAtMs - LOST_MS_MIN));
    const bytes = new Random(seed).whole(Math.min(longest, growth.bytesAt(killedAtMs - LOST_MS_MAX)), longest);
    const left = await journalsIn(dir, { shards: SHARDS, bytes });
    tap.onLoss(whole.commits, left.ends);
    const lost = tap.shards.reduce((sum, shard) => sum + shard.lost.length, 0);
    expect(lost, 'commits lost').to.be.greaterThan(0);
    const lostFromMs = Math.max(...left.commits.map((commits) => commits.at(-1)?.timeMs ?? 0));

    cutTo(file, bytes);
    await stack.restartRedis();
    tap.start();
    await load.verdict({ lostFromMs });
  });
});
