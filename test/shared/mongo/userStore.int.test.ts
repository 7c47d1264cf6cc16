import { expect } from 'chai';
import type { Plan } from '../../../src/shared/domain/plan.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { type User, UserStore } from '../../../src/shared/mongo/userStore.ts';
import { gatedCalls } from '../../support/gatedCalls.ts';
import { type Store, startMongo } from '../../support/stores.ts';

const ID = 'user_1';

describe('userStore: room for sub-accounts', () => {
  let store: Store;
  let mongo: MongoConnection;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'users', timeoutMs: 60_000 });
  });
  after(async () => {
    await mongo.close();
    await store.stop();
  });

  const users = () => mongo.db.collection<User>(collections.users);
  const setPlan = (plan: Plan): Promise<unknown> => users().updateOne({ _id: ID }, { $set: { plan } });
  const made = async (): Promise<number | undefined> => (await users().findOne({ _id: ID }))?.subAccountsMade;

  beforeEach(async () => {
    await users().deleteMany({});
    await users().insertOne({ _id: ID, plan: 'basic', subAccountsMade: 10 } as User);
  });

  /** With something that happens before the nth call of the database. */
  function storeWith(at: number, happens: () => Promise<unknown>): UserStore {
    let calls = 0;
    const gate = async (): Promise<void> => {
      calls += 1;
      if (calls === at) await happens();
    };
    return new UserStore({ ...mongo, db: { collection: () => gatedCalls(users(), 'users', gate) } as never });
  }

  it('is that of the plan, and who is full is told so', async () => {
    expect(await new UserStore(mongo).noteSubAccount(ID)).to.include({ plan: 'basic', subAccountsMade: 10 });
    await setPlan('pro');
    expect(await new UserStore(mongo).noteSubAccount(ID)).to.include({ plan: 'pro', subAccountsMade: 11 });
    expect(await new UserStore(mongo).noteSubAccount('another')).to.equal(null);
  });

  for (const at of [1, 2, 3]) {
    it(`is counted, and goes by the plan that it is told with, when that rises before call ${at}`, async () => {
      const user = await storeWith(at, () => setPlan('pro')).noteSubAccount(ID);
      expect([user?.plan, await made()]).to.deep.equal(['pro', 11]);
    });
  }

  it('is not counted beyond the plan that falls meanwhile', async () => {
    await setPlan('pro');
    const user = await storeWith(2, () => setPlan('basic')).noteSubAccount(ID);
    expect([user?.plan, await made()]).to.deep.equal(['basic', 10]);
  });

  it('is told of a user that is removed meanwhile', async () => {
    expect(await storeWith(2, () => users().deleteMany({})).noteSubAccount(ID)).to.equal(null);
  });
});
