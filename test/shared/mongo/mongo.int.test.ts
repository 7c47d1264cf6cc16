import { expect } from 'chai';
import { connectMongo } from '../../../src/shared/mongo/mongo.ts';
import { freePort } from '../../support/ports.ts';
import { startMongo } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

describe('connectMongo: a dead connection is noticed as docs/architecture.md says', () => {
  it('10 s of silence of the server, 30 s of a single connection', async () => {
    const mongo = connectMongo({ url: 'mongodb://127.0.0.1:9', database: 'none', timeoutMs: 3000 });
    const { heartbeatFrequencyMS, connectTimeoutMS, socketTimeoutMS } = mongo.db.client.options;
    expect(heartbeatFrequencyMS + connectTimeoutMS).to.equal(10_000);
    expect(socketTimeoutMS).to.equal(30_000);
    await mongo.close();
  });
});

describe('connectMongo: a process that starts before MongoDB finds it when it comes', function () {
  this.timeout(600_000);

  it('operations fail while it is away, many at once too, and work from then on', async () => {
    const port = await freePort();
    const mongo = connectMongo({ url: `mongodb://127.0.0.1:${port}`, database: 'late', timeoutMs: 200 });
    const count = (): Promise<number> => mongo.db.collection('things').countDocuments();
    const first = await Promise.allSettled(Array.from({ length: 16 }, count));
    expect(first.map(({ status }) => status)).to.deep.equal(first.map(() => 'rejected'));
    const store = await startMongo({ port, memory: true });
    await until(() =>
      count().then(
        (found) => found === 0,
        () => false,
      ),
    );
    const all = await Promise.all(Array.from({ length: 16 }, count));
    expect(all).to.deep.equal(all.map(() => 0));
    await mongo.close();
    await store.kill();
  });
});
