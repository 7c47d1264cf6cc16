import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parsePodStatus } from '../../../src/actors/core/messages/podStatus.ts';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { createBilling } from '../../../src/shared/billing/billing.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { podKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { queueCommands } from '../../../src/shared/redis/submitScript.ts';
import { BTC } from '../../support/faults/coins.ts';
import { type FaultStack, QUIET_BREATHS_MS, SHARDS } from '../../support/faults/faultStack.ts';
import { type Mark, markedCloid } from '../../support/faults/markedOrder.ts';
import { Random, scenario } from '../../support/faults/seeds.ts';
import { type RemoteFaults, remoteFaults } from '../../support/faults/sharedFaults.ts';
import { newestFormats } from '../../support/formats.ts';
import { orderAction } from '../../support/orderWire.ts';
import { WITH_SETTABLE_CLOCK } from '../../support/roleProcess.ts';
import type { Answer, TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const ACTORS = fileURLToPath(new URL('../../support/faults/throwingActors.ts', import.meta.url));
/** A way to MongoDB, ms. */
const LOADING_MS = 300;
/** More than a command may have died of. */
const OWNERS_KILLED = 3;

describe('rules that fail: it stays small, and ends by itself or by an operator', function () {
  this.timeout(600_000);
  let faults: FaultStack;
  let remote: RemoteFaults;

  const runActors = async (entry: readonly string[]): Promise<void> => {
    faults.stack.process('actors-0').entry = entry;
    await faults.stack.restart('actors-0');
  };
  // Before the exchange ends with its last user.
  after(() => runActors(WITH_SETTABLE_CLOCK));
  remoteFaults.use((shared) => {
    remote = shared;
    faults = shared.faults;
  });
  before(() => runActors(['--import', 'tsx', ACTORS]));

  const place = (account: TestAccount, mark?: Mark): Promise<Answer> => {
    const order = { px: '66000', sz: '0.001', tif: 'Ioc' } as const;
    const cloid = mark === undefined ? {} : { cloid: markedCloid(mark) };
    return faults.stack.exchange(account.apiKey, orderAction(BTC.asset, { ...order, ...cloid }));
  };
  const expectFilled = async (account: TestAccount): Promise<void> => {
    expect((await place(account)).body).to.have.nested.property('response.data.statuses[0].filled');
  };
  const told = async (account: TestAccount, mark?: Mark) => {
    const { status, body } = await place(account, mark);
    return { status, code: body.code };
  };
  const fills = (account: TestAccount): Promise<unknown[]> =>
    faults.stack.ask(account.apiKey, { type: 'userFills', user: account.address });
  const killAndRestart = async (): Promise<void> => {
    await faults.stack.kill('actors-0');
    await faults.stack.restart('actors-0');
  };
  const passed = (ms: number): Promise<void> => {
    const untilMs = Date.now() + ms;
    return until(() => Date.now() >= untilMs);
  };
  const admin = (...words: string[]) => {
    const { redis, mongo } = faults.stack;
    const log = createLogger({ level: 'silent', role: 'test' });
    const config = readConfig({ SHARDS: String(SHARDS) });
    const billing = createBilling({ config, log, now: Date.now, redis, mongo, formats: newestFormats });
    return runCommand(words, { billing, redis, mongo } satisfies OperatorParts);
  };
  const deadLetters = async (): Promise<number> => {
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
    const lengths = await Promise.all(shards.map((shard) => faults.stack.redis.xlen(shardKeys.dead(shard))));
    return lengths.reduce((sum, length) => sum + length, 0);
  };

  scenario('a decision that throws: its command is parked, its account and its shard live', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const account = await stack.register();
    await expectFilled(account);
    const { status, body } = await place(account, 'decideThrows');
    expect({ status, code: body.code }).to.deep.equal({ status: 500, code: 'internal_error' });
    expect(JSON.stringify(body)).not.to.include('the rule fails');
    await expectFilled(account);
    const dead = await stack.redis.xrange(shardKeys.dead(shardOf(account.address, SHARDS)), '-', '+');
    const letters = dead.filter(([, fields]) => fields.includes(account.address));
    expect(letters).to.have.length(1);
    expect(letters[0]?.[1]).to.include('Error: the rule fails');
    expect(await fills(account)).to.have.length(2);
    await load.verdict();
    expect(load.refusals()).to.deep.equal({});
  });

  scenario(
    'a fold that throws: its account alone is halted, its shard’s journal is cut, and a lift brings all back',
    async (seed) => {
      const { stack } = faults;
      const random = new Random(seed);
      const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
      const account = await stack.register();
      const halted = { status: 503, code: 'account_quarantined' };
      await expectFilled(account);
      // Of what comes next MongoDB has no snapshot when the account is halted.
      remote.mongoWay.stall();
      try {
        for (let i = 0; i < 2; i++) await expectFilled(account);
        expect(await told(account, 'foldThrows')).to.deep.equal(halted);
      } finally {
        remote.mongoWay.resume();
      }
      expect(await told(account)).to.deep.equal(halted);
      await load.progress(5);
      expect(load.refusals()).to.deep.equal({});

      const shard = shardOf(account.address, SHARDS);
      const reached = Number(await stack.redis.hget(shardKeys.head(shard), 'n'));
      for (let i = 0; i < 2; i++) {
        await passed(random.whole(0, 3000));
        await killAndRestart();
        await load.progress(2);
      }
      expect(await told(account), 'by the next owner').to.deep.equal(halted);
      await until(async () => {
        const [[first] = []] = await stack.redis.xrange(shardKeys.journal(shard), '-', '+', 'COUNT', 1);
        return first === undefined || Number.parseInt(first, 10) > reached;
      });
      await killAndRestart();
      await load.progress(2);

      expect((await admin('quarantine', 'lift', account.address, '--yes')).data).to.include({ lifted: true });
      await expectFilled(account);
      expect(await fills(account)).to.have.length(4);
      await load.verdict();
    },
  );

  scenario('owners killed while they load: a command that waits for them is not parked, and is done once', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const account = await stack.register();
    const before = await deadLetters();
    const shard = shardOf(account.address, SHARDS);
    /** An owner of it has begun to load accounts since. */
    const isLoadedBy = async (former: number): Promise<boolean> => {
      const pods = Object.entries(await stack.redis.hgetall(podKeys.pods)).map(([id, value]) => parsePodStatus(id, value));
      const own = pods.flatMap(({ shards }) => shards).filter((status) => status.shard === shard && status.recovered);
      return own.some(({ token }) => Number.parseInt(token, 10) > former);
    };
    await stack.kill('actors-0');
    // One without a deadline, so that it waits however long a busy machine takes.
    await queueCommands(stack.redis, {
      ...{ config: readConfig({ SHARDS: String(SHARDS) }), accountId: account.address, requestId: 'job:test' },
      ...{ commands: [{ type: 'creditPlan', usd: '90000' }], format: NEWEST_FORMAT },
    });
    // Long enough for a kill before the first account is there.
    remote.mongoWay.delay(LOADING_MS);
    try {
      for (let i = 0; i < OWNERS_KILLED; i++) {
        const former = Number(await stack.redis.hget(shardKeys.head(shard), 'epoch'));
        await stack.restart('actors-0');
        await until(() => isLoadedBy(former));
      }
    } finally {
      remote.mongoWay.delay(0);
    }
    await stack.restart('actors-0');
    await load.verdict();
    expect(await deadLetters()).to.equal(before);
    const { withdrawable } = await stack.ask(account.apiKey, { type: 'clearinghouseState', user: account.address });
    expect(withdrawable).to.equal('100000.0');
  });
});
