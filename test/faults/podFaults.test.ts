import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { AdminParts } from '../../src/admin/adminCommand.ts';
import { runCommand } from '../../src/admin/commands.ts';
import { createBilling } from '../../src/shared/billing/createBilling.ts';
import { readConfig } from '../../src/shared/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC } from '../support/faults/coins.ts';
import { FaultStack, SHARDS } from '../support/faults/faultStack.ts';
import { type Mark, markedCloid } from '../support/faults/markedOrder.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { newestFormats } from '../support/formats.ts';
import { orderAction } from '../support/orderWire.ts';
import type { Answer, TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const ACTORS = fileURLToPath(new URL('../support/faults/throwingActors.ts', import.meta.url));

describe('pods: what fails stays small, and ends by itself or by an operator', function () {
  this.timeout(600_000);
  let faults: FaultStack;

  before(async () => {
    faults = await FaultStack.start({ entries: { actors: ['--import', 'tsx', ACTORS] } });
  });
  after(() => faults.stop());

  const place = (account: TestAccount, mark?: Mark): Promise<Answer> => {
    const order = { px: '66000', sz: '0.001', tif: 'Ioc' } as const;
    const cloid = mark === undefined ? {} : { cloid: markedCloid(mark) };
    return faults.stack.exchange(account.apiKey, orderAction(BTC.asset, { ...order, ...cloid }));
  };
  const killAndRestart = async (): Promise<void> => {
    await faults.stack.kill('actors-0');
    await faults.stack.restart('actors-0');
  };
  const admin = (...words: string[]) => {
    const { redis, mongo } = faults.stack;
    const log = createLogger({ level: 'silent', role: 'test' });
    const config = readConfig({ SHARDS: String(SHARDS) });
    const billing = createBilling({ config, log, now: Date.now, redis, mongo, formats: newestFormats });
    return runCommand(words, { billing, redis, mongo } satisfies AdminParts);
  };
  const fills = async (account: TestAccount): Promise<unknown[]> =>
    (await faults.stack.info(account.apiKey, { type: 'userFills', user: account.address })).body;
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const deadLetters = async (): Promise<number> => {
    const lengths = await Promise.all(shards.map((shard) => faults.stack.redis.xlen(shardKeys.dead(shard))));
    return lengths.reduce((sum, length) => sum + length, 0);
  };

  scenario('a halted account is lifted with all it had, also after kill -9 at any moment', async (seed) => {
    const { stack } = faults;
    const random = new Random(seed);
    const load = await faults.load(seed);
    const account = await stack.register();
    for (let i = 0; i < 3; i++) expect((await place(account)).body).to.have.nested.property('response.data.statuses[0].filled');
    expect((await place(account, 'foldThrows')).body.code).to.equal('account_quarantined');
    for (let i = 0; i < 2; i++) {
      const untilMs = Date.now() + random.whole(0, 3000);
      await until(() => Date.now() >= untilMs);
      await killAndRestart();
      await load.progress(2);
    }
    expect((await place(account)).body.code).to.equal('account_quarantined');
    expect((await admin('quarantine', 'lift', account.address, '--yes')).data).to.include({ lifted: true });
    await place(account);
    expect(await fills(account)).to.have.length(4);
    await load.verdict();
  });

  scenario('owners killed while they load: nothing is parked', async (seed) => {
    const random = new Random(seed);
    const load = await faults.load(seed);
    const before = await deadLetters();
    for (let i = 0; i < 4; i++) {
      await killAndRestart();
      const untilMs = Date.now() + random.whole(300, 2500);
      await until(() => Date.now() >= untilMs);
    }
    await load.verdict();
    expect(await deadLetters()).to.equal(before);
  });
});
