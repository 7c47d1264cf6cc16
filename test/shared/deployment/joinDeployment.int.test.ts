// The first start records the deployment's facts, and every later one is compared with them. Both stores are real,
// because each can be lost alone.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { keepClock, readClock } from '../../../src/shared/deployment/clockRecord.ts';
import { markMongo, recordOfStores } from '../../../src/shared/deployment/deploymentRecord.ts';
import { ClockWatch, ExchangeClock } from '../../../src/shared/deployment/exchangeClock.ts';
import {
  type JoinedDeployment,
  type JoinParts,
  joinDeployment,
  requireReleased,
} from '../../../src/shared/deployment/joinDeployment.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { deploymentKeys, podKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { startRedisCluster } from '../../support/redisCluster.ts';
import { MAIN } from '../../support/roleProcess.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const log = createLogger({ level: 'silent', role: 'test' });
const account = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const RECORD_ID = 'deployment';
const clocks = (): Pick<JoinParts, 'clock' | 'clockWatch'> => {
  const clock = new ExchangeClock();
  return { clock, clockWatch: new ClockWatch(clock, { log, registry: new Registry() }) };
};

describe('deployment: SHARDS and the generation of stored forms are written down once', () => {
  const stores = useStores();
  let redis: Redis;
  let mongo: MongoConnection;
  const joined: JoinedDeployment[] = [];
  let refused: Error[];

  before(async () => {
    redis = connectRedis({ url: stores.redis.url, name: 'test', log });
  });
  beforeEach(async () => {
    refused = [];
    await redis.flushall();
    mongo = connectMongo({ url: stores.mongo.url, database: `d${crypto.randomUUID().slice(0, 8)}`, timeoutMs: 500 });
  });
  afterEach(async () => {
    await Promise.all(joined.splice(0).map((one) => one.stop()));
    await mongo.close();
  });
  after(async () => {
    redis.disconnect();
  });

  const join = async (fields: Partial<JoinParts> = {}): Promise<JoinedDeployment> => {
    const one = await joinDeployment({
      ...{ redis, mongo, log, shards: 16, nodeId: 'node', roles: ['api'] },
      ...clocks(),
      onRefused: (error) => refused.push(error),
      ...fields,
    });
    joined.push(one);
    return one;
  };
  const why = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
  const settings = () => mongo.db.collection<{ _id: string }>(collections.settings);
  const inMongo = () => settings().findOne({ _id: RECORD_ID });
  const inRedis = () => redis.hgetall(deploymentKeys.record);
  const addAccount = (accountId: string, shards: number) => {
    const snapshots = mongo.db.collection<{ _id: string }>(collections.accounts);
    return snapshots.insertOne({ _id: accountId, shard: shardOf(accountId, shards) } as { _id: string });
  };

  it('empty stores: this build’s number of shards and its newest generation, in both', async () => {
    const { formats } = await join();
    expect(formats).to.include({ current: NEWEST_FORMAT, recorded: NEWEST_FORMAT });
    expect(await inRedis()).to.deep.equal({ shards: '16', formats: String(NEWEST_FORMAT), forms: '1.0' });
    expect(await inMongo()).to.deep.equal({ _id: RECORD_ID, schema: 1, forms: '1.0', shards: 16, formats: NEWEST_FORMAT });
  });

  it('many first starts at once agree', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((nodeId) => join({ nodeId })));
    expect(await inRedis()).to.deep.equal({ shards: '16', formats: String(NEWEST_FORMAT), forms: '1.0' });
    expect(await why(join({ shards: 8 }))).to.match(/start with SHARDS=16/);
  });

  it('a start that saw no record takes the record of the process that has begun the deployment meanwhile', async () => {
    await join();
    await addAccount(account(1), 16);
    await redis.hset(shardKeys.head(11), 'epoch', '1');
    expect(await recordOfStores({ redis, mongo }, 8)).to.deep.equal({ shards: 16, formats: NEWEST_FORMAT });
  });

  it('another number is refused with a sentence, whichever store has the record', async () => {
    await join();
    const sentence = 'SHARDS is 8, but Redis says that this deployment has 16: start with SHARDS=16, or with empty stores.';
    expect(await why(join({ shards: 8 }))).to.equal(sentence);
    await redis.flushall();
    expect(await why(join({ shards: 8 }))).to.equal(sentence.replace('Redis', 'MongoDB'));
    expect(await inRedis(), 'nothing was written').to.deep.equal({});
  });

  it('a node of a cluster that is given like a server is refused with a sentence; the cluster is not', async () => {
    const cluster = await startRedisCluster({ masters: 1 });
    const [node] = cluster.connections;
    const one = connectRedis({ url: cluster.url.replace('redis+cluster', 'redis'), name: 'test', log });
    const whole = connectRedis({ url: cluster.url, name: 'test', log });
    try {
      expect(await why(join({ redis: one }))).to.match(/^REDIS_URL names a node of a Redis Cluster like a server/);
      expect(await node?.dbsize(), 'nothing is written').to.equal(0);
      await join({ redis: whole });
    } finally {
      await Promise.all(joined.splice(0).map((joinedOne) => joinedOne.stop()));
      for (const connection of [one, whole]) connection.disconnect();
      await cluster.stop();
    }
  });

  it('a store that was lost gets the record from the other one', async () => {
    await join();
    await redis.flushall();
    await join();
    expect(await inRedis()).to.deep.equal({ shards: '16', formats: String(NEWEST_FORMAT), forms: '1.0' });
    await settings().deleteOne({ _id: RECORD_ID });
    await join();
    expect(await inMongo()).to.include({ shards: 16, formats: NEWEST_FORMAT });
  });

  it('a Redis that was lost with no process alive gets exchange time back, before the record', async () => {
    await join();
    await Promise.all([keepClock(mongo, 90_000), keepClock(mongo, 3_600_000), keepClock(mongo, 5)]);
    await Promise.all(joined.splice(0).map((one) => one.stop()));
    await redis.flushall();
    const kept = { offsetMs: 3_600_000, marketMs: 3_600_000 };
    const made = clocks();
    await join(made);
    expect([made.clock.offsets, await readClock(redis)]).to.deep.equal([kept, kept]);
    // Where Redis has its own, it is the truth.
    await Promise.all(joined.splice(0).map((one) => one.stop()));
    await redis.hset(deploymentKeys.clock, { offset: 3_600_001, market: 3_600_001 });
    await redis.del(deploymentKeys.record);
    await join();
    expect((await readClock(redis)).offsetMs).to.equal(3_600_001);
  });

  it('a Redis that forgets while the process runs gets the record back', async () => {
    await join();
    await redis.flushall();
    await until(async () => (await inRedis())['shards'] === '16');
  });

  it('two stores of two deployments are refused', async () => {
    await join();
    await settings().updateOne({ _id: RECORD_ID }, { $set: { shards: 8 } });
    expect(await why(join())).to.equal(
      'Redis says that this deployment has 16 shards, MongoDB says 8: start with two stores of one deployment.',
    );
  });

  it('the higher generation of the two holds', async () => {
    await redis.hset(deploymentKeys.record, { forms: '1.0', shards: 16, formats: 1 });
    await settings().insertOne({ _id: RECORD_ID, schema: 1, forms: '1.0', shards: 16, formats: 2 } as { _id: string });
    expect((await join({ roles: ['actors'] })).formats.recorded).to.equal(2);
    expect(await inRedis()).to.include({ formats: '2' });
  });

  it('a process ends with the sentence, before any of its roles has started', async () => {
    await redis.hset(deploymentKeys.record, { forms: '1.0', shards: 16, formats: NEWEST_FORMAT + 1 });
    const start = (role: string, shards: number) =>
      promisify(execFile)(process.execPath, [MAIN, role], {
        env: { ...process.env, REDIS_URL: stores.redis.url, MONGO_URL: stores.mongo.url, SHARDS: String(shards), PORT: '0' },
      }).then(
        () => ({ code: 0, stderr: '' }),
        ({ code, stderr }) => ({ code, stderr }),
      );
    const [elsewhere, behind] = await Promise.all([start('actors', 8), start('market', 16)]);
    expect(elsewhere.code).to.equal(1);
    expect(elsewhere.stderr).to.match(/^SHARDS is 8, .* start with SHARDS=16, or with empty stores\.\n$/);
    expect(behind.code).to.equal(1);
    expect(behind.stderr).to.match(/^This deployment writes stored forms of generation \d+ .* run a newer build\.\n$/);
    expect(await redis.keys('{s*')).to.deep.equal([]);
  });

  describe('two processes with one NODE_ID', () => {
    const taken = /^Another process of this deployment runs under NODE_ID=twin: give each process another name/;
    const twins: Redis[] = [];
    const connectTwin = async (): Promise<Redis> => {
      const twin = connectRedis({ url: stores.redis.url, name: 'twin', log });
      twins.push(twin);
      await twin.ping();
      return twin;
    };
    const spokenBy = async (life: string): Promise<void> => {
      const [seconds] = await redis.time();
      await redis.hset(deploymentKeys.processes, 'twin', `${Number(seconds) * 1000} ${JSON.stringify({ roles: [], life })}`);
    };
    afterEach(async () => {
      await Promise.all(joined.splice(0).map((one) => one.stop()));
      for (const twin of twins.splice(0)) twin.disconnect();
    });

    it('the second one is refused with a sentence, and the first goes on', async () => {
      await join({ redis: await connectTwin(), nodeId: 'twin' });
      expect(await why(join({ redis: await connectTwin(), nodeId: 'twin' }))).to.match(taken);
      expect(refused).to.have.length(0);
    });

    it('one whose forerunner was killed starts at once: its connection has ended', async () => {
      await spokenBy('killed');
      const twin = await connectTwin();
      await redis.config('RESETSTAT');
      await join({ redis: twin, nodeId: 'twin' });
      const looks = /cmdstat_client\|list:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1];
      expect(looks, 'times that it looked for its forerunner').to.equal('1');
    });

    it('one whose forerunner is connected and says nothing takes its name after a while', async () => {
      await connectTwin();
      await spokenBy('silent');
      await join({ redis: await connectTwin(), nodeId: 'twin' });
      expect(refused).to.have.length(0);
    });

    it('one that finds its name taken when it wakes up ends', async () => {
      await join({ redis: await connectTwin(), nodeId: 'twin' });
      await spokenBy('other');
      await until(() => refused.length === 1);
      expect(refused[0]?.message).to.match(taken);
      expect(await redis.hget(deploymentKeys.processes, 'twin')).to.contain('other');
    });
  });

  describe('stores of an unreleased build are refused before anything is written', () => {
    const refusal = (of: string): string =>
      `${of} holds an exchange of an unreleased build, whose stored forms no release reads: give the service fresh stores, as "bin/start --data NEW_FOLDER" makes them.`;
    const ofMongo = (): string => refusal(`The database "${mongo.db.databaseName}" of MongoDB`);
    const ofRedis = refusal('The database of REDIS_URL');
    const everything = async () => [
      await Promise.all((await redis.keys('*')).sort().map(async (key) => [key, await redis.dump(key)])),
      await Promise.all((await mongo.db.collections()).map((each) => each.find().toArray())),
    ];
    const record = { shards: 16, formats: 5 };
    const cases: { name: string; make: () => Promise<unknown>; want: () => string }[] = [
      { name: 'a record in Redis without the line', make: () => redis.hset(deploymentKeys.record, record), want: () => ofRedis },
      {
        name: 'a record in Redis of another line',
        make: () => redis.hset(deploymentKeys.record, { ...record, forms: '0.9' }),
        want: () => ofRedis,
      },
      {
        name: 'a record in MongoDB without the line',
        make: () => settings().insertOne({ _id: RECORD_ID, schema: 1, ...record } as { _id: string }),
        want: ofMongo,
      },
      {
        name: 'one in MongoDB alone, beside a Redis of this line',
        make: async () => {
          await settings().insertOne({ _id: RECORD_ID, schema: 1, ...record } as { _id: string });
          await redis.hset(deploymentKeys.record, { forms: '1.0', shards: 16, formats: 1 });
        },
        want: ofMongo,
      },
      { name: 'accounts in MongoDB and no record', make: () => addAccount(account(1), 16), want: ofMongo },
      {
        name: 'accounts in MongoDB without a record, beside a Redis of this line',
        make: async () => {
          await addAccount(account(1), 16);
          await redis.hset(deploymentKeys.record, { forms: '1.0', shards: 16, formats: 1 });
        },
        want: ofMongo,
      },
      { name: 'a shard in Redis and no record', make: () => redis.hset(shardKeys.head(11), 'epoch', '1'), want: () => ofRedis },
      { name: 'an actor pod that announces no line', make: () => redis.hset(podKeys.pods, 'pod', '1 {}'), want: () => ofRedis },
    ];
    for (const { name, make, want } of cases) {
      it(name, async () => {
        await make();
        const before = await everything();
        expect(await why(join())).to.equal(want());
        expect(await why(requireReleased({ redis, mongo })), 'an operator’s command').to.equal(want());
        expect(await everything()).to.deep.equal(before);
      });
    }

    it('an operator’s command works on stores of this line, on empty ones and in a restore that was interrupted', async () => {
      await requireReleased({ redis, mongo });
      await join();
      await requireReleased({ redis, mongo });
      await Promise.all(joined.splice(0).map((one) => one.stop()));
      await redis.flushall();
      await settings().deleteMany({});
      await addAccount(account(1), 16);
      await markMongo(mongo, { backup: 'b', phase: 'writing' });
      await requireReleased({ redis, mongo });
    });
  });

  describe('while MongoDB is away', () => {
    const away = (): MongoConnection => connectMongo({ url: 'mongodb://127.0.0.1:1', database: 'd', timeoutMs: 200 });

    it('Redis’s record is enough', async () => {
      await join();
      const gone = away();
      const { formats } = await join({ mongo: gone });
      expect(formats.current).to.equal(NEWEST_FORMAT);
      expect(await why(join({ mongo: gone, shards: 8 }))).to.match(/start with SHARDS=16/);
      await Promise.all(joined.splice(0).map((one) => one.stop()));
      await gone.close();
    });

    it('its record is looked at when it answers, and a process that does not belong there ends', async () => {
      await redis.hset(deploymentKeys.record, { forms: '1.0', shards: 16, formats: 1 });
      await settings().insertOne({ _id: RECORD_ID, schema: 1, forms: '1.0', shards: 8, formats: 1 } as { _id: string });
      let isAway = true;
      const gone = away();
      const later = {
        ...mongo,
        get db() {
          return isAway ? gone.db : mongo.db;
        },
      };
      await join({ mongo: later });
      expect(refused).to.have.length(0);
      isAway = false;
      await until(() => refused.length === 1);
      expect(refused[0]?.message).to.match(/start with two stores of one deployment/);
      await gone.close();
    });

    it('without Redis’s record the process waits: MongoDB may have it', async () => {
      let isAway = true;
      const gone = away();
      const joining = join({
        mongo: {
          ...mongo,
          get db() {
            return isAway ? gone.db : mongo.db;
          },
        },
      });
      const first = await Promise.race([joining, new Promise((resolve) => setTimeout(resolve, 700, 'waits'))]);
      expect(first).to.equal('waits');
      expect(await inRedis()).to.deep.equal({});
      isAway = false;
      expect((await joining).formats.current).to.equal(NEWEST_FORMAT);
      await gone.close();
    });
  });

  describe('the generation that may be written', () => {
    it('follows the record, and is never above what this build writes', async () => {
      const { formats } = await join({ roles: ['actors'] });
      expect([formats.current, formats.recorded]).to.deep.equal([NEWEST_FORMAT, NEWEST_FORMAT]);
      await redis.hset(deploymentKeys.record, 'formats', NEWEST_FORMAT + 1);
      await until(() => formats.recorded === NEWEST_FORMAT + 1);
      expect(formats.current).to.equal(NEWEST_FORMAT);
      expect(refused, 'actor pods stand by').to.have.length(0);
    });

    it('beyond this build every other role refuses to start, and ends where it runs', async () => {
      await join({ roles: ['api'], nodeId: 'api' });
      await redis.hset(deploymentKeys.record, 'formats', NEWEST_FORMAT + 1);
      await until(() => refused.length === 1);
      expect(refused[0]?.message).to.match(
        /^This deployment writes stored forms of generation \d and this build reads up to \d: run/,
      );
      for (const roles of [['api'], ['market'], ['jobs'], ['market', 'actors', 'jobs', 'api']]) {
        expect(await why(join({ roles })), roles.join()).to.match(/run a newer build/);
      }
      await join({ roles: ['actors'] });
    });
  });
});
