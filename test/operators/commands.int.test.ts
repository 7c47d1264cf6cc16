import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { subscribe } from '../../src/features/billing/subscribe.ts';
import { type OperatorParts, Refused, Unknown, UsageError } from '../../src/operators/acts/operatorParts.ts';
import { runCommand } from '../../src/operators/commands.ts';
import { takeLoginLink } from '../../src/shared/access/loginLinks.ts';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { createBilling } from '../../src/shared/billing/billing.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import {
  raiseMongoRecord,
  raiseRedisRecord,
  readMongoRecord,
  readRedisRecord,
} from '../../src/shared/deployment/deploymentRecord.ts';
import { raiseRedisPins, readMongoPins, replaceMongoPins } from '../../src/shared/deployment/shardPinsRecord.ts';
import { readPins, withPin } from '../../src/shared/domain/shards.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { OPERATORS } from '../../src/shared/mongo/auditLog.ts';
import { collections, connectMongo } from '../../src/shared/mongo/mongo.ts';
import { SecondFactorStore } from '../../src/shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../src/shared/mongo/sessionStore.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { openJobQueue } from '../../src/shared/redis/jobQueue.ts';
import { apiKeyKeys, deploymentKeys, podKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from '../support/formats.ts';
import { type Store, startMongo, startRedis } from '../support/stores.ts';

const NOW_MS = 1_795_000_000_000;
const DAY_MS = 86_400_000;
const ENTRY = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));

