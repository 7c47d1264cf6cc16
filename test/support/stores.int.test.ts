import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { makeDir, openRedis, startMongo, startRedis, startStandIn } from './stores.ts';

/** 110 documents, `_id` and `email` of many lengths, some with an umlaut, `email` unique. */
const FORMER_STORE = new URL('../fixtures/standIn/mongo.mv.gz', import.meta.url);

describe('stores for tests', () => {
  it('Redis keeps what was written before a kill', async () => {
    const first = await startRedis({ appendfsync: 'always' });
    const redis = openRedis(first.url);
    redis.on('error', () => undefined);
    await redis.set('a', '1');
    await first.kill();
    const second = await startRedis({ dir: first.dir, port: first.port });
    expect(await redis.get('a')).to.equal('1');
    redis.disconnect();
    await second.stop();
  });

  it('MongoDB keeps what was written before it was stopped, and accepts the official driver', async () => {
    const first = await startMongo();
    const client = new MongoClient(first.url, { retryWrites: false });
    await client.db('t').collection<{ _id: string }>('c').insertOne({ _id: 'a' });
    await first.stop();
    const second = await startMongo({ dir: first.dir, port: first.port });
    expect(await client.db('t').collection('c').countDocuments()).to.equal(1);
    await client.close();
    await second.stop();
  });

  it('the stand-in finds every document that a former one has written, by both of its indexes', async () => {
    const dir = makeDir('mongo');
    writeFileSync(join(dir, 'mongo.mv'), gunzipSync(readFileSync(FORMER_STORE)));
    const store = await startStandIn({ dir });
    const client = new MongoClient(store.url, { retryWrites: false });
    const users = client.db('former').collection<{ _id: string; email: string; n: number }>('users');
    const all = await users.find().toArray();
    expect(all).to.have.length(110);
    for (const { _id, email, n } of all) {
      expect(await users.findOne({ _id })).to.include({ email });
      expect(await users.findOne({ email })).to.include({ _id });
      const refused = await users.insertOne({ _id: `new ${n}`, email, n }).catch(({ code }: { code: number }) => code);
      expect(refused).to.equal(11000);
      await users.updateOne({ _id }, { $set: { n: -1 } }, { upsert: true });
    }
    expect(await users.countDocuments({ n: -1 })).to.equal(110);
    await client.close();
    await store.stop();
  });

  it('a MongoDB that keeps nothing serves again after its stop, empty, and after a kill no more', async () => {
    const first = await startMongo({ memory: true });
    const client = new MongoClient(first.url, { retryWrites: false });
    for (const name of ['t', 'u']) {
      await client.db(name).collection('c').createIndex({ email: 1 }, { unique: true });
      await client.db(name).collection('c').insertOne({ email: 'a' });
    }
    await first.stop();
    const second = await startMongo({ memory: true });
    const beside = await startMongo({ memory: true });
    expect([second.url, beside.url]).to.satisfy(([again, other]: string[]) => again === first.url && other !== first.url);
    await client
      .db('t')
      .collection('c')
      .insertMany([{ email: 'a' }, { email: 'a' }]);
    expect([await client.db('t').collection('c').countDocuments(), await client.db('u').collections()]).to.deep.equal([2, []]);
    await client.close();
    await second.kill();
    await second.stop();
    await beside.stop();
    expect((await startMongo({ memory: true })).url).to.equal(beside.url);
  });

  it('MongoDB finds documents while the indexes of their collection are made', async () => {
    const store = await startMongo();
    const client = new MongoClient(store.url, { retryWrites: false });
    for (let round = 0; round < 15; round++) {
      const fresh = client.db('t').collection<{ _id: string }>(`c${round}`);
      const look = (): Promise<unknown> => fresh.findOne({ email: 'nobody' });
      await Promise.all([
        ...Array.from({ length: 20 }, look),
        fresh.createIndexes([
          { key: { email: 1 }, unique: true },
          { key: { at: 1 } },
          { key: { slot: 1 }, unique: true, sparse: true },
        ]),
        ...Array.from({ length: 20 }, look),
        fresh.insertOne({ _id: 'a' }),
        ...Array.from({ length: 20 }, look),
      ]);
    }
    await client.close();
    await store.stop();
  });
});
