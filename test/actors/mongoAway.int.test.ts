// A pod that takes its shards while MongoDB is away: accounts that were in memory go on from Redis alone, with all that was
// acknowledged. An account that only MongoDB has is refused alone.
import { expect } from 'chai';
import type { RowsDocument } from '../../src/actors/core/history/historyDocuments.ts';
import { readJournalPosition } from '../../src/actors/engine/journal/journalPosition.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { collections, connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { queueCommands } from '../../src/shared/redis/submitScript.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const SHARD = 0;
const [trader, resting, atRest] = [accountName(1), accountName(2), accountName(3)];

describe('a shard that is taken while MongoDB is away', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let toRedis: TcpProxy;
  let toMongo: TcpProxy;
  let mongo: MongoConnection;
  let pod: Actors;

  before(async () => {
    bench = await ActorBench.start({
      ...{ SHARDS: '1', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '1000', ACCOUNT_IDLE_MS: '1500' },
    });
    toMongo = await TcpProxy.start(bench.mongoStore.port);
    mongo = connectMongo({ url: `mongodb://127.0.0.1:${toMongo.port}`, database: 'test', timeoutMs: 300 });
    gateway = await bench.startGateway();
    await startPod();
  });
  after(async () => {
    await bench.stop();
    await mongo.close();
    await toMongo.close();
  });

  async function startPod(): Promise<void> {
    toRedis = await TcpProxy.start(bench.redisStore.port);
    pod = await bench.startPod({ url: `redis://127.0.0.1:${toRedis.port}`, mongo });
    await until(() => bench.hasAllShards(pod));
  }
  /** Its connection is gone from one moment to the next, as after kill -9. */
  const killAndRestart = async (): Promise<void> => {
    await toRedis.close();
    await startPod();
  };
  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
      return 'done';
    } catch (error) {
      if (error instanceof RequestError) return `${error.status} ${error.code}`;
      throw error;
    }
  };
  const hashOf = async (account: string) => {
    const outcome = await gateway.send(account, { ...commands.state, stateHash: true }, ask);
    return outcome.type === 'answer' ? outcome.stateHash : outcome.type;
  };
  const openOrders = async (account: string) => {
    const answer = answerOf(await gateway.send(account, commands.openOrders, ask));
    return answer.kind === 'openOrders' ? answer.orders : [];
  };
  const isKept = async (account: string): Promise<boolean> => (await bench.redis.hexists(shardKeys.kept(SHARD), account)) === 1;
  const isWritten = async (): Promise<boolean> => {
    const [position, last] = [await readJournalPosition(bench.mongo, SHARD), await bench.redis.hget(shardKeys.head(SHARD), 'n')];
    return (await bench.redis.xlen(shardKeys.journal(SHARD))) === 0 && position !== undefined && position.commit <= Number(last);
  };
  const fillsInMongo = async (account: string): Promise<number[]> => {
    const documents = bench.mongo.db
      .collection<RowsDocument>(collections.history)
      .find({ _id: { $gte: `${account}:fills:`, $lt: `${account}:fills;` } });
    return (await documents.toArray()).flatMap(({ rows }) => rows.map((row) => (JSON.parse(row) as { number: number }).number));
  };
  const fill = (account: string) => gateway.send(account, commands.place(), ask);
  let fills = 0;

  it('has what the journal has lost to MongoDB, and what it still has', async () => {
    for (const account of [trader, resting, atRest]) await gateway.send(account, commands.open, ask);
    for (let i = 0; i < 3; i++) await fill(trader);
    for (const price of ['64000', '63000']) await gateway.send(resting, commands.rest(price), ask);
    await until(async () => (await isWritten()) && (await isKept(trader)) && (await isKept(resting)) && !(await isKept(atRest)));
    await fill(trader);
    fills = 4;
    const before = [await hashOf(trader), await hashOf(resting)];

    toMongo.refuse();
    await killAndRestart();
    expect([await hashOf(trader), await hashOf(resting)]).to.deep.equal(before);
    expect(await openOrders(resting)).to.have.length(2);
  });

  it('trades: orders, cancels, questions, and trades of the market through resting orders', async () => {
    expect(await fill(trader)).to.have.nested.property('orders[0].type', 'filled');
    fills += 1;
    const [order] = await openOrders(resting);
    const cancel = { type: 'cancelOrders', cancels: [{ asset: 0, target: { oid: order?.oid ?? 0 } }] } as const;
    expect(await gateway.send(resting, cancel, ask)).to.deep.include({ cancels: [{ type: 'success' }] });
    await bench.market.trade('BTC', [{ side: 'sell', price: '62999', size: '5' }]);
    await until(async () => (await openOrders(resting)).length === 0);
    const answer = answerOf(await gateway.send(resting, commands.state, ask));
    expect(answer).to.have.nested.property('state.positions').with.length(1);
  });

  it('refuses an account that only MongoDB has, it alone, and keeps what is queued for it', async () => {
    expect(await codeOf(gateway.send(atRest, commands.state, ask))).to.equal('503 account_away');
    expect(await codeOf(fill(atRest))).to.equal('503 account_away');
    const queued = [{ type: 'setBalance', balanceUsd: '777' }];
    await queueCommands(bench.redis, {
      config: bench.config,
      accountId: atRest,
      requestId: 'job:test',
      commands: queued,
      format: NEWEST_FORMAT,
    });
    expect(await codeOf(gateway.send(atRest, commands.state, ask))).to.equal('503 account_away');
    expect(await codeOf(fill(trader))).to.equal('done');
    fills += 1;
  });

  it('goes on so when it is taken once more, by an owner that has never seen MongoDB', async () => {
    const before = [await hashOf(trader), await hashOf(resting)];
    await killAndRestart();
    expect([await hashOf(trader), await hashOf(resting)]).to.deep.equal(before);
    await fill(trader);
    fills += 1;
  });

  it('is whole when MongoDB is back: history without a gap, nothing doubled, the same states', async () => {
    toMongo.mend();
    await until(async () => (await codeOf(gateway.send(atRest, commands.state, ask))) === 'done');
    await until(async () => {
      const answer = answerOf(await gateway.send(atRest, commands.state, ask));
      return answer.kind === 'accountState' && answer.state.withdrawable === '777.0';
    });
    await until(isWritten);
    expect(await fillsInMongo(trader)).to.deep.equal([...Array(fills).keys()]);
    const before = await Promise.all([trader, resting, atRest].map(hashOf));
    await toRedis.close();
    await bench.redis.del(shardKeys.kept(SHARD));
    await startPod();
    expect(await Promise.all([trader, resting, atRest].map(hashOf)), 'from MongoDB').to.deep.equal(before);
  });
});
