import { expect } from 'chai';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { FundingRow } from '../../src/actors/core/messages/historyRows.ts';
import { type Actors, startActors } from '../../src/actors/role.ts';
import { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { readWaits } from '../../src/jobs/domain/fundingPeriod.ts';
import { funding } from '../../src/jobs/funding.ts';
import type { FundingChange } from '../../src/market/domain/feed.ts';
import { type Emulator, startEmulator } from '../../src/market/emulator/role.ts';
import { type MarketRole, startMarket } from '../../src/market/role.ts';
import { type Config, readConfig } from '../../src/shared/config/config.ts';
import { HOUR_MS } from '../../src/shared/domain/units.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { FUNDING_WAITS, marketKeys, SHARD_MAILBOX, shardKeys } from '../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { accountName, answerOf } from '../support/actorBench.ts';
import { newestFormats } from '../support/formats.ts';
import { lastPeriodOf } from '../support/lastPeriodOf.ts';
import { control } from '../support/market.ts';
import { roleParts } from '../support/roleParts.ts';
import { type Store, startMongo, startRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** A day that has not begun: Redis, whose clock is the real one, refuses commits whose time is over. */
const DAY_MS = (Math.floor(Date.now() / (24 * HOUR_MS)) + 1) * 24 * HOUR_MS;
const at = (clock: string): number => DAY_MS + Date.parse(`1970-01-01T${clock}Z`);
const ETH_RATE = '0.0000125';
const LONG = accountName(1);
const CLOSED = accountName(2);
/** Long 0.01 BTC. */
const OTHER = accountName(3);
const ask = { requestId: 'r' };

describe('funding: from the venue’s rates to the account, by the clock', function () {
  this.timeout(600_000);
  let shiftMs = 0;
  const now = (): number => Date.now() + shiftMs;
  const log = createLogger({ level: process.env['LOG_LEVEL'] ?? 'silent', role: 'test' });
  const connections: Redis[] = [];
  let redisStore: Store;
  let mongoStore: Store;
  let config: Config;
  let redis: Redis;
  let mongo: MongoConnection;
  let emulator: Emulator;
  let market: MarketRole;
  let pod: Actors;
  let gateway: CommandGateway;
  let eth = 0;

  const connect = (name = 'connection'): Redis => {
    const connection = connectRedis({ url: redisStore.url, name, log });
    connections.push(connection);
    return connection;
  };
  const jobParts = () => ({ config, log, redis, mongo, formats: newestFormats, now });
  const runJob = () => funding.run(jobParts(), now());
  const startPod = () =>
    startActors(
      roleParts({
        ...{ config: { ...config, NODE_ID: 'pod' }, log, redis, mongo, now },
        ...{ realNow: Date.now, subscriberFactory: connect },
      }),
    );
  const startLeader = () => startMarket({ config, log, redis, formats: newestFormats, now });
  /** Resolves when the whole exchange lives at that moment of its day: prices that were received after it are known. */
  const moveTo = async (clock: string, day = 0): Promise<void> => {
    shiftMs += at(clock) + day * 24 * HOUR_MS - now();
    await priced();
  };
  const priced = (): Promise<void> => {
    const sinceMs = now();
    return until(async () => {
      const [context, book] = await redis.hmget(marketKeys.state, 'ctx:ETH', 'book:ETH');
      return [context, book].every((text) => text && JSON.parse(text).timeMs >= sinceMs);
    });
  };
  const recorded = async (): Promise<FundingChange['hours']> => {
    const text = await redis.hget(marketKeys.state, 'funding:ETH');
    return text === null ? [] : (JSON.parse(text) as FundingChange).hours;
  };
  const isRecorded = (clock: string, day = 0) =>
    until(async () => {
      const hour = (await recorded()).find(([hourMs]) => hourMs === at(clock) + day * 24 * HOUR_MS);
      return typeof hour?.[1] === 'string' && typeof hour[2] === 'string';
    });
  const setRate = (clock: string, rate: string | null, day = 0) =>
    control(emulator.url, { op: 'setHourlyRate', coin: 'ETH', time: at(clock) + day * 24 * HOUR_MS, rate });
  const send = async (accountId: string, command: AccountCommand) => gateway.send(accountId, command, ask);
  const trade = (
    accountId: string,
    side: 'buy' | 'sell',
    size: string,
    { asset = eth, limitPrice = side === 'buy' ? '2100' : '1900' } = {},
  ) =>
    send(accountId, {
      type: 'placeOrders',
      grouping: 'na',
      orders: [
        {
          ...{ asset, side, size, limitPrice, reduceOnly: false },
          type: { kind: 'limit', timeInForce: 'ioc' },
        },
      ],
    });
  const payments = async (accountId: string): Promise<readonly FundingRow[]> => {
    const answer = answerOf(
      await send(accountId, { type: 'query', query: { kind: 'history', rows: 'funding', want: { limit: 1000 } } }),
    );
    return answer.kind === 'history' ? answer.rows.flatMap((row) => (row.kind === 'funding' ? [row.row] : [])) : [];
  };
  const settlements = async (accountId: string, count: number): Promise<readonly FundingRow[]> => {
    await until(async () => (await payments(accountId)).length >= count);
    return await payments(accountId);
  };

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    shiftMs = at('00:30:00') - Date.now();
    emulator = await startEmulator({ port: 0, seed: 1, isQuiet: true, now });
    config = readConfig({
      ...{ NODE_ID: 'test', REDIS_URL: redisStore.url, MONGO_URL: mongoStore.url, SHARDS: '2', LEASE_TTL_MS: '600' },
      ...{ MARKET_SOURCE: 'emulated', MARKET_URL: emulator.url, MARKET_LEASE_TTL_MS: '900' },
      // Rows stay in the actor's memory, where this test looks for them.
      ...{ FUNDING_SETTLE_HOURS: '8', HISTORY_DELAY_MS: '100000000', ACCOUNT_IDLE_MS: '100' },
    });
    redis = connect('test');
    mongo = connectMongo({ url: mongoStore.url, database: 'funding', timeoutMs: 3000 });
    market = await startLeader();
    await control(emulator.url, { op: 'setPrice', coin: 'ETH', px: '2000' });
    await control(emulator.url, { op: 'setBook', coin: 'ETH', bids: [['1999', '500']], asks: [['2001', '500']] });
    for (let hour = 1; hour <= 8; hour++) await setRate(`0${hour}:00:00`, hour === 5 ? null : ETH_RATE);
    await priced();
    const { meta } = JSON.parse((await redis.hget(marketKeys.state, 'meta')) ?? '');
    eth = meta.universe.findIndex(({ name }: { name: string }) => name === 'ETH');
    pod = await startPod();
    gateway = new CommandGateway({
      ...{ redis: connect('gateway'), subscriber: connect('replies'), formats: newestFormats },
      ...{ config, log, realNow: Date.now, nodeId: 'api' },
    });
    await gateway.start();
    await until(() => pod.status().length === 2 && pod.status().every(({ loaded }) => loaded));
  });

  after(async () => {
    await gateway.stop();
    await pod.stop();
    await market.stop();
    await emulator.stop();
    for (const connection of connections) connection.disconnect();
    await mongo.close();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  it('the leader keeps the oracle price of an hour as it was before it, and the venue’s rate', async () => {
    for (const accountId of [LONG, CLOSED]) {
      await send(accountId, { type: 'openAccount', depositUsd: '10000' });
      expect(await trade(accountId, 'buy', '2')).to.have.nested.property('orders[0].type', 'filled');
    }
    await send(OTHER, { type: 'openAccount', depositUsd: '10000' });
    expect(await trade(OTHER, 'buy', '0.01', { asset: 0, limitPrice: '200000' })).to.have.nested.property(
      'orders[0].type',
      'filled',
    );
    await moveTo('00:59:55');
    await control(emulator.url, { op: 'setOracle', coin: 'ETH', px: '2010' });
    await priced();
    await moveTo('01:00:05');
    await control(emulator.url, { op: 'setOracle', coin: 'ETH', px: '2000' });
    await isRecorded('01:00:00');
    expect(await recorded()).to.deep.equal([[at('01:00:00'), ETH_RATE, '2010.0']]);
    const state = answerOf(await send(LONG, { type: 'query', query: { kind: 'accountState' } }));
    expect(state).to.have.nested.property('state.positions[0].funding.allTime', '0.0');
    await runJob();
    expect(await lastPeriodOf(redis, 0, 'funding')).to.equal(undefined);
  });

  it('hours in which nobody led are asked for: rates of the venue, the last traded price in place of the oracle’s', async () => {
    await moveTo('01:30:00');
    await trade(CLOSED, 'sell', '2');
    await market.stop();
    shiftMs += at('04:30:00') - now();
    market = await startLeader();
    await priced();
    await isRecorded('04:00:00');
    const hours = await recorded();
    expect(hours.map(([hourMs]) => hourMs)).to.deep.equal(['01', '02', '03', '04'].map((hour) => at(`${hour}:00:00`)));
    expect(new Set(hours.slice(1).map(([, rate]) => rate))).to.deep.equal(new Set([ETH_RATE]));
  });

  it('edge 75: a rate that is missing delays its coin, and is not estimated', async () => {
    for (const hour of ['05', '06', '07', '08']) {
      await moveTo(`${String(Number(hour) - 1).padStart(2, '0')}:59:58`);
      await moveTo(`${hour}:00:05`);
      await until(async () => (await recorded()).some(([hourMs]) => hourMs === at(`${hour}:00:00`)));
    }
    await isRecorded('08:00:00');
    await everythingKnown({ but: at('05:00:00') });
    await Promise.all([runJob(), runJob()]);
    await isDone();
    await runJob();
    await isDone();
    expect(await waitingFor()).to.deep.equal([['ETH'], ['ETH']]);
    expect(await payments(LONG)).to.deep.equal([]);
    const [other] = await settlements(OTHER, 1);
    expect(other).to.include({ coin: 'BTC', timeMs: at('08:00:00'), hours: 8 });
    await setRate('05:00:00', '0.0001');
    shiftMs += 20_000;
    await isRecorded('05:00:00');
    const known = new Map((await recorded()).map(([hourMs, rate, oracle]) => [hourMs, [rate, oracle] as const]));
    expect(known.get(at('05:00:00'))).to.deep.equal(['0.0001', '2000.0']);
    await everythingKnown();
    await Promise.all([runJob(), runJob(), runJob()]);
    const [row, ...others] = await settlements(LONG, 1);
    expect(others).to.deep.equal([]);
    expect(await waitingFor()).to.deep.equal([[], []]);
    const atRest = await lastPeriodOf(redis, 0, 'funding');
    await runJob();
    expect(await lastPeriodOf(redis, 0, 'funding')).to.equal(atRest);
    expect(await payments(OTHER)).to.have.length(1);
    const closes = ['02', '03', '04'].map((hour) => Number(known.get(at(`${hour}:00:00`))?.[1]));
    // 01:00 at 2010, three hours at what was traded, 05:00 at a rate of its own, three at 2000.
    const due = 2 * (2010 + closes.reduce((sum, px) => sum + px, 0) + 3 * 2000) * 0.0000125 + 2 * 2000 * 0.0001;
    expect(Number(row?.usd)).to.be.closeTo(-due, 0.00001);
    expect(row).to.include({ timeMs: at('08:00:00'), hours: 8, signedSize: '2' });
  });

  it('edge 74: who was flat when it was settled paid for the hours before', async () => {
    const [row] = await settlements(CLOSED, 1);
    expect(row).to.include({ timeMs: at('08:00:00'), hours: 1, usd: '-0.05025' });
  });

  it('edge 76: down for a day, then it pays what was due, settlement by settlement', async () => {
    await market.stop();
    await pod.stop();
    shiftMs += 24 * HOUR_MS;
    market = await startLeader();
    pod = await startPod();
    await until(() => pod.status().length === 2 && pod.status().every(({ loaded }) => loaded));
    await priced();
    await isRecorded('08:00:00', 1);
    await everythingKnown();
    await runJob();
    await runJob();
    const rows = await settlements(LONG, 4);
    expect(rows.map(({ timeMs, hours }) => [timeMs, hours])).to.deep.equal([
      [at('08:00:00'), 8],
      [at('16:00:00'), 8],
      [at('00:00:00') + 24 * HOUR_MS, 8],
      [at('08:00:00') + 24 * HOUR_MS, 8],
    ]);
    const state = answerOf(await send(LONG, { type: 'query', query: { kind: 'accountState' } }));
    const paid = -rows.reduce((sum, { usd }) => sum + Number(usd), 0);
    expect(state.kind === 'accountState' && Number(state.state.positions[0]?.funding.sinceOpen)).to.be.closeTo(paid, 1e-9);
    expect(await payments(CLOSED)).to.have.length(1);
  });

  it('EX-6.4b: a coin’s missing rate holds only that coin up, for 45 minutes all of it and then from the gap on', async () => {
    const before = (await payments(OTHER)).length;
    await setRate('12:00:00', null, 1);
    for (const hour of ['09', '10', '11', '13', '14', '15', '16']) await setRate(`${hour}:00:00`, ETH_RATE, 1);
    await market.stop();
    shiftMs += at('16:00:05') + 24 * HOUR_MS - now();
    market = await startLeader();
    await priced();
    await isRecorded('16:00:00', 1);
    await everythingKnown({ but: at('12:00:00') + 24 * HOUR_MS });
    await runJob();
    const others = await settlements(OTHER, before + 1);
    expect(others.at(-1)).to.include({ timeMs: at('16:00:00') + 24 * HOUR_MS, hours: 8 });
    shiftMs += 44 * 60_000;
    await runJob();
    await isDone();
    expect(await payments(LONG)).to.have.length(4);
    shiftMs += 60_000;
    await Promise.all([runJob(), runJob()]);
    const rows = await settlements(LONG, 5);
    expect(rows.at(-1)).to.include({ timeMs: at('16:00:00') + 24 * HOUR_MS, hours: 3 });

    await setRate('12:00:00', ETH_RATE, 1);
    shiftMs += 20_000;
    await everythingKnown();
    await runJob();
    const [, , , , , last, ...more] = await settlements(LONG, 6);
    expect(more).to.deep.equal([]);
    expect(last).to.include({ timeMs: at('16:00:00') + 24 * HOUR_MS, hours: 5 });
    expect(await payments(OTHER)).to.have.length(before + 1);
  });

  it('edge 76: what waits is found again where it was lost, and nothing is paid twice', async () => {
    const [rows, others] = [await payments(LONG), await payments(OTHER)];
    for (const shard of [0, 1]) await redis.hdel(shardKeys.jobs(shard), FUNDING_WAITS);
    const lasts = await Promise.all([0, 1].map((shard) => lastPeriodOf(redis, shard, 'funding')));
    await runJob();
    await isDone();
    expect(await waitingFor()).to.deep.equal([[], []]);
    expect(await lastPeriodOf(redis, 0, 'funding')).to.equal((lasts[0] ?? 0) + 1);
    expect([await payments(LONG), await payments(OTHER)]).to.deep.equal([rows, others]);
  });

  /** No shard has a command left. */
  const isDone = () =>
    until(async () => {
      const left = await Promise.all([0, 1].map((shard) => redis.xlen(shardKeys.commands(shard, SHARD_MAILBOX))));
      return left.every((count) => count === 0);
    });
  /** The coins that each shard's settlement waits for. */
  const waitingFor = () =>
    Promise.all(
      [0, 1].map(async (shard) => {
        const noted = await redis.hget(shardKeys.jobs(shard), FUNDING_WAITS);
        return noted === null ? [] : [...readWaits(noted).coins.keys()];
      }),
    );

  /** Every listed coin's hours are complete, but for that hour of ETH: one settlement is for the whole market. */
  async function everythingKnown({ but = 0 } = {}): Promise<void> {
    const { meta } = JSON.parse((await redis.hget(marketKeys.state, 'meta')) ?? '');
    const coins: string[] = meta.universe.flatMap(({ name, isDelisted }: { name: string; isDelisted?: boolean }) =>
      isDelisted === true ? [] : [`funding:${name}`],
    );
    const lastMs = Math.floor(now() / HOUR_MS) * HOUR_MS;
    await until(async () => {
      const texts = await redis.hmget(marketKeys.state, ...coins);
      return texts.every((text) => {
        const { hours }: FundingChange = text === null ? { hours: [] } : JSON.parse(text);
        return (
          hours.at(-1)?.[0] === lastMs &&
          hours.every(([hourMs, rate, oracle]) => hourMs === but || (rate !== null && oracle !== null))
        );
      });
    });
  }
});
