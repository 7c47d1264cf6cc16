// Exchange time set ahead by `advance` of POST /control, on a whole exchange: all that becomes due is done when it is answered, once, also when
// processes are killed on the way.
import { expect } from 'chai';
import { readEntries } from '../../src/actors/core/messages/entry.ts';
import { settlementAfter } from '../../src/jobs/domain/fundingPeriod.ts';
import { hourOf } from '../../src/market/domain/fundingRecords.ts';
import { readClock } from '../../src/shared/deployment/clockRecord.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/domain/units.ts';
import { deploymentKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC, ETH } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** 1 BTC at this oracle price and rate, each hour. */
const ORACLE = '60000';
const RATE = '0.0001';
const PAID_AN_HOUR = 6;
const LATER_RATE = '-0.0003';
const PAID_AN_HOUR_LATER = -18;
const SHARDS = 4;

/** A row of `userFunding`. */
interface Settlement {
  readonly time: number;
  readonly usdc: string;
  readonly hours: number;
}

describe('advance of POST /control: exchange time is set ahead', function () {
  this.timeout(600_000);
  let stack: Stack;
  let owner: TestAccount;

  before(async () => {
    const env = {
      CONTROL: 'on',
      TRIAL_DAYS: '1',
      SHARDS: String(SHARDS),
      LEASE_TTL_MS: '1000',
      MARKET_LEASE_TTL_MS: '1000',
      HISTORY_DELAY_MS: '300',
    };
    stack = await startStack({ apis: 2, pods: 2, jobs: 1, env });
    await newOwner();
  });
  after(() => stack.stop());

  /** Trials are a day long here. */
  const newOwner = async (): Promise<TestAccount> => (owner = await stack.register());
  const control = (body: object, baseUrl = stack.baseUrl): Promise<Answer> =>
    stack.call('POST', '/control', { key: owner.apiKey, body, baseUrl });
  const done = async (body: object): Promise<{ time: number; shown: boolean }> => {
    const { status, body: answer } = await control(body);
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer;
  };
  /** On a busy machine a call may be answered that it is to be made again. */
  const advance = async (ms: number, id: string = crypto.randomUUID()): Promise<number> => {
    let answer: Answer | undefined;
    await until(async () => {
      answer = await control({ action: 'advance', ms, id });
      return answer.body.code !== 'advance_unfinished';
    });
    expect([answer?.status, answer?.body.shown], 'all that was due is done').to.deep.equal([200, true]);
    return answer?.body.time;
  };
  /** The same call until it is answered that it is done, whatever else advances the clock meanwhile. */
  const untilDone = async (ms: number, id: string, baseUrl = stack.baseUrl): Promise<{ time: number; shown: boolean }> => {
    let answer: Answer | undefined;
    await until(async () => {
      answer = await control({ action: 'advance', ms, id }, baseUrl).catch(() => undefined);
      return answer?.status === 200;
    });
    return answer?.body;
  };
  const timeNow = async (): Promise<number> => (await stack.ask(owner.apiKey, { type: 'exchangeStatus' })).time;
  const setPrice = async (coin: string, price: number): Promise<void> => {
    await done({ action: 'setPrice', coin, px: String(price) });
    await done({
      ...{ action: 'setBook', coin },
      bids: [{ px: String(price - 1), sz: '100' }],
      asks: [{ px: String(price + 1), sz: '100' }],
    });
  };
  const buy = async ({ apiKey }: TestAccount, sz: string, px = '70000'): Promise<void> => {
    const { body } = await stack.act(apiKey, orderAction(BTC.asset, { px, sz, tif: 'Ioc' }));
    expect(body.response.data.statuses[0], JSON.stringify(body)).to.have.property('filled');
  };
  const paidSince = async (account: TestAccount, startTime: number, endTime: number): Promise<Settlement[]> => {
    const rows = await stack.ask(account.apiKey, { type: 'userFunding', user: account.address, startTime, endTime });
    // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
    return rows.map(({ time, delta }: any) => ({ time, usdc: delta.usdc, hours: delta.nSamples }));
  };
  /**
   * The payments of a position of 1 BTC at 00, 08 and 16 between its opening and a later time. @param paidAt by the end of an hour,
   * USD
   */
  const toPay = (fromMs: number, toMs: number, paidAt: (hourMs: number) => number): Settlement[] => {
    const settlements: Settlement[] = [];
    const everyMs = 8 * HOUR_MS;
    for (let time = (Math.floor(fromMs / everyMs) + 1) * everyMs; time <= toMs; time += everyMs) {
      const hours = (time - Math.max(hourOf(fromMs), time - everyMs)) / HOUR_MS;
      const paid = Array.from({ length: hours }, (_, ago) => paidAt(time - ago * HOUR_MS)).reduce((sum, usd) => sum + usd, 0);
      settlements.push({ time, usdc: (-paid).toFixed(1), hours });
    }
    return settlements;
  };
  const requirePaid = async (
    account: TestAccount,
    fromMs: number,
    toMs: number,
    paidAt: (hourMs: number) => number = () => PAID_AN_HOUR,
  ): Promise<void> => {
    const wanted = toPay(fromMs, toMs, paidAt);
    expect(wanted).to.not.be.empty;
    await until(async () => (await paidSince(account, fromMs, toMs)).length >= wanted.length);
    expect(await paidSince(account, fromMs, toMs)).to.deep.equal(wanted);
  };
  /** When the account was filled last. */
  const filledMs = async ({ apiKey, address }: TestAccount): Promise<number> =>
    (await stack.ask(apiKey, { type: 'userFills', user: address }))[0].time;

  it('pays each hour of funding once, at its rate and the oracle price of then, and prices are fresh afterwards', async () => {
    await setPrice(BTC.coin, Number(ORACLE));
    await done({ action: 'setFunding', coin: BTC.coin, rate: RATE });
    const account = await stack.register();
    await buy(account, '1', '60001');
    const openedMs = await filledMs(account);
    await advance(2 * HOUR_MS);
    const { time: latestMs } = await done({ action: 'setFunding', coin: BTC.coin, rate: LATER_RATE });
    const afterMs = await advance(15 * HOUR_MS);
    expect(afterMs - openedMs).to.be.within(17 * HOUR_MS, 17 * HOUR_MS + 60 * MINUTE_MS);
    // The hours before the change have their own rate, also hours that nobody had asked the venue for until then.
    await requirePaid(account, openedMs, afterMs, (hourMs) => (hourMs > latestMs ? PAID_AN_HOUR_LATER : PAID_AN_HOUR));
    const history: { time: number; fundingRate: string }[] = await stack.ask(account.apiKey, {
      ...{ type: 'fundingHistory', coin: BTC.coin, startTime: openedMs },
    });
    expect(new Set(history.map(({ time, fundingRate }) => `${time > latestMs} ${fundingRate}`))).to.deep.equal(
      new Set([`false ${RATE}`, `true ${LATER_RATE}`]),
    );
    // An order that is sent at once meets a market of now.
    await buy(account, '0.001', '60001');
    const [{ time }] = await stack.ask(account.apiKey, { type: 'userFills', user: account.address });
    expect(time).to.be.at.least(afterMs);
  });

  it('sends every slice of a TWAP, and ends it', async () => {
    const account = await stack.register();
    const twap = { a: BTC.asset, b: true, s: '0.6', r: false, m: 30, t: false };
    const { body } = await stack.act(account.apiKey, { type: 'twapOrder', twap });
    expect(body.response.data.status, JSON.stringify(body)).to.have.property('running');
    await advance(31 * MINUTE_MS);
    const history = await stack.ask(account.apiKey, { type: 'twapHistory', user: account.address });
    expect(history[0].status.status).to.equal('finished');
    const state = await stack.ask(account.apiKey, { type: 'clearinghouseState', user: account.address });
    expect(state.assetPositions[0].position.szi).to.equal('0.6');
    const slices = await stack.ask(account.apiKey, { type: 'userTwapSliceFills', user: account.address });
    const times = slices.map(({ fill }: { fill: { time: number } }) => fill.time).sort((a: number, b: number) => a - b);
    expect(times).to.have.length(61);
    const gaps = times.slice(1).map((time: number, i: number) => time - times[i]);
    expect(Math.min(...gaps)).to.be.at.least(28_000);
    expect(Math.max(...gaps)).to.be.at.most(32_000);
  });

  it('fires the dead man’s switch at its time, and not before', async () => {
    const account = await stack.register();
    const { body } = await stack.act(account.apiKey, orderAction(BTC.asset, { px: '50000', sz: '0.01', tif: 'Gtc' }));
    expect(body.response.data.statuses[0]).to.have.property('resting');
    const time = (await timeNow()) + 2 * HOUR_MS;
    expect((await stack.act(account.apiKey, { type: 'scheduleCancel', time })).body.status).to.equal('ok');
    await advance(HOUR_MS);
    expect(await stack.ask(account.apiKey, { type: 'openOrders', user: account.address })).to.have.length(1);
    await advance(HOUR_MS + MINUTE_MS);
    expect(await stack.ask(account.apiKey, { type: 'openOrders', user: account.address })).to.have.length(0);
    const [{ statusTimestamp }] = await stack.ask(account.apiKey, { type: 'historicalOrders', user: account.address });
    expect(statusTimestamp).to.be.within(time, time + 5000);
  });

  it('ends keys and trials at their time', async () => {
    const account = await stack.register();
    const expires_at = new Date((await timeNow()) + HOUR_MS).toISOString();
    const body = { name: 'short', expires_at };
    const { body: key } = await stack.call('POST', '/v1/auth/api-keys', { token: account.token, body });
    expect((await stack.info(key.api_key, { type: 'openOrders' })).status).to.equal(200);
    await advance(HOUR_MS + 1000);
    expect((await stack.info(key.api_key, { type: 'openOrders' })).status).to.equal(401);
    const order = orderAction(BTC.asset, { px: '50000', sz: '0.01', tif: 'Gtc' });
    expect((await stack.act(account.apiKey, order)).status).to.equal(200);
    await advance(DAY_MS);
    const { status, body: refused } = await stack.exchange(account.apiKey, order);
    expect([status, refused.code]).to.deep.equal([403, 'trial_expired']);
    const user = await stack.mongo.db.collection<{ _id: string; expiredAt?: Date }>('users').findOne({ _id: account.userId });
    expect(user?.expiredAt, 'the job has noted it').to.be.instanceOf(Date);
  });

  it('lets a paused coin grow old, and says so', async () => {
    const account = await newOwner();
    await setPrice(ETH.coin, 3000);
    await setPrice(BTC.coin, Number(ORACLE));
    await done({ action: 'pause', coin: ETH.coin });
    await done({ action: 'advance', ms: MINUTE_MS });
    const { body } = await stack.act(account.apiKey, orderAction(ETH.asset, { px: '3100', sz: '1', tif: 'Ioc' }));
    expect(body.response.data.statuses[0].error).to.match(/stale|old/i);
    await buy(account, '0.001', '60001');
    await done({ action: 'resume', coin: ETH.coin });
  });

  it('a paused coin is paid at the price that was set last, and each call says that its data have not come', async () => {
    await newOwner();
    await setPrice(ETH.coin, 2500);
    await done({ action: 'setPrice', coin: ETH.coin, px: '3000' });
    await done({ action: 'setFunding', coin: ETH.coin, rate: RATE });
    const account = await newOwner();
    const { body } = await stack.act(account.apiKey, orderAction(ETH.asset, { px: '2600', sz: '10', tif: 'Ioc' }));
    expect(body.response.data.statuses[0], JSON.stringify(body)).to.have.property('filled');
    const openedMs = await filledMs(account);
    await done({ action: 'pause', coin: ETH.coin });
    for (const hours of [1, 1, 7]) expect((await untilDone(hours * HOUR_MS, crypto.randomUUID())).shown).to.equal(false);
    await done({ action: 'resume', coin: ETH.coin });
    const { time, shown } = await untilDone(MINUTE_MS, crypto.randomUUID());
    expect(shown).to.equal(true);
    await requirePaid(account, openedMs, time, () => 3);
  });

  it('a coin whose rate is missing is waited for, paid when it comes, and holds no other coin up', async () => {
    await newOwner();
    const [other, waiting] = [await newOwner(), await newOwner()];
    for (const coin of [BTC.coin, ETH.coin]) await done({ action: 'setFunding', coin, rate: RATE });
    await setPrice(BTC.coin, Number(ORACLE));
    await setPrice(ETH.coin, 3000);
    await buy(other, '1', '60001');
    const { body } = await stack.act(waiting.apiKey, orderAction(ETH.asset, { px: '3001', sz: '10', tif: 'Ioc' }));
    expect(body.response.data.statuses[0], JSON.stringify(body)).to.have.property('filled');
    const openedMs = await filledMs(waiting);
    const settlementMs = settlementAfter(openedMs, 8);
    await stack.market.control({ op: 'setHourlyRate', coin: ETH.coin, time: settlementMs, rate: null });
    const toTheSettlement = settlementMs + 10_000 - (await timeNow());
    const { shown, time } = await untilDone(toTheSettlement, crypto.randomUUID());
    expect(shown).to.equal(false);
    await requirePaid(other, openedMs, time);
    expect(await paidSince(waiting, openedMs, time)).to.deep.equal([]);
    await stack.market.control({ op: 'setHourlyRate', coin: ETH.coin, time: settlementMs, rate: RATE });
    await advance(MINUTE_MS);
    await requirePaid(waiting, openedMs, time, () => 3);
    expect(await paidSince(other, openedMs, time)).to.have.length(1);
  });

  it('is decided on the book that a control call has just set, by every pod', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => stack.register()));
    for (let round = 0; round < 10; round++) {
      const price = 50_000 + 100 * round;
      await done({
        ...{ action: 'setBook', coin: BTC.coin },
        ...{ bids: [{ px: String(price - 1), sz: '1' }], asks: [{ px: String(price), sz: '100' }] },
      });
      const fills = await Promise.all(
        accounts.map(({ apiKey }) => stack.act(apiKey, orderAction(BTC.asset, { px: '60000', sz: '0.001', tif: 'Ioc' }))),
      );
      for (const { body } of fills) expect(Number(body.response.data.statuses[0].filled.avgPx)).to.equal(price);
    }
  });

  /** An account that holds 1 BTC, and the beginning of its position. */
  const newHolder = async (): Promise<{ account: TestAccount; openedMs: number }> => {
    await setPrice(BTC.coin, Number(ORACLE));
    await done({ action: 'setFunding', coin: BTC.coin, rate: RATE });
    const account = await newOwner();
    await buy(account, '1', '60001');
    return { account, openedMs: await filledMs(account) };
  };

  for (const victim of ['api-0', 'actors-0', 'market-0', 'jobs-0']) {
    it(`kill -9 of ${victim} on the way: nothing is lost or doubled, and the call made again completes it`, async () => {
      const { account, openedMs } = await newHolder();
      const ms = 9 * HOUR_MS;
      const before = await readClock(stack.redis);
      const id = `kill-${victim}`;
      const calling = control({ action: 'advance', ms, id }).catch(() => undefined);
      await until(async () => (await readClock(stack.redis)).offsetMs >= before.offsetMs + 3 * HOUR_MS);
      await stack.kill(victim);
      // Nobody else leads the market: no hour may pass then, it would have no oracle price.
      if (victim === 'market-0') expect((await calling)?.body.code).to.equal('advance_unfinished');
      await stack.restart(victim);
      await calling;
      await stack.waitHealthy();
      const { time: afterMs } = await untilDone(ms, id);
      const offset = (await readClock(stack.redis)).offsetMs;
      expect(offset, 'once').to.equal(before.offsetMs + ms);
      await requirePaid(account, openedMs, afterMs);
    });
  }

  it('Redis dies on the way and comes back: nothing is lost or doubled, and the call made again completes it', async () => {
    const { account, openedMs } = await newHolder();
    const before = await readClock(stack.redis);
    const calling = control({ action: 'advance', ms: 9 * HOUR_MS, id: 'outage' }).catch(() => undefined);
    await until(async () => (await readClock(stack.redis)).offsetMs >= before.offsetMs + 3 * HOUR_MS);
    await stack.redisStore.kill();
    await stack.restartRedis();
    await calling;
    await stack.waitHealthy();
    const { time: afterMs } = await untilDone(9 * HOUR_MS, 'outage');
    expect((await readClock(stack.redis)).offsetMs, 'once').to.equal(before.offsetMs + 9 * HOUR_MS);
    await requirePaid(account, openedMs, afterMs);
  });

  it('two nodes advance at once: each call is done once, also when it is made again after the other', async () => {
    const { account, openedMs } = await newHolder();
    const before = await readClock(stack.redis);
    const [first, second] = stack.baseUrls;
    await Promise.all([untilDone(3 * HOUR_MS, 'node-a', first), untilDone(5 * HOUR_MS, 'node-b', second)]);
    await Promise.all([untilDone(HOUR_MS, 'both', first), untilDone(HOUR_MS, 'both', second)]);
    const { time: afterMs } = await untilDone(3 * HOUR_MS, 'node-a', second);
    expect((await readClock(stack.redis)).offsetMs - before.offsetMs).to.equal(9 * HOUR_MS);
    await requirePaid(account, openedMs, afterMs);
  });

  it('decides what waits for a latency of the failure lab at its time', async () => {
    await setPrice(BTC.coin, Number(ORACLE));
    const { token, apiKey, address } = await stack.register();
    const [{ id }] = (await stack.call('GET', '/v1/auth/api-keys', { token })).body.api_keys;
    const latency = { submit: 9000 };
    expect((await stack.call('PUT', `/v1/auth/api-keys/${id}/lab`, { token, body: { latency } })).status).to.equal(200);
    const sentMs = await timeNow();
    const order = orderAction(BTC.asset, { px: '60001', sz: '0.01', tif: 'Ioc' });
    // Asked again under its Idempotency-Key where a node has given up: an advance takes longer on a busy machine.
    const answer = stack.act(apiKey, order);
    await until(async () => {
      const commits = await stack.redis.xrange(shardKeys.journal(shardOf(address, SHARDS)), '-', '+');
      const texts = commits.flatMap(([, fields]) => fields[fields.indexOf('e') + 1] || []);
      const entries = texts.flatMap((text) => readEntries(text)).filter(({ accountId }) => accountId === address);
      return entries.some(({ events }) => events.some(({ type }) => type === 'actionDelayed'));
    });
    const startMs = performance.now();
    await advance(MINUTE_MS);
    const { body } = await answer;
    expect(body.response.data.statuses[0]).to.have.property('filled');
    const [{ time }] = await stack.ask(apiKey, { type: 'userFills', user: address });
    const [dueMs, waitedMs] = [sentMs + latency.submit, performance.now() - startMs];
    expect(time).to.be.within(dueMs, dueMs + 2000 + Math.ceil(waitedMs));
  });

  it('a scenario on its way lets other control calls of its node have their turn', async () => {
    await newOwner();
    let isOver = false;
    const file = 'name: long\nsteps: [{ at: 4h, action: wait }]\n';
    const running = done({ action: 'scenario', file }).finally(() => (isOver = true));
    let moves = 0;
    while (!isOver) {
      await setPrice(ETH.coin, 3000 + moves);
      if (!isOver) moves++;
    }
    await running;
    expect(moves, 'moves while it went on').to.be.above(0);
  });

  it('never goes back: after a restart of all, and when Redis has lost it', async () => {
    await newOwner();
    const before = await timeNow();
    const { offsetMs } = await readClock(stack.redis);
    for (const name of [...stack.processes.keys()]) await stack.restart(name);
    await stack.waitHealthy();
    expect(await timeNow()).to.be.at.least(before);
    await stack.redis.del(deploymentKeys.clock);
    await until(async () => (await readClock(stack.redis)).offsetMs === offsetMs);
    expect(await timeNow()).to.be.at.least(before);
    // Nor when no process lives that knows it.
    const names = [...stack.processes.keys()];
    await Promise.all(names.map((name) => stack.kill(name)));
    await stack.redis.del(deploymentKeys.clock, deploymentKeys.record);
    for (const name of names) await stack.restart(name);
    await stack.waitHealthy();
    expect((await readClock(stack.redis)).offsetMs).to.equal(offsetMs);
    expect(await timeNow()).to.be.at.least(before);
  });

  it('refuses what is no time, and changes nothing', async () => {
    const { offsetMs } = await readClock(stack.redis);
    const wrong: readonly unknown[] = [
      ...[0, -1, 1.5, 1e300, DAY_MS + 1, '60000', null, [60_000], {}, true, undefined].map((ms) => ({ action: 'advance', ms })),
      { action: 'advance', ms: 1, id: '' },
      { action: 'advance', ms: 1, id: 'x'.repeat(65) },
      { action: 'advance', ms: 1, id: 'a b' },
      { action: 'advance', ms: 1, id: '\u{1f570}' },
      { action: 'advance', ms: 1, to: 5 },
      { action: 'Advance', ms: 1 },
    ];
    for (const body of wrong) expect((await control(body as object)).status, JSON.stringify(body)).to.equal(400);
    const { status } = await stack.call('POST', '/control', { body: { action: 'advance', ms: 1 } });
    expect(status).to.equal(401);
    expect((await readClock(stack.redis)).offsetMs).to.equal(offsetMs);
  });
});
