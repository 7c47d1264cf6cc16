import { expect } from 'chai';
import { trialExpiry } from '../../../src/features/billing/trialExpiry.ts';
import { accountAddresses, subAccountAddress } from '../../../src/shared/access/subAccountAddress.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { AuditLog } from '../../../src/shared/mongo/auditLog.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { type User, UserStore } from '../../../src/shared/mongo/userStore.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { newestFormats } from '../../support/formats.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_795_000_000_000;
const config = readConfig({});
const daysFromNow = (days: number): Date => new Date(NOW_MS + days * DAY_MS);

describe('trial-expiry: writes down who may not trade any more, and closes their accounts later', () => {
  let stores: Store[];
  let redis: Redis;
  let mongo: MongoConnection;
  let users: UserStore;
  let nowMs = NOW_MS;
  let made = 0;

  before(async () => {
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    const log = createLogger({ level: 'silent', role: 'test' });
    redis = connectRedis({ url: stores[0]?.url ?? '', name: 'test', log });
    mongo = connectMongo({ url: stores[1]?.url ?? '', database: 'test', timeoutMs: 2000 });
    users = new UserStore(mongo);
  });
  beforeEach(async () => {
    nowMs = NOW_MS;
    await mongo.db.collection(collections.users).deleteMany({});
  });
  after(async () => {
    redis.disconnect();
    await mongo.close();
    await Promise.all(stores.map((store) => store.stop()));
  });

  const user = async (trialDays: number, paidDays: number | null): Promise<User> => {
    made += 1;
    const one: User = {
      _id: `user_${made}`,
      email: `${made}@example.com`,
      passwordHash: '',
      plan: 'basic',
      address: `0x${String(made).padStart(40, '0')}`,
      createdAt: daysFromNow(-100),
      trialExpiresAt: daysFromNow(trialDays),
      subscriptionExpiresAt: paidDays === null ? null : daysFromNow(paidDays),
      schema: 1,
    };
    await users.insert(one);
    return one;
  };
  const log = createLogger({ level: 'silent', role: 'test' });
  const run = (): Promise<void> => trialExpiry.run({ config, log, redis, mongo, formats: newestFormats, now: () => nowMs }, 0);
  const noted = async ({ _id }: User) => {
    const { expiredAt, closedAt } = (await users.findById(_id)) as User;
    return { expiredAt, closedAt };
  };
  const acts = async ({ _id }: User) =>
    (await new AuditLog(mongo).page(_id, { limit: 10 })).map(({ action, actor, at }) => ({ action, actor, at }));
  const queued = async ({ address }: User): Promise<string[]> => {
    const entries = await redis.xrange(shardKeys.commands(shardOf(address, config.SHARDS), address), '-', '+');
    return entries.map(([, [, envelope]]) => JSON.parse(envelope ?? '').command.type);
  };

  const cases: { name: string; trial: number; paid: number | null; expiredDays: number | undefined; action?: string }[] = [
    { name: 'a trial that runs', trial: 1, paid: null, expiredDays: undefined },
    { name: 'a trial that is over', trial: -1, paid: null, expiredDays: -1, action: 'trial.expired' },
    { name: 'what is paid for', trial: -10, paid: 1, expiredDays: undefined },
    { name: 'the grace', trial: -10, paid: -2, expiredDays: undefined },
    { name: 'the end of the grace', trial: -10, paid: -3, expiredDays: 0, action: 'subscription.expired' },
  ];
  for (const { name, trial, paid, expiredDays, action } of cases) {
    it(`${name}: ${action ?? 'nothing'}, once however often it runs`, async () => {
      const one = await user(trial, paid);
      await run();
      await Promise.all([run(), run()]);
      const expiredAt = expiredDays === undefined ? undefined : daysFromNow(expiredDays);
      expect(await noted(one)).to.deep.equal({ expiredAt, closedAt: undefined });
      const rows = action === undefined ? [] : [{ action, actor: 'job:trial-expiry', at: expiredAt }];
      expect(await acts(one)).to.deep.equal(rows);
      expect(await queued(one)).to.deep.equal([]);
    });
  }

  it('closes the account 30 days after the end, and not a moment before', async () => {
    const one = await user(0, null);
    nowMs = NOW_MS + 30 * DAY_MS - 1;
    await run();
    expect(await queued(one)).to.deep.equal([]);
    nowMs += 1;
    await run();
    await run();
    expect(await queued(one)).to.deep.equal(['closeAccount']);
    expect(await noted(one)).to.deep.equal({ expiredAt: daysFromNow(0), closedAt: new Date(nowMs) });
    expect((await acts(one)).map(({ action }) => action)).to.deep.equal(['account.closed', 'trial.expired']);
  });

  it('closes the sub-accounts too, each once', async () => {
    const one = await user(-40, null);
    await mongo.db.collection<User>(collections.users).updateOne({ _id: one._id }, { $set: { subAccountsMade: 3 } });
    await run();
    await run();
    for (const address of accountAddresses({ ...one, subAccountsMade: 3 }))
      expect(await queued({ ...one, address })).to.deep.equal(['closeAccount']);
    expect(await queued({ ...one, address: subAccountAddress(one.address, 4) })).to.deep.equal([]);
  });

  it('leaves an account alone whose owner has paid late, and counts anew when that is over', async () => {
    const one = await user(-29, null);
    await run();
    const paid = { subscriptionExpiresAt: daysFromNow(30) };
    await mongo.db.collection<User>(collections.users).updateOne({ _id: one._id }, { $set: paid });
    nowMs = NOW_MS + 2 * DAY_MS;
    await run();
    expect(await noted(one)).to.deep.equal({ expiredAt: undefined, closedAt: undefined });
    nowMs = NOW_MS + (33 + 29) * DAY_MS;
    await run();
    expect(await noted(one)).to.deep.equal({ expiredAt: daysFromNow(33), closedAt: undefined });
    expect(await queued(one)).to.deep.equal([]);
    nowMs = NOW_MS + (33 + 30) * DAY_MS;
    await run();
    expect(await queued(one)).to.deep.equal(['closeAccount']);
  });

  it('goes through more users than one step takes', async () => {
    const many = await Promise.all(Array.from({ length: 45 }, () => user(-40, null)));
    await run();
    for (const one of many) expect(await queued(one)).to.deep.equal(['closeAccount']);
  });
});
