import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import type { Bot } from '../support/faults/bot.ts';
import { type FaultStack, type Load, SHARDS } from '../support/faults/faultStack.ts';
import { scenario, secondsOf } from '../support/faults/seeds.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { until } from '../support/until.ts';

/** `FAULT_MONGO_AWAY_SECONDS=60` for the full length. */
const MONGO_AWAY_S = secondsOf('FAULT_MONGO_AWAY_SECONDS', 10);
const REDIS_AWAY_S = secondsOf('FAULT_REDIS_AWAY_SECONDS', 10);

describe('a store that is killed or away', function () {
  this.timeout(600_000 + (MONGO_AWAY_S + REDIS_AWAY_S) * 1000);
  let faults: FaultStack;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  const health = async (): Promise<{ code: number; status: string; mongoIsAway: boolean }> => {
    const { code, status, reasons } = await faults.stack.health();
    return { code, status, mongoIsAway: reasons.some((reason) => reason.startsWith('MongoDB is away')) };
  };
  const passed = (seconds: number): Promise<void> => {
    const endsAt = Date.now() + seconds * 1000;
    return until(() => Date.now() >= endsAt);
  };

  scenario('Redis is killed', async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.redisStore.kill();
    await faults.stack.restartRedis();
    await load.verdict();
  });

  scenario(`Redis is away for ${REDIS_AWAY_S} s: nothing is taken, and then everything goes on`, async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.redisStore.kill();
    await until(async () => (await health()).code === 503);
    const before = acknowledged(load);
    await passed(REDIS_AWAY_S);
    expect(acknowledged(load) - before).to.be.at.most(0);
    await faults.stack.restartRedis();
    await load.verdict();
  });

  scenario('MongoDB is killed', async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.mongoStore.kill();
    await faults.stack.restartMongo();
    await load.verdict();
  });

  scenario(`MongoDB is away for ${MONGO_AWAY_S} s: trading goes on, history waits, health says so`, async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.mongoStore.kill();
    const back = passed(MONGO_AWAY_S);
    await until(async () => (await health()).mongoIsAway);
    await load.progress(30);
    expect(await health()).to.deep.equal({ code: 200, status: 'degraded', mongoIsAway: true });
    await back;
    expect(load.refusals(), 'refused while MongoDB was away').to.deep.equal({});
    await faults.stack.restartMongo();
    await load.verdict();
    await until(async () => !(await health()).mongoIsAway);
  });

  scenario('MongoDB is away and the actors are killed: the next ones trade without it', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const isKept = ({ account: { address } }: Bot) => stack.redis.hexists(shardKeys.kept(shardOf(address, SHARDS)), address);
    await until(async () => (await Promise.all(load.bots.map(isKept))).every((kept) => kept === 1));
    await stack.mongoStore.kill();
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    await load.progress(10);
    expect(await health()).to.include({ mongoIsAway: true });
    await stack.restartMongo();
    await load.verdict();
  });
});

const acknowledged = ({ bots }: Load): number => bots.reduce((sum, bot) => sum + bot.acknowledged, 0);