describe('admin: what operators do, from a terminal', function () {
  this.timeout(600_000);
  let stores: Store[];
  let parts: OperatorParts;
  let user: User;

  before(async () => {
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    const log = createLogger({ level: 'silent', role: 'test' });
    const redis = connectRedis({ url: stores[0]?.url ?? '', name: 'admin', log });
    const mongo = connectMongo({ url: stores[1]?.url ?? '', database: 'paper', timeoutMs: 2000 });
    const billing = createBilling({
      config: readConfig({ SHARDS: '2' }),
      log,
      now: () => NOW_MS,
      redis,
      mongo,
      formats: newestFormats,
    });
    parts = { billing, redis, mongo };
    user = {
      _id: 'user_1',
      email: 'ada@example.com',
      passwordHash: '$argon2id$secret',
      plan: 'basic',
      address: `0x${'1'.repeat(40)}`,
      createdAt: new Date(NOW_MS - 10 * DAY_MS),
      trialExpiresAt: new Date(NOW_MS - 7 * DAY_MS),
      subscriptionExpiresAt: null,
      schema: 1,
    };
    await billing.users.insert(user);
    const key = {
      userId: user._id,
      name: 'bot',
      digest: 'd1',
      prefix: 'pe_abcde',
      createdAt: new Date(NOW_MS),
      schema: 1,
    } as const;
    await billing.keys.insert({ _id: 'key_1', ...key }, 5);
  });
  after(async () => {
    parts.redis.disconnect();
    await parts.mongo.close();
    await Promise.all(stores.map((store) => store.stop()));
  });

  const run = (...words: string[]) => runCommand(words, parts);
  // biome-ignore lint/suspicious/noExplicitAny: the data of a command is whatever it shows
  const dataOf = async (...words: string[]): Promise<any> => (await run(...words)).data;
  const failure = (...words: string[]): Promise<Error> =>
    run(...words).then(
      () => expect.fail(`${words.join(' ')} should have failed`),
      (error: Error) => error,
    );

  it('finds a user by address, id, account and key, and shows no hash', async () => {
    for (const name of ['ada@example.com', ' ADA@Example.com', 'user_1', user.address, 'key_1']) {
      const { data, lines } = await run('user', name);
      expect(data).to.deep.include({ id: 'user_1', plan: 'basic', status: 'expired', subscription_expires_at: null });
      expect(lines.join('\n'))
        .to.match(/^email +ada@example\.com$/m)
        .and.match(/^key {2}key_1 {2}pe_abcde… {2}"bot" {2}used never$/m);
      expect(JSON.stringify({ data, lines })).to.not.match(/argon2|"d1"/);
    }
  });

  it('finds a user by the address of a sub-account, and shows those that may exist, and which key is for one alone', async () => {
    const users = parts.mongo.db.collection<User>(collections.users);
    await users.updateOne({ _id: user._id }, { $set: { subAccountsMade: 2 } });
    const account = subAccountAddress(user.address, 2);
    const key = {
      userId: user._id,
      name: 'grid',
      digest: 'd2',
      prefix: 'pe_grid0',
      createdAt: new Date(NOW_MS),
      schema: 1,
      account,
    } as const;
    await parts.billing.keys.insert({ _id: 'key_2', ...key }, 5);
    const { data, lines } = await run('user', account);
    expect(data).to.deep.include({ id: 'user_1', sub_accounts: [subAccountAddress(user.address, 1), account] });
    expect(lines.join('\n')).to.match(
      new RegExp(`^key {2}key_2 {2}pe_grid0… {2}"grid" {2}for ${account} alone {2}used never$`, 'm'),
    );
    expect(await failure('user', subAccountAddress(user.address, 3))).to.be.instanceOf(Unknown);
    await parts.billing.keys.revoke(user._id, 'key_2', new Date(NOW_MS));
    await users.updateOne({ _id: user._id }, { $unset: { subAccountsMade: '' } });
  });

  it('grants a plan, which is announced, credited and audited', async () => {
    expect(await dataOf('grant', 'ada@example.com', 'pro', '--days', '10')).to.deep.equal({
      ...{ id: 'user_1', email: 'ada@example.com', plan: 'pro' },
      until: new Date(NOW_MS + 10 * DAY_MS).toISOString(),
    });
    expect(await dataOf('user', 'user_1')).to.include({ plan: 'pro', status: 'active' });
    const [change] = await parts.redis.xrevrange(apiKeyKeys.changes, '+', '-', 'COUNT', 1);
    expect(change?.[1]).to.deep.equal(['user', 'user_1']);
    const rows = await parts.billing.audit.page('user_1', { limit: 5 });
    expect(rows.map(({ action, actor }) => `${action} by ${actor}`)).to.deep.equal(['plan.changed by operator']);
  });

  it('ends every session of a user, which is announced and audited; a session that begins afterwards lives', async () => {
    const sessions = new SessionStore(parts.mongo);
    const at = new Date(NOW_MS);
    const session = {
      userId: 'user_1',
      createdAt: at,
      refreshedAt: at,
      usedAt: at,
      address: '192.0.2.1',
      agent: '',
      schema: 1,
    } as const;
    for (const _id of ['ses_1', 'ses_2']) await sessions.begin({ _id, generation: 0, ...session });
    await sessions.begin({ _id: 'ses_3', generation: 0, ...session, userId: 'user_2' });
    expect(await dataOf('user', 'sessions-end', 'ada@example.com')).to.include({ id: 'user_1', ended: 2 });
    expect(await sessions.listOf('user_1')).to.deep.equal([]);
    expect(await sessions.listOf('user_2')).to.have.length(1);
    expect(await parts.billing.users.findById('user_1')).to.include({ tokenGeneration: 1 });
    const [change] = await parts.redis.xrevrange(apiKeyKeys.changes, '+', '-', 'COUNT', 1);
    expect(change?.[1]).to.deep.equal(['user', 'user_1']);
    const rows = await parts.billing.audit.page('user_1', { limit: 5 });
    expect(rows.find(({ action }) => action === 'session.ended')).to.include({ actor: 'operator', outcome: 'ok', detail: 'all' });
    expect(await failure('user', 'sessions-end', 'nobody@example.com')).to.be.instanceOf(Refused);
    expect(await failure('user', 'sessions-end')).to.be.instanceOf(UsageError);
  });

  it('gives and takes away the role of an operator, which is announced and audited; a second time announces it again and changes nothing', async () => {
    const rolesOf = async () => (await dataOf('user', 'user_1')).roles;
    const rows = async (whose: string) =>
      (await parts.billing.audit.page(whose, { limit: 50 })).filter(({ action }) => action.startsWith('role.'));
    expect(await rolesOf()).to.deep.equal([]);
    expect(await dataOf('grant-role', 'ada@example.com', 'operator')).to.include({
      id: 'user_1',
      role: 'operator',
      granted: true,
    });
    // As after a death between the change and its announcement.
    const announced = await parts.redis.xlen(apiKeyKeys.changes);
    expect((await run('grant-role', 'user_1', 'operator')).lines).to.deep.equal([
      'ada@example.com has the role operator already.',
    ]);
    expect(await parts.redis.xlen(apiKeyKeys.changes)).to.equal(announced + 1);
    expect(await rolesOf()).to.deep.equal(['operator']);
    await run('revoke-role', 'user_1', 'operator');
    await run('revoke-role', 'user_1', 'operator');
    expect(await rolesOf()).to.deep.equal([]);
    for (const whose of ['user_1', OPERATORS]) {
      const acts = (await rows(whose)).map(({ action, actor, outcome }) => `${action} by ${actor}: ${outcome}`);
      expect(acts.sort()).to.deep.equal(['role.granted by operator: ok', 'role.revoked by operator: ok']);
    }
    const [change] = await parts.redis.xrevrange(apiKeyKeys.changes, '+', '-', 'COUNT', 1);
    expect(change?.[1]).to.deep.equal(['user', 'user_1']);
    expect(await failure('grant-role', 'nobody@example.com', 'operator')).to.be.instanceOf(Refused);
    for (const words of [['user_1'], ['user_1', 'king'], ['user_1', 'operator', 'more'], []]) {
      expect(await failure('grant-role', ...words)).to.be.instanceOf(UsageError);
    }
  });

  it('lists discount codes, and ends one: it is no longer taken, and what was taken before stays', async () => {
    await run('discount', 'create', 'ending', '--percent', '10', '--uses', '3');
    const taken = { userId: 'user_7', invoiceId: null, nowMs: NOW_MS - 1 };
    expect(await parts.billing.discounts.take('ENDING', taken)).to.include({ code: 'ENDING' });
    const listed = async () =>
      (await dataOf('discount', 'list')).discounts.find(({ code }: { code: string }) => code === 'ENDING');
    expect(await listed()).to.deep.equal({
      ...{
        code: 'ENDING',
        kind: 'percent',
        value: '10',
        applies_to: 'first',
        uses: 1,
        unspent: 1,
        uses_max: 3,
        expires_at: null,
      },
    });
    for (let times = 0; times < 2; times++) await run('discount', 'end', 'ending');
    expect(await listed()).to.include({ uses: 1, expires_at: new Date(NOW_MS).toISOString() });
    expect(await parts.billing.discounts.take('ENDING', { ...taken, userId: 'user_8', nowMs: NOW_MS })).to.equal('expired');
    expect(await parts.billing.discounts.take('ENDING', { ...taken, nowMs: NOW_MS })).to.include({ code: 'ENDING' });
    expect(await failure('discount', 'end', 'NONE')).to.be.instanceOf(Refused);
    expect(await failure('discount', 'end')).to.be.instanceOf(UsageError);
  });

  it('makes a link that logs in once, which is audited; none for a user with a second factor', async () => {
    const { path } = (await dataOf('user', 'login-link', 'ada@example.com')) as { path: string };
    const token = new URLSearchParams(path.replace('/enter#', '')).get('token') ?? '';
    expect(await takeLoginLink(parts.redis, token)).to.equal('user_1');
    expect(await takeLoginLink(parts.redis, token)).to.equal(undefined);
    const rows = await parts.billing.audit.page('user_1', { limit: 50 });
    expect(rows.filter(({ action }) => action === 'login.link').map(({ actor }) => actor)).to.deep.equal(['operator']);
    const factors = parts.mongo.db.collection<{ _id: string; confirmedAt: Date }>(collections.secondFactors);
    await factors.insertOne({ _id: 'user_1', confirmedAt: new Date(NOW_MS) });
    expect(await failure('user', 'login-link', 'ada@example.com')).to.be.instanceOf(Refused);
    await factors.deleteOne({ _id: 'user_1' });
  });

  it('turns a second factor off, which is audited', async () => {
    const factors = new SecondFactorStore(parts.mongo);
    const at = new Date(NOW_MS);
    const factor = { secret: 'v1.', createdAt: at, confirmedAt: at, lastStep: 0, recovery: { salt: '', digests: [] } } as const;
    await factors.begin({ _id: 'user_1', ...factor, guesses: [], revision: 1, schema: 1 });
    expect(await dataOf('user', 'totp-off', 'ada@example.com')).to.deep.equal({ id: 'user_1', email: 'ada@example.com' });
    expect(await factors.find('user_1')).to.equal(null);
    const rows = await parts.billing.audit.page('user_1', { limit: 9 });
    expect(rows.find(({ action }) => action === 'second_factor.off')).to.include({ actor: 'operator', outcome: 'ok' });
    expect(await failure('user', 'totp-off', 'ada@example.com')).to.be.instanceOf(Refused);
  });

  it('makes a discount code once', async () => {
    const { data, lines } = await run('discount', 'create', 'Spring', '--percent', '20', '--uses', '5');
    expect(data).to.deep.equal({
      ...{ code: 'SPRING', kind: 'percent', value: '20', applies_to: 'first', uses: 5, expires_at: null },
    });
    expect(lines).to.deep.equal(['SPRING: 20 % off the first payment, 5 uses.']);
    expect(await parts.billing.discounts.find('spring')).to.deep.include({ kind: 'percent', value: 20, usesMax: 5 });
    expect(await failure('discount', 'create', 'SPRING', '--amount', '5', '--uses', '1')).to.be.instanceOf(Refused);
    const amount = ['discount', 'create', 'FIVE', '--amount=5.50', '--uses=9', '--for=all', '--expires=2027-01-31'];
    expect(await dataOf(...amount)).to.include({ value: '5.50', applies_to: 'all', expires_at: '2027-01-31T00:00:00.000Z' });
  });

  it('pays an invoice of the test provider, and says so again when asked again', async () => {
    const wish = { plan: 'pro', period: 'month', invoiceId: 'inv_1', confirmsDataLoss: false } as const;
    expect(await subscribe(parts.billing, 'user_1', wish)).to.include({ _id: 'inv_1', status: 'open' });
    const id = 'inv_1';
    expect((await run('invoice', 'pay', id)).lines).to.deep.equal([`${id} is paid.`]);
    expect(await dataOf('invoice', 'pay', id)).to.deep.equal({ id, status: 'paid' });
    expect(await parts.billing.invoices.find(id)).to.include({ status: 'paid' });
    expect(await failure('invoice', 'pay', 'inv_none'))
      .to.be.instanceOf(Refused)
      .with.property('message', 'There is no such invoice.');
  });

  it('shows the busiest shard first, with the accounts that make it so; what an earlier owner has said does not count', async () => {
    const { redis } = parts;
    const load = { seconds: 10, busy: 0.61, commands: 812.4, journalBytes: 4_200_000 };
    const top = [{ account: user.address, busy: 0.6, times: 800 }];
    await redis.set(shardKeys.lease(1), '7:actors-0.ab:cd', 'EX', 60);
    await redis.set(shardKeys.load(1), JSON.stringify({ token: '7:actors-0.ab:cd', ...load, top }));
    await redis.set(shardKeys.load(0), JSON.stringify({ token: '6:actors-1.ab:cd', ...load, top }));
    const { data, lines } = await run('shards');
    const { shards } = data as { shards: { shard: number; epoch: number; load: object | null }[] };
    expect(shards.map(({ shard, epoch }) => [shard, epoch])).to.deep.equal([
      [1, 7],
      [0, 0],
    ]);
    expect(shards.map((row) => row.load)).to.deep.equal([{ ...load, top }, null]);
    expect(lines[1]).to.match(/^ {4}1 +61\.0 +812\.4 .* 4200 /);
    expect(lines[2]).to.match(new RegExp(`^ +60\\.0 {2}${user.address}, 800 a second$`));
    await redis.del(shardKeys.lease(1), shardKeys.load(0), shardKeys.load(1));
  });

  const NEW_POD = { formats: { reads: 1, writes: 1 }, pins: 0 };

  describe('shards move', () => {
    const announce = async (podId: string, fields: object = {}, aheadMs = 60_000): Promise<void> => {
      const report = { sinceMs: 0, leaving: false, shards: [], history: { lagMs: 0, mongoDown: false }, ...NEW_POD, ...fields };
      const [seconds, micros] = await parts.redis.time();
      const nowMs = Number(seconds) * 1000 + Number(micros) / 1000;
      await parts.redis.hset(podKeys.pods, podId, `${Math.floor(nowMs + aheadMs)} ${JSON.stringify(report)}`);
    };
    const acts = async (): Promise<(string | undefined)[]> =>
      (await parts.billing.audit.page('deployment', { limit: 9 })).map(
        ({ action, actor, detail }) => `${action} by ${actor}: ${detail}`,
      );
    const inBoth = async () => [readPins((await parts.redis.get(podKeys.pins)) ?? ''), await readMongoPins(parts.mongo)];

    before(async () => {
      await announce('actors-0.aaaaaaaa');
      await announce('actors-1.bbbbbbbb');
      await announce('actors-gone.dddddddd', { leaving: true });
      await parts.redis.set(shardKeys.lease(1), '3:actors-1.bbbbbbbb:cd');
    });
    after(() => parts.redis.del(podKeys.pods, podKeys.pins, shardKeys.lease(1)));

    it('records it in both stores and in the audit log, and says when the pod has the shard', async () => {
      const { data, lines } = await run('shards', 'move', '1', 'actors-1');
      expect(data).to.deep.equal({ shard: 1, moved_to: 'actors-1', is_there: true });
      expect(lines).to.deep.equal(['Shard 1 is given to actors-1.', 'actors-1 has it.']);
      const record = { version: 1, number: 1, pins: [{ shard: 1, node: 'actors-1', atMs: NOW_MS }] };
      expect(await inBoth()).to.deep.equal([record, record]);
      expect((await dataOf('shards')).shards.find(({ shard }: { shard: number }) => shard === 1)).to.include({
        moved_to: 'actors-1',
      });
      expect(await acts()).to.deep.equal(['shard.moved by operator: 1 to actors-1']);
    });

    it('says of a move whose pod is not there that it has no effect; one that is silent is not there', async () => {
      const said = async () => (await run('shards')).lines.at(-1);
      const none = 'Shard 1 is moved to actors-1, which is not there: it goes by the ranking until it comes.';
      await announce('actors-1.bbbbbbbb', { pins: 0 }, -parts.billing.config.LEASE_TTL_MS - 1);
      expect(await said()).to.equal(none);
      await parts.redis.hdel(podKeys.pods, 'actors-1.bbbbbbbb');
      expect(await said()).to.equal(none);
    });

    it('takes it back', async () => {
      expect(await dataOf('shards', 'move', '1', '--back')).to.include({ moved_to: null });
      const record = { version: 1, number: 2, pins: [] };
      expect(await inBoth()).to.deep.equal([record, record]);
      // Both acts are of one millisecond here: their rows stand in any order.
      expect(await acts()).to.have.members([
        'shard.moved by operator: 1 to actors-1',
        'shard.moved by operator: 1 back from actors-1',
      ]);
      expect(await failure('shards', 'move', '1', '--back')).to.be.instanceOf(Refused);
    });

    it('an older copy of the record takes no newer one’s place', async () => {
      await raiseRedisPins(parts.redis, { version: 1, number: 1, pins: [{ shard: 0, node: 'x', atMs: 0 }] });
      expect((await inBoth())[0]).to.include({ number: 2 });
    });

    it('of two operators at once one is refused', async () => {
      const record = await readMongoPins(parts.mongo);
      const both = [0, 1].map((shard) =>
        replaceMongoPins(parts.mongo, withPin(record, { shard, node: 'actors-0', atMs: 1 }), record),
      );
      expect((await Promise.all(both)).sort()).to.deep.equal([false, true]);
    });

    it('is heard by the pods also when MongoDB was set back to an older record', async () => {
      await parts.redis.set(shardKeys.lease(1), '4:actors-0.aaaaaaaa:cd');
      await raiseRedisPins(parts.redis, { version: 1, number: 7, pins: [{ shard: 0, node: 'x', atMs: 0 }] });
      await run('shards', 'move', '1', 'actors-0');
      const moves = [
        { shard: 0, node: 'x', atMs: 0 },
        { shard: 1, node: 'actors-0', atMs: NOW_MS },
      ];
      const record = { version: 1, number: 8, pins: moves };
      expect(await inBoth()).to.deep.equal([record, record]);
    });

    it('does not wait for a pod that dies meanwhile, and says so', async () => {
      const livesMs = 500;
      await announce('actors-dies.eeeeeeee', { pins: 0 }, livesMs - parts.billing.config.LEASE_TTL_MS);
      const { data, lines } = await run('shards', 'move', '0', 'actors-dies');
      expect(data).to.include({ moved_to: 'actors-dies', is_there: false });
      expect(lines[1]).to.equal('actors-dies has ended or is silent: the shard goes by the ranking until it comes.');
    });

    it('refuses what is no shard, a pod that is not there, and one that leaves', async () => {
      for (const words of [['2', 'actors-0'], ['x', 'actors-0'], ['1'], ['1', '--yes'], ['1', 'actors-0', 'more']]) {
        expect(await failure('shards', 'move', ...words), words.join(' ')).to.be.instanceOf(UsageError);
      }
      for (const name of ['actors-9', 'actors-gone']) {
        expect(await failure('shards', 'move', '1', name), name).to.be.instanceOf(Refused);
      }
      expect((await failure('shards', 'move', '1', 'actors-9')).message).to.include('Those that run: actors-0.');
    });
  });

  it('shows shards with what waits in them, and the jobs with their dead letters', async () => {
    await parts.redis.del(shardKeys.pending(1));
    await parts.redis.sadd(shardKeys.pending(1), 'a', 'b');
    await parts.redis.xadd(shardKeys.dead(1), '*', 'reason', 'a bug');
    const { shards } = await dataOf('shards');
    expect(shards[1]).to.include({ shard: 1, owner: null, waiting: 2, parked: 1, quarantined: 0 });
    expect((await run('shards')).lines[2]).to.match(/^ {4}1 .*\(nobody\)$/);
    const queue = openJobQueue(parts.redis);
    await queue.upsertJobScheduler('funding', { every: 10_000 }, { name: 'funding' });
    await queue.close();
    const { data, lines } = await run('queues');
    expect(data).to.deep.include({ workers: [], dead_letters: [] });
    expect(lines.join('\n'))
      .to.match(/^processes: none$/m)
      .and.match(/^ {2}funding {2}every 10 s, next 20/m)
      .and.match(/^dead letters: 0$/m);
  });

  describe('formats: the generation that may be written', () => {
    const say = async (name: string, reads: number): Promise<unknown> => {
      const [seconds] = await parts.redis.time();
      const said = JSON.stringify({ roles: ['api'], reads, writes: 1 });
      return parts.redis.hset(deploymentKeys.processes, name, `${Number(seconds) * 1000} ${said}`);
    };
    const inMongo = () => readMongoRecord(parts.mongo);
    const inRedis = () => readRedisRecord(parts.redis);

    it('nothing is raised before there is a record', async () => {
      expect((await run('formats')).lines[0]).to.match(/^No record yet/);
      expect(await failure('formats', 'raise', '--yes')).to.be.instanceOf(Refused);
      await raiseRedisRecord(parts.redis, { shards: 2, formats: 1 });
      await raiseMongoRecord(parts.mongo, { shards: 2, formats: 1 });
    });

    it('shows the record and every live process', async () => {
      await say('api-1', 2);
      const { data, lines } = await run('formats');
      expect(data).to.deep.include({ formats: 1, shards: 2 });
      expect(data).to.have.deep.nested.property('processes[0]', {
        ...{ process: 'api-1', roles: ['api'], reads: 2, writes: 1 },
      });
      expect(lines.slice(0, 2)).to.deep.equal(['may be written: generation 1', '  api-1 (api): reads up to 2, writes 1']);
    });

    it('there is no second generation yet', async () => {
      const error = await failure('formats', 'raise', '--yes');
      expect(error).to.be.instanceOf(Refused);
      expect(error.message).to.equal('Generation 1 is written already; this build knows no newer one.');
      expect([await inRedis(), await inMongo()]).to.deep.equal([1, 1].map((formats) => ({ shards: 2, formats })));
    });
  });

  const wrong: string[][] = [
    ['formats', 'rise'],
    ['shards', 'mvoe', '1', 'actors-0'],
    ['queues', 'now'],
    ['dead-letters', 'list', '7'],
    ['user', 'show', 'user_1'],
    ['formats', 'raise', '--now'],
    ['users'],
    ['discount'],
    ['user'],
    ['grant', 'user_1'],
    ['grant', 'user_1', 'gold'],
    ['grant', 'user_1', '__proto__'],
    ['grant', 'user_1', 'pro', '--days', '0'],
    ['grant', 'user_1', 'pro', '--days', '1e9'],
    ['grant', 'user_1', 'pro', '--weeks', '1'],
    ['discount', 'create', 'X', '--uses', '5'],
    ['discount', 'create', 'X', '--percent', '10', '--amount', '1', '--uses', '5'],
    ['discount', 'create', 'X', '--percent', '101', '--uses', '5'],
    ['discount', 'create', 'X', '--amount', 'NaN', '--uses', '5'],
    ['discount', 'create', 'X', '--percent', '10'],
    ['discount', 'create', 'X Y', '--percent', '10', '--uses', '5'],
    ['discount', 'create', 'X', '--percent', '10', '--uses', '5', '--expires', 'soon'],
    ['discount', 'create', 'X', '--percent', '10', '--uses', '5', '--for', 'some'],
    ['invoice', 'pay'],
  ];
  for (const words of wrong) {
    it(`${words.join(' ')}: is refused in a sentence, and nothing is done`, async () => {
      expect(await failure(...words)).to.be.instanceOf(UsageError);
      expect(await parts.billing.discounts.find('X')).to.equal(undefined);
    });
  }

  it('as a process: JSON or lines, and a status that a script can use', async () => {
    const env = { ...process.env, REDIS_URL: stores[0]?.url, MONGO_URL: stores[1]?.url, SHARDS: '2' };
    const start = (...words: string[]) =>
      promisify(execFile)(process.execPath, [ENTRY, ...words], { env }).then(
        ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      );
    const [shown, mistyped] = await Promise.all([start('--json', 'user', 'user_1'), start('usr', 'user_1')]);
    expect(JSON.parse(shown.stdout)).to.include({ email: 'ada@example.com' });
    expect(mistyped).to.include({ code: 2, stdout: '' });
    expect(mistyped.stderr).to.match(/^There is no command "usr user_1"; .*\n$/);
  });
});
