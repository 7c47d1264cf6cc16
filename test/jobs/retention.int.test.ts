import { expect } from 'chai';
import type { AccountCommand } from '../../src/actors/domain/command.ts';
import type { CommandGateway } from '../../src/api/commandGateway.ts';
import { HistoryReader } from '../../src/api/historyReader.ts';
import { retention } from '../../src/jobs/retention.ts';
import { collections } from '../../src/shared/mongo.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const ROWS = 600;
const ask = { requestId: 'r' };

describe('retention: history older than the plan’s days goes in whole buckets', function () {
  this.timeout(60_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let reader: HistoryReader;
  const [basic, pro, holder] = [accountName(1), accountName(2), accountName(3)];

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '500' });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    reader = new HistoryReader({ gateway, mongo: bench.mongo });
    const users = bench.mongo.db.collection<{ _id: string; address: string; plan: string }>(collections.users);
    await users.insertMany([
      { _id: 'user_a', address: basic, plan: 'basic' },
      { _id: 'user_b', address: pro, plan: 'pro' },
      { _id: 'user_c', address: holder, plan: 'basic' },
      { _id: 'user_d', address: accountName(4), plan: 'basic' },
    ]);
    for (const accountId of [basic, pro, holder]) {
      await gateway.send(accountId, commands.open, ask);
      const sent: AccountCommand[] = Array.from({ length: ROWS - 1 }, (_, i) => ({
        type: 'setBalance',
        balanceUsd: String(5000 + i),
      }));
      for (let i = 0; i < sent.length; i += 50) {
        await Promise.all(sent.slice(i, i + 50).map((command) => gateway.send(accountId, command, ask)));
      }
    }
    await gateway.send(holder, commands.place(), ask);
    for (const accountId of [basic, pro, holder]) await until(async () => (await rowsInSnapshot(accountId)) === ROWS, 20_000);
  });
  after(() => bench.stop());

  const rowsInSnapshot = async (accountId: string): Promise<number> => {
    const found = await bench.mongo.db
      .collection<{ _id: string; text: string }>(collections.accounts)
      .findOne({ _id: accountId });
    const { rowCounts, positions }: { rowCounts: number[]; positions: unknown[] } = JSON.parse(
      found?.text ?? '{"rowCounts":[],"positions":[]}',
    );
    return accountId === holder && positions.length === 0 ? 0 : (rowCounts[2] ?? 0);
  };
  const kept = async (accountId: string): Promise<number> => (await reader.latest(accountId, 'ledger', 10_000)).length;
  const stored = (accountId: string): Promise<number> =>
    bench.mongo.db.collection(collections.history).countDocuments({ _id: { $regex: `^${accountId}:ledger:` } } as object);
  const run = (daysFromNow: number) => {
    const { config, log, redis, mongo } = bench;
    return retention.run({ config, log, redis, mongo, now: Date.now }, Date.now() + daysFromNow * DAY_MS);
  };

  it('nothing goes before its time', async () => {
    await run(29);
    expect(await bench.redis.scard('{s00}:pending')).to.equal(0);
    for (const accountId of [basic, pro, holder]) expect(await kept(accountId)).to.equal(ROWS);
  });

  it('after 30 days full buckets of basic go, from sight and from MongoDB; pro, and what explains an open position, stay', async () => {
    await run(31);
    await until(async () => (await kept(basic)) === ROWS - 512);
    await until(async () => (await stored(basic)) === 1, 20_000);
    expect(await kept(pro)).to.equal(ROWS);
    expect((await reader.latest(holder, 'fills', 10)).length).to.equal(1);
    await run(31);
    await run(31);
    expect(await kept(basic)).to.equal(ROWS - 512);
    expect((await reader.latest(basic, 'ledger', 1))[0]?.number).to.equal(ROWS - 1);
  });

  it('after 90 days those of pro go too', async () => {
    await run(91);
    await until(async () => (await kept(pro)) === ROWS - 512);
    expect((await reader.latest(holder, 'fills', 10)).length).to.equal(1);
  });
});
