import { expect } from 'chai';
import { fromSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import { bucketId } from '../../src/actors/core/messages/historyRows.ts';
import type { AccountGateway } from '../../src/api/accounts/accountGateway.ts';
import { HistoryReader } from '../../src/api/accounts/historyReader.ts';
import { forgetAlerts } from '../../src/features/alerts/job.ts';
import { AlertDeliveries } from '../../src/features/alerts/store/alertDeliveries.ts';
import { AlertEndpoints } from '../../src/features/alerts/store/alertEndpoints.ts';
import { retention } from '../../src/jobs/retention.ts';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { DeletedUsers } from '../../src/shared/mongo/deletedUsers.ts';
import { KeyStore } from '../../src/shared/mongo/keyStore.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { SessionStore } from '../../src/shared/mongo/sessionStore.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { newestFormats } from '../support/formats.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const ROWS = 600;
const ask = { requestId: 'r' };
const pastOf = (accountId: string) => ({ accountId, ...ask });

describe('retention: history older than the plan’s days goes in whole buckets', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: AccountGateway;
  let reader: HistoryReader;
  const master = accountName(1);
  /** A sub-account. */
  const basic = subAccountAddress(master, 2);
  const [pro, holder] = [accountName(2), accountName(3)];

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '500' });
    await bench.startOnlyPod();
    gateway = await bench.startNodeGateway();
    reader = new HistoryReader({ gateway, mongo: bench.mongo });
    const users = bench.mongo.db.collection<{ _id: string; address: string; subAccountsMade?: number; plan: string }>(
      collections.users,
    );
    await users.insertMany([
      { _id: 'user_a', address: master, subAccountsMade: 2, plan: 'basic' },
      { _id: 'user_b', address: pro, plan: 'pro' },
      { _id: 'user_c', address: holder, plan: 'basic' },
      { _id: 'user_d', address: accountName(4), plan: 'basic' },
    ]);
    for (const accountId of [basic, pro, holder]) {
      await gateway.send(accountId, commands.open, ask);
      const sent: AccountCommand[] = Array.from({ length: ROWS - 1 }, (_, i) => ({
        type: 'setBalance',
        balanceUsd: String(5000 + i),
      }));
      for (let i = 0; i < sent.length; i += 50) {
        await Promise.all(sent.slice(i, i + 50).map((command) => gateway.send(accountId, command, ask)));
      }
    }
    await gateway.send(holder, commands.place(), ask);
    for (const accountId of [basic, pro, holder]) await until(async () => (await rowsInSnapshot(accountId)) === ROWS);
  });
  after(() => bench.stop());

  const rowsInSnapshot = async (accountId: string): Promise<number> => {
    const found = await bench.mongo.db
      .collection<{ _id: string; text: string }>(collections.accounts)
      .findOne({ _id: accountId });
    if (!found) return 0;
    const { rowCounts, positions } = fromSnapshot(found.text);
    return accountId === holder && positions.size === 0 ? 0 : rowCounts.ledger;
  };
  const kept = async (accountId: string): Promise<number> => (await reader.latest(pastOf(accountId), 'ledger', 10_000)).length;
  const stored = (accountId: string): Promise<number> =>
    bench.mongo.db.collection(collections.history).countDocuments({ _id: { $regex: `^${accountId}:ledger:` } } as object);
  const run = (daysFromNow: number) => {
    const { config, log, redis, mongo } = bench;
    return retention([forgetAlerts]).run(
      { config, log, redis, mongo, formats: newestFormats, now: Date.now },
      Date.now() + daysFromNow * DAY_MS,
    );
  };

  it('nothing goes before its time', async () => {
    await run(29);
    expect(await bench.redis.scard('{s00}:pending')).to.equal(0);
    for (const accountId of [basic, pro, holder]) expect(await kept(accountId)).to.equal(ROWS);
  });

  it('after 30 days full buckets of basic go, from sight and from MongoDB; pro, and what explains an open position, stay', async () => {
    await run(31);
    await until(async () => (await kept(basic)) === ROWS - 512);
    await until(async () => (await stored(basic)) === 1);
    const query = { type: 'query', query: { kind: 'entries', afterSeq: ROWS } } as const;
    // Each entry was one row: a replay of the ledger cannot begin before the first that is kept.
    expect(await gateway.send(basic, query, ask)).to.have.nested.property('answer.lastGoneSeqs.ledger', 512);
    expect(await kept(pro)).to.equal(ROWS);
    expect((await reader.latest(pastOf(holder), 'fills', 10)).length).to.equal(1);
    await run(31);
    await run(31);
    expect(await kept(basic)).to.equal(ROWS - 512);
    expect((await reader.latest(pastOf(basic), 'ledger', 1))[0]?.number).to.equal(ROWS - 1);
  });

  it('after 90 days those of pro go too', async () => {
    await run(91);
    await until(async () => (await kept(pro)) === ROWS - 512);
    expect((await reader.latest(pastOf(holder), 'fills', 10)).length).to.equal(1);
  });

  it('sessions go when they are over by their absolute or idle life and a day more, and no others', async () => {
    const sessions = new SessionStore(bench.mongo);
    const startMs = Date.now();
    const begin = (name: string, createdDay: number, usedDay: number) => {
      const [createdAt, usedAt] = [createdDay, usedDay].map((day) => new Date(startMs + day * DAY_MS)) as [Date, Date];
      const rest = { userId: 'user_s', generation: 0, address: '192.0.2.1', agent: '', schema: 1 } as const;
      return sessions.begin({ _id: `ses_${name}`, ...rest, createdAt, refreshedAt: usedAt, usedAt });
    };
    await begin('idle', 0, 0);
    await begin('used', 0, 40);
    await begin('old', -50, 40);
    const left = async (): Promise<string[]> => (await sessions.listOf('user_s')).map(({ _id }) => _id).sort();
    await run(30);
    expect(await left()).to.deep.equal(['ses_idle', 'ses_old', 'ses_used']);
    await run(32);
    expect(await left()).to.deep.equal(['ses_old', 'ses_used']);
    await run(41);
    expect(await left()).to.deep.equal(['ses_used']);
  });

  describe('of a deleted user', () => {
    const gone = accountName(0x50);
    const goneSub = subAccountAddress(gone, 1);
    const neighbour = accountName(0x51);
    const cloid = `0x${'c'.repeat(32)}`;
    const nothing = { history: 0, excursions: 0, orderEnds: 0, cloids: 0, archive: 0, archiveStates: 0, accounts: 0 };
    const deleted = (): DeletedUsers => new DeletedUsers(bench.mongo);
    /** Documents of an account, by collection. */
    const documentsOf = async (accountId: string): Promise<Record<string, number>> => {
      const { history, excursions, orderEnds, cloids, archive, archiveStates, accounts } = collections;
      const counts: Record<string, number> = {};
      for (const name of [history, excursions, orderEnds, cloids, archive, archiveStates, accounts]) {
        const own = { _id: { $regex: `^${accountId}` } } as object;
        counts[name] = await bench.mongo.db.collection(name).countDocuments(own);
      }
      return counts;
    };

    before(async () => {
      for (const accountId of [gone, goneSub, neighbour]) {
        await gateway.send(accountId, commands.open, ask);
        await gateway.send(accountId, commands.place({ cloid }), ask);
        const excursions = bench.mongo.db.collection<{ _id: string }>(collections.excursions);
        await excursions.insertOne({ _id: bucketId(accountId, 'roundTrips', 0) });
      }
      for (const [userId, count] of [
        ['user_gone', 3],
        ['user_e', 1],
      ] as const) {
        const keys = new KeyStore(bench.mongo);
        for (let n = 0; n < count; n++) {
          const key = {
            _id: `key_${userId}${n}`,
            userId,
            name: 'bot',
            digest: `${userId}${n}`,
            prefix: 'pe_',
            schema: 1,
          } as const;
          await keys.insert({ ...key, createdAt: new Date() }, 5);
        }
        const session = {
          createdAt: new Date(),
          refreshedAt: new Date(),
          usedAt: new Date(),
          generation: 0,
          address: '',
          agent: '',
          schema: 1,
        } as const;
        await new SessionStore(bench.mongo).begin({ _id: `ses_${userId}`, userId, ...session });
        const hook = {
          _id: `ale_${userId}`,
          userId,
          kinds: ['fill'],
          state: 'paused',
          pausedWhy: 'user',
          createdAt: new Date(),
        } as const;
        const target = { channel: 'webhook', url: 'https://example.com/', secret: { version: 1, digest: '' } } as const;
        await new AlertEndpoints(bench.mongo).insert({ ...hook, ...target, at: {}, turnAt: null, turn: 0, schema: 1 }, 1);
        const waiting = {
          _id: `${hook._id}:user:1:1`,
          endpoint: hook._id,
          userId,
          lane: 'user',
          type: 'test',
          body: '{}',
        } as const;
        await new AlertDeliveries(bench.mongo).add([waiting], new Date());
        if (userId === 'user_gone') await keys.revokeAll(userId, new Date());
      }
      await until(async () => Object.values(await documentsOf(gone)).every((count) => count > 0));
      await until(async () => Object.values(await documentsOf(neighbour)).every((count) => count > 0));
      await until(async () => Object.values(await documentsOf(goneSub)).every((count) => count > 0));
      await deleted().note({ _id: 'user_gone', address: gone }, new Date());
      await deleted().note({ _id: 'user_gone', address: gone, subAccountsMade: 1 }, new Date());
    });
    const keysOf = (userId: string): Promise<number> =>
      bench.mongo.db.collection(collections.apiKeys).countDocuments({ userId } as object);

    it('nothing goes while an account has a position, which is closed then, or while the user is still there', async () => {
      await run(1);
      const left = async () =>
        [await documentsOf(gone), await documentsOf(goneSub)].map((counts) => counts[collections.accounts]);
      expect(await left()).to.deep.equal([1, 1]);
      expect(await keysOf('user_gone')).to.equal(3);
      const live = async () => [...(await bench.redis.smembers('{s00}:live')), ...(await bench.redis.smembers('{s01}:live'))];
      await until(async () => !(await live()).some((accountId) => accountId === gone || accountId === goneSub));
      const users = bench.mongo.db.collection<{ _id: string; address: string; plan: string }>(collections.users);
      await users.insertOne({ _id: 'user_gone', address: gone, plan: 'basic' });
      await run(1);
      expect(await keysOf('user_gone')).to.equal(3);
      expect((await documentsOf(gone))[collections.accounts]).to.equal(1);
      await users.deleteOne({ _id: 'user_gone' });
    });

    it('nothing goes on the day itself', async () => {
      await run(-1);
      expect((await documentsOf(gone))[collections.accounts]).to.equal(1);
    });

    it('everything goes then, and nothing of anybody else', async () => {
      const was = await documentsOf(neighbour);
      await Promise.all([run(1), run(1)]);
      expect(await documentsOf(gone)).to.deep.equal(nothing);
      expect(await documentsOf(goneSub)).to.deep.equal(nothing);
      expect(await keysOf('user_gone')).to.equal(0);
      expect(await deleted().before(new Date(Date.now() + DAY_MS), { after: '', limit: 10 })).to.deep.equal([]);
      expect(await documentsOf(neighbour)).to.deep.equal(was);
      expect(await keysOf('user_e')).to.equal(1);
      for (const [userId, count] of [
        ['user_gone', 0],
        ['user_e', 1],
      ] as const)
        for (const name of [collections.alertEndpoints, collections.alertDeliveries])
          expect(await bench.mongo.db.collection(name).countDocuments({ userId }), `${name} of ${userId}`).to.equal(count);
      const sessions = new SessionStore(bench.mongo);
      expect([await sessions.listOf('user_gone'), await sessions.listOf('user_e')].map(({ length }) => length)).to.deep.equal([
        0, 1,
      ]);
    });

    it('what is gone stays gone when another pod takes the shard', async () => {
      for (const pod of bench.pods) await bench.stopPod(pod);
      await bench.startOnlyPod();
      expect(await documentsOf(gone)).to.deep.equal(nothing);
      expect((await reader.latest(pastOf(neighbour), 'fills', 10)).length).to.equal(1);
      expect(await reader.latest(pastOf(gone), 'fills', 10)).to.deep.equal([]);
    });
  });
});
