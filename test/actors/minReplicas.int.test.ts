import { expect } from 'chai';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { type Replica, startReplica } from '../support/redisPair.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
/** Its ledger and its equity. */
const DOCUMENTS_OF_AN_OPENING = 2;
const ACCOUNT = accountName(1);

describe('a pod that answers only what a replica has (REDIS_MIN_REPLICAS)', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let replica: Replica;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1', REDIS_MIN_REPLICAS: '1', REDIS_DURABILITY: 'always' });
  });
  after(async () => {
    await bench.stop();
    await replica.stop();
  });

  it('does not start on a Redis without a replica, and says so', async () => {
    const failed: unknown = await bench.startPod().catch((error: unknown) => error);
    expect(String(failed)).to.include('REDIS_MIN_REPLICAS is 1, and Redis has no replica');
  });

  it('an order waits while the replica lags, for everybody; its Idempotency-Key is answered then, and fills once', async () => {
    replica = await startReplica(bench.redisStore);
    const pod = await bench.startOnlyPod();
    const gateway = await bench.startGateway();
    await gateway.send(ACCOUNT, commands.open, ask);
    const documents = () => bench.mongo.db.collection(collections.history).countDocuments();
    await until(async () => (await documents()) === DOCUMENTS_OF_AN_OPENING);
    const [before] = await bench.redis.xrevrange(shardKeys.journal(0), '+', '-', 'COUNT', 1);

    replica.freeze();
    const told: Outcome[] = [];
    const send = async (): Promise<void> => {
      const idempotency = { key: 'k', bodyDigest: 'd' };
      told.push(await gateway.send(ACCOUNT, commands.place(), { ...ask, idempotency }));
    };
    const sent = [send()];
    await until(async () => (await bench.redis.exists(shardKeys.prepared(0))) === 1);
    sent.push(send());
    const question = gateway.send(ACCOUNT, commands.fills, ask);
    await until(() => pod.status().every(({ recovered }) => !recovered));
    expect(told).to.deep.equal([]);
    const [newest] = await bench.redis.xrevrange(shardKeys.journal(0), '+', '-', 'COUNT', 1);
    expect(newest?.[0], 'nothing to follow in the journal').to.equal(before?.[0]);
    expect(await documents()).to.equal(DOCUMENTS_OF_AN_OPENING);

    replica.thaw();
    await Promise.all(sent);
    expect(told[0]).to.have.nested.property('orders[0].type', 'filled');
    expect(told[1]).to.deep.equal(told[0]);
    expect(answerOf(await question)).to.include({ total: 1 });
    await until(() => pod.status().every(({ recovered }) => recovered));
  });

  it('an owner that dies while the replica lags leaves its commit to the next one: the order is filled once', async () => {
    const gateway = await bench.startGateway();
    replica.freeze();
    const sent = gateway.send(ACCOUNT, commands.place(), ask);
    await until(async () => (await bench.redis.exists(shardKeys.prepared(0))) === 1);
    for (const pod of bench.pods) await bench.stopPod(pod);
    const next = bench.startOnlyPod();
    replica.thaw();
    await next;
    expect(await sent).to.have.nested.property('orders[0].type', 'filled');
    expect(answerOf(await gateway.send(ACCOUNT, commands.fills, ask))).to.include({ total: 2 });
    expect(await bench.redis.exists(shardKeys.prepared(0))).to.equal(0);
  });
});
