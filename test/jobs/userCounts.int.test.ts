import { expect } from 'chai';
import { countUsers } from '../../src/jobs/jobMetrics.ts';
import { paidUntilOf } from '../../src/shared/access/subscription.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { subscriptionStateOf } from '../../src/shared/domain/billing/subscription.ts';
import { collections, connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { type Store, startMongo } from '../support/stores.ts';

const NOW_MS = 1_795_000_000_000;
const config = readConfig({});

describe('counts of users: every plan, every state, as the clock judges it', () => {
  let store: Store;
  let mongo: MongoConnection;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'test', timeoutMs: 10_000 });
  });
  after(async () => {
    await mongo.close();
    await store.stop();
  });

  it('each user is counted once, where subscriptionStateOf puts it', async () => {
    const at = (days: number): Date => new Date(NOW_MS + days * 86_400_000);
    const ends = [-100, -3, -2.9, -1, 0, 1, 100];
    const users = (['basic', 'pro', 'pro'] as const).flatMap((plan, copy) =>
      ends.flatMap((trial) =>
        [null, ...ends].map((paid) => ({
          ...{ _id: `${plan}${copy}/${trial}/${paid}`, plan },
          trialExpiresAt: at(trial),
          subscriptionExpiresAt: paid === null ? null : at(paid),
        })),
      ),
    );
    await mongo.db.collection<Pick<User, '_id'>>(collections.users).insertMany(users);
    const counts = await countUsers(mongo, { config, nowMs: NOW_MS });
    for (const { plan, state, users: count } of counts) {
      const meant = users.filter(
        (user) => user.plan === plan && subscriptionStateOf(paidUntilOf(user, config), NOW_MS) === state,
      );
      expect(count, `${plan} ${state}`).to.equal(meant.length).and.be.greaterThan(0);
    }
    expect(counts.reduce((sum, one) => sum + one.users, 0)).to.equal(users.length);
  });
});
