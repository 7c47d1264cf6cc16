import { expect } from 'chai';
import { fromSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import { rowsOf } from '../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountEntry } from '../../src/actors/core/messages/entry.ts';
import { bucketId, HISTORY_KINDS } from '../../src/actors/core/messages/historyRows.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC, SOL, setBooks } from '../support/faults/coins.ts';
import { JournalTap } from '../support/faults/journalTap.ts';
import { pastOfAccount } from '../support/faults/pastOfAccount.ts';
import { readStored } from '../support/faults/stored.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const SHARDS = 2;
const TRADES = 6;
const RESETS = 4;

describe('kill -9 around a full reset: no row from before it comes back', function () {
  this.timeout(600_000);
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

  const info = (type: string, fields: object = {}) => stack.ask(account.apiKey, { type, user: account.address, ...fields });
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
      last = oidOf(await stack.act(account.apiKey, orderAction(BTC.asset, { px: '70000', sz: '0.001', tif: 'Ioc' })));
    }
    await stack.act(account.apiKey, orderAction(SOL.asset, { px: '50', sz: '1' }));
    await stack.act(account.apiKey, {
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
    await until(isDone).catch((error: Error) => {
      throw new Error(`the reset is never answered: ${JSON.stringify(last)}\n${stack.lastLines()}`, { cause: error });
    });
    expect(last).to.include({ balance: '10000.0' });
  }

  async function expectNewLife(oldOid: number): Promise<void> {
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
    const buy = () => stack.act(account.apiKey, orderAction(BTC.asset, { px: '70000', sz: '0.001', tif: 'Ioc' }));
    let answer = await buy();
    // Market data may be stale for a moment when processes have just come back.
    await until(async () => {
      const { error = '' } = answer.body.response.data.statuses[0];
      if (!error.includes('stale')) return true;
      answer = await buy();
      return false;
    });
    expect(oidOf(answer), JSON.stringify(answer.body)).to.be.greaterThan(oldOid);
    const fills = await info('userFills');
    expect(fills).to.have.length(1);
    expect(fills[0].startPosition).to.equal('0.0');
  }

  const killActors = async (): Promise<void> => {
    await stack.kill('actors-0');
    await stack.restart('actors-0');
  };
  const killMongo = async (): Promise<void> => {
    await stack.mongoStore.kill();
    await stack.restartMongo();
  };
  const killEverything = async (): Promise<void> => {
    const roles = ['actors-0', 'api-0', 'market-0'];
    await Promise.all([...roles.map((name) => stack.kill(name)), stack.redisStore.kill(), stack.mongoStore.kill()]);
    await Promise.all([stack.restartRedis(), stack.restartMongo()]);
    for (const name of roles) await stack.restart(name);
    await stack.waitHealthy();
    await setBooks(stack.market);
  };
  const killed = [
    {
      underWay: killActors,
      removing: killMongo,
      name: 'the actors while it is under way, of MongoDB while its rows are removed',
    },
    {
      underWay: killEverything,
      removing: killActors,
      name: 'everything while it is under way, of the actors while its rows are removed',
    },
  ];
  for (const { name, underWay, removing } of killed) {
    it(`of ${name}`, async () => {
      const oldOid = await tradeAlong();
      const journal = shardKeys.journal(shardOf(account.address, SHARDS));
      const before = await stack.redis.xlen(journal);
      const resetting = resetThrough(`reset-${account.address}`);
      const isUnderWay = async (): Promise<boolean> => (await stack.redis.xlen(journal).catch(() => before)) !== before;
      await Promise.race([resetting, until(isUnderWay)]);
      await underWay();
      await resetting;
      await expectNewLife(oldOid);
      await removing();
      await expectNewLife(oldOid);
      await until(isRemoved);
      await expectNewLife(oldOid);
      await tradeOn(oldOid);
    });
  }

  it('ten connections place orders while the account is reset and topped up: whoever is asked afterwards tells the same story', async () => {
    account = await stack.register();
    const tap = new JournalTap(stack.redis, SHARDS).start();
    const acknowledged: { cloid: string; oid: number }[] = [];
    let isOver = false;
    const isRefusal = (status: { error?: string }): boolean => status.error !== undefined;
    const trade = async (connection: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const cloid = `0x${`${connection}${String(n).padStart(8, '0')}`.padStart(32, '0')}`;
        const order =
          n % 3 === 2
            ? { px: '50', sz: '1', cloid }
            : ({ buy: n % 2 === 0, px: n % 2 === 0 ? '70000' : '60000', sz: '0.001', tif: 'Ioc', cloid } as const);
        const { status, body } = await stack.exchange(account.apiKey, orderAction((n % 3 === 2 ? SOL : BTC).asset, order));
        expect(status, JSON.stringify(body)).to.equal(200);
        const [told] = body.response.data.statuses;
        if (!isRefusal(told)) acknowledged.push({ cloid, oid: (told.filled ?? told.resting).oid });
      }
    };
    const topUps = async (): Promise<void> => {
      while (!isOver) {
        const headers = { 'x-api-key': account.apiKey };
        const { status } = await fetch(`${stack.baseUrl}/v1/auth/account/reset`, { method: 'POST', headers });
        expect(status, 'an account that has enough').to.equal(400);
      }
    };
    const traders = [...Array.from({ length: 10 }, (_, connection) => trade(connection)), topUps()];
    for (let n = 1; n <= RESETS; n++) {
      const placed = acknowledged.length;
      await Promise.race([until(() => acknowledged.length >= placed + 30), ...traders]);
      await resetThrough(`race-${n}`);
    }
    const placed = acknowledged.length;
    await Promise.race([until(() => acknowledged.length >= placed + 30), ...traders]);
    isOver = true;
    await Promise.all(traders);
    await until(async () => {
      await tap.read();
      const { db } = stack.mongo;
      const stored = await db.collection<{ _id: string; seq: number }>(collections.accounts).findOne({ _id: account.address });
      return stored !== null && stored.seq === tap.entriesOf(account.address).after.at(-1)?.seq;
    });
    await tap.stop();

    const stored = await readStored(stack.mongo, account.address);
    const past = pastOfAccount(tap, account.address, stored.snapshot?.text ?? ''); // the journal's fold is what memory was
    const isReset = ({ events }: AccountEntry): boolean => events.some(({ type }) => type === 'accountReset');
    expect(past.entries.filter(isReset)).to.have.length(RESETS);
    const { seq: resetSeq } = past.entries.findLast(isReset) as AccountEntry;
    const { firstRows } = past.account.historyStart;
    const kept = past.rows.filter(({ kind, number }) => number >= firstRows[kind]);
    expect(
      kept.every(({ entry }) => entry.seq >= resetSeq),
      'rows that are kept are of the new life',
    ).to.equal(true);
    let after = stored;
    await until(async () => {
      after = await readStored(stack.mongo, account.address);
      return HISTORY_KINDS.every((kind) => (after.rows[kind][0]?.number ?? firstRows[kind]) >= firstRows[kind]);
    });
    for (const kind of HISTORY_KINDS) {
      const own = kept.filter((row) => row.kind === kind).map(({ number, row }) => ({ kind, number, row }));
      expect(after.rows[kind], `${kind} in MongoDB`).to.deep.equal(JSON.parse(JSON.stringify(own)));
    }

    const ordersOf = (entry: AccountEntry): string[] =>
      rowsOf(entry).flatMap((row) => (row.kind === 'orders' && row.row.order.cloid ? [row.row.order.cloid] : []));
    const living = new Set(past.entries.filter(({ seq }) => seq > resetSeq).flatMap(ordersOf));
    expect(
      after.orderEnds.every(({ order }) => living.has(order.cloid ?? '')),
      'ended orders in MongoDB',
    ).to.equal(true);
    const dead = acknowledged.filter(({ cloid }) => !living.has(cloid));
    expect(acknowledged.length - dead.length, 'orders of the last life').to.be.at.least(30);
    const everPlaced = new Set(past.entries.flatMap(ordersOf));
    expect(
      acknowledged.filter(({ cloid }) => !everPlaced.has(cloid)),
      'acknowledged orders that no journal knows',
    ).to.deep.equal([]);

    const expectSameStory = async (): Promise<void> => {
      const tids = kept.flatMap((row) => (row.kind === 'fills' ? [row.row.tid] : [])).toReversed();
      expect((await info('userFills')).map(({ tid }: { tid: number }) => tid)).to.deep.equal(tids);
      const open: { oid: number }[] = await info('openOrders');
      const own = [...past.account.orders.keys()].sort((a, b) => a - b);
      expect(open.map(({ oid }) => oid).sort((a, b) => a - b)).to.deep.equal(own);
      const { assetPositions, marginSummary } = await info('clearinghouseState');
      const held = [...past.account.positions.values()].map(({ signedSize }) => Number(signedSize));
      expect(assetPositions.map(({ position }: { position: { szi: string } }) => Number(position.szi))).to.deep.equal(held);
      expect(Number(marginSummary.totalRawUsd)).to.equal(Number(past.account.cash));
      for (const { cloid } of dead.slice(-5))
        expect(await info('orderStatus', { oid: cloid })).to.deep.equal({ status: 'unknownOid' });
      const [{ oid, cloid } = { oid: 0, cloid: '' }] = acknowledged.filter((one) => living.has(one.cloid)).slice(-1);
      expect((await info('orderStatus', { oid: cloid })).order.order.oid).to.equal(oid);
    };
    await expectSameStory();
    await killEverything();
    await expectSameStory();
  });
});
