import { expect } from 'chai';
import { bucketId } from '../../src/actors/domain/history.ts';
import { fromSnapshot } from '../../src/actors/domain/snapshot.ts';
import { shardOf } from '../../src/shared/domain/shardOf.ts';
import { shardKeys } from '../../src/shared/keys.ts';
import { collections } from '../../src/shared/mongo.ts';
import { BTC, SOL, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const SHARDS = 2;
const WITHIN_MS = 40_000;
const TRADES = 6;

describe('kill -9 around a full reset: no row from before it comes back', function () {
  this.timeout(180_000);
  let stack: Stack;
  let account: TestAccount;

  before(async () => {
    const env = {
      ...{ SHARDS: String(SHARDS), LEASE_TTL_MS: '1000', MARKET_LEASE_TTL_MS: '1000' },
      ...{ HISTORY_DELAY_MS: '300', JOURNAL_LAG_MS: '2000', MONGO_TIMEOUT_MS: '1000' },
    };
    stack = await startStack({ env, mongoInMemory: false, durability: 'always' });
    await setBooks(stack.market);
  });
  after(() => stack.stop());

  const info = async (type: string, fields: object = {}) =>
    (await stack.info(account.apiKey, { type, user: account.address, ...fields })).body;
  const reset = async (idempotencyKey: string): Promise<Answer> => {
    const answer = await fetch(`${stack.baseUrl}/v1/exchanges/perpx/account/reset`, {
      method: 'POST',
      headers: { 'x-api-key': account.apiKey, 'idempotency-key': idempotencyKey },
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const oidOf = ({ body }: Answer): number => {
    const [status] = body.response.data.statuses;
    return (status.filled ?? status.resting).oid;
  };

  /** A position, orders that rest and wait, and rows of every trade; gives the oid of the last fill. */
  async function tradeAlong(): Promise<number> {
    account = await stack.register();
    let last = 0;
    for (let i = 0; i < TRADES; i++) {
      last = oidOf(await stack.exchange(account.apiKey, orderAction(BTC.asset, { px: '70000', sz: '0.001', tif: 'Ioc' })));
    }
    await stack.exchange(account.apiKey, orderAction(SOL.asset, { px: '50', sz: '1' }));
    await stack.exchange(account.apiKey, {
      type: 'twapOrder',
      twap: { a: BTC.asset, b: true, s: '0.11', r: false, m: 30, t: false },
    });
    expect(await info('userFills')).to.have.length(TRADES);
    return last;
  }

  /** The reset, repeated under one key until it is answered, whatever is killed meanwhile. */
  async function resetThrough(key: string): Promise<void> {
    let last: unknown;
    const isDone = async (): Promise<boolean> => {
      const answer = await reset(key).catch((error: Error) => error);
      last = answer instanceof Error ? answer.message : answer.body;
      return !(answer instanceof Error) && answer.status === 200;
    };
    await until(isDone, WITHIN_MS).catch((error: Error) => {
      throw new Error(`the reset is never answered: ${JSON.stringify(last)}\n${stack.lastLines()}`, { cause: error });
    });
    expect(last).to.include({ balance: '10000.0' });
  }

  async function expectNewLife(oldOid: number): Promise<void> {
    await until(async () => Array.isArray(await info('userFills').catch(() => undefined)), WITHIN_MS);
    const empty = ['userFills', 'historicalOrders', 'openOrders', 'userTwapSliceFills', 'twapHistory', 'userFunding'];
    for (const type of empty) expect(await info(type, { startTime: 0 }), type).to.deep.equal([]);
    const state = await info('clearinghouseState');
    expect([state.withdrawable, state.assetPositions.length]).to.deep.equal(['10000.0', 0]);
    const ledger = await info('userNonFundingLedgerUpdates', { startTime: 0 });
    expect(ledger.map(({ delta }: { delta: object }) => delta)).to.deep.equal([{ type: 'deposit', usdc: '10000.0' }]);
    expect(await info('orderStatus', { oid: oldOid })).to.deep.equal({ status: 'unknownOid' });
    const [, { accountValueHistory }] = (await info('portfolio')).at(3);
    expect(accountValueHistory.map(([, usd]: [number, string]) => usd)).to.satisfy((all: string[]) =>
      all.every((usd) => usd === '10000.0'),
    );
  }

  /** MongoDB has the new beginning, and nothing of what was before it. */
  const isRemoved = async (): Promise<boolean> => {
    const { db } = stack.mongo;
    const snapshot = await db.collection<{ _id: string; text: string }>(collections.accounts).findOne({ _id: account.address });
    if (!snapshot) return false;
    const { firstRows } = fromSnapshot(snapshot.text).historyStart;
    if (firstRows.fills === 0) return false;
    const ids = ['fills', 'orders', 'ledger', 'twaps'].map((kind) => bucketId(account.address, kind as 'fills', 0));
    const left = await db.collection<{ _id: string }>(collections.history).countDocuments({ _id: { $in: ids } });
    return left === 0 && (await db.collection(collections.orderEnds).countDocuments({ account: account.address })) === 0;
  };

  async function tradeOn(oldOid: number): Promise<void> {
    const answer = await stack.exchange(account.apiKey, orderAction(BTC.asset, { px: '70000', sz: '0.001', tif: 'Ioc' }));
    expect(oidOf(answer)).to.be.greaterThan(oldOid);
    const fills = await info('userFills');
    expect(fills).to.have.length(1);
    expect(fills[0].startPosition).to.equal('0.0');
  }

  const killed: { name: string; kill: () => Promise<void> }[] = [
    {
      name: 'the actors',
      kill: async () => {
        await stack.kill('actors-0');
        await stack.restart('actors-0');
      },
    },
    {
      name: 'MongoDB',
      kill: async () => {
        await stack.mongoStore.kill();
        await stack.restartMongo();
      },
    },
    {
      name: 'everything',
      kill: async () => {
        const roles = ['actors-0', 'api-0', 'market-0'];
        await Promise.all([...roles.map((name) => stack.kill(name)), stack.redisStore.kill(), stack.mongoStore.kill()]);
        await Promise.all([stack.restartRedis(), stack.restartMongo()]);
        for (const name of roles) await stack.restart(name);
        await stack.waitHealthy(WITHIN_MS);
        await setBooks(stack.market);
      },
    },
  ];
  for (const { name, kill } of killed) {
    it(`of ${name}, while the reset is under way and again while its rows are removed`, async () => {
      const oldOid = await tradeAlong();
      const journal = shardKeys.journal(shardOf(account.address, SHARDS));
      const before = await stack.redis.xlen(journal);
      const resetting = resetThrough(`reset-${account.address}`);
      const isUnderWay = async (): Promise<boolean> => (await stack.redis.xlen(journal).catch(() => before)) !== before;
      await Promise.race([resetting, until(isUnderWay, WITHIN_MS)]);
      await kill();
      await resetting;
      await expectNewLife(oldOid);
      await kill();
      await expectNewLife(oldOid);
      await until(isRemoved, WITHIN_MS);
      await expectNewLife(oldOid);
      await tradeOn(oldOid);
    });
  }
});
