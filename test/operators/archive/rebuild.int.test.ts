// `account rebuild` as of every kind of entry, under load, and when the owner dies between its two writes.
import { expect } from 'chai';
import type { Document } from 'mongodb';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { createBilling } from '../../../src/shared/billing/billing.ts';
import type { RequestError } from '../../../src/shared/errors.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../../support/actorBench.ts';
import { newestFormats } from '../../support/formats.ts';
import { until } from '../../support/until.ts';

const ask = { requestId: 'r' };

describe('admin: an account rebuilt', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let parts: OperatorParts;
  let accounts = 0;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400' });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    const { config, log, redis, mongo } = bench;
    parts = { billing: createBilling({ config, log, now: Date.now, redis, mongo, formats: newestFormats }), redis, mongo };
  });
  after(() => bench.stop());

  // biome-ignore lint/suspicious/noExplicitAny: the data of a command is whatever it shows
  const dataOf = async (...words: string[]): Promise<any> => (await runCommand(words, parts)).data;
  const refusal = (...words: string[]): Promise<string> =>
    runCommand(words, parts).then(
      () => expect.fail(`${words.join(' ')} should have failed`),
      (error: Error) => {
        expect(error).to.have.property('name', 'Refused');
        return error.message;
      },
    );
  const documents = (name: string) => bench.mongo.db.collection<Document & { _id: string }>(name);
  const fills = async (account: string): Promise<number> => {
    const answer = answerOf(await gateway.send(account, commands.fills, ask));
    return answer.kind === 'history' ? answer.total : -1;
  };
  const position = async (account: string): Promise<string> => {
    const answer = answerOf(await gateway.send(account, commands.state, ask));
    return (answer.kind === 'accountState' && answer.state.positions[0]?.signedSize) || '0';
  };
  const archived = (): Promise<void> => until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0);

  /** An account with an entry for its opening and one for each order, all of them in the archive. */
  async function traded(orders: number): Promise<string> {
    accounts += 1;
    const account = accountName(accounts);
    await gateway.send(account, commands.open, ask);
    await Promise.all(Array.from({ length: orders }, () => gateway.send(account, commands.place(), ask)));
    await archived();
    await until(async () => (await documents(collections.accounts).findOne({ _id: account }))?.['seq'] === orders + 1);
    return account;
  }

  async function expectWhole(account: string): Promise<void> {
    const outcome = await dataOf('account', 'verify', account);
    expect(outcome.difference, JSON.stringify(outcome.difference)).to.equal(undefined);
  }

  it('as of the first, one within a chunk, the last of a chunk, the last of all; beyond that, and before any, it says no', async () => {
    const account = await traded(139);
    for (const seq of [1, 64, 127, 128, 140]) {
      const rebuilt = await dataOf('account', 'rebuild', account, '--seq', String(seq));
      expect(rebuilt).to.include({ seq, positions: seq > 1 ? 1 : 0, replaced: false });
    }
    expect(await refusal('account', 'rebuild', account, '--seq', '141')).to.match(/^Entry 141 is not there\.$/);
    expect(await refusal('account', 'rebuild', account, '--seq', '900')).to.match(/^Entries 141 to 900 are not there\.$/);
    expect(await refusal('account', 'rebuild', account, '--seq', '0')).to.match(/first entry of an account is 1/);
    // Retention has removed what is too old.
    await documents(collections.archiveStates).deleteMany({ account });
    await documents(collections.archive).deleteOne({ _id: `${account}:000000000000000` });
    expect(await refusal('account', 'rebuild', account, '--seq', '64', '--replace', '--yes')).to.equal(
      'Entries 1 to 64 are not there.',
    );
    expect(await position(account), 'it was never halted').to.equal('0.139');
  });

  it('under load, as of its newest entry: nothing that was acknowledged before it was halted, or after, is given up', async () => {
    const account = await traded(20);
    let acknowledged = 20;
    let isOver = false;
    const trade = async (): Promise<void> => {
      while (!isOver) {
        // Small enough that the balance lasts however slow the rebuild is.
        const buy = commands.place({ size: '0.0002' });
        const answer = await gateway.send(account, buy, ask).catch((error: RequestError) => error.code);
        if (answer === 'account_quarantined') continue;
        if (typeof answer === 'string') expect.fail(answer);
        acknowledged += 1;
      }
    };
    const trading = [trade(), trade(), trade()];
    await until(() => acknowledged > 40);
    const { seq, replaced } = await dataOf('account', 'rebuild', account, '--replace', '--yes');
    expect(replaced).to.equal(true);
    expect(seq).to.be.above(40);
    const then = acknowledged;
    await until(() => acknowledged > then + 10);
    isOver = true;
    await Promise.all(trading);
    expect(await fills(account)).to.equal(acknowledged);
    expect(await position(account)).to.equal(String((100 + acknowledged - 20) / 5000));
    await archived();
    await expectWhole(account);
  });

  it('an owner that dies after the first of its two writes: the next one does the second before anything else', async () => {
    const account = await traded(10);
    await dataOf('account', 'rebuild', account, '--seq', '5', '--replace', '--yes');
    for (const pod of bench.pods) await bench.stopPod(pod);
    const states = documents(collections.archiveStates);
    expect((await states.deleteMany({ account, reason: 'rebuilt' })).deletedCount).to.equal(1);
    await bench.redis.del(shardKeys.kept(0));
    await bench.startOnlyPod();
    await gateway.send(account, commands.place(), ask);
    expect(await position(account)).to.equal('0.005');
    expect(await states.findOne({ account, reason: 'rebuilt' })).to.include({ seq: 12, after: 5 });
    await archived();
    await expectWhole(account);
    expect(await refusal('account', 'rebuild', account, '--seq', '8')).to.match(/Entry 8 does not count/);
  });

  it('as of before a reset: what the reset has dropped stays dropped, and no number comes twice', async () => {
    const account = await traded(10);
    await gateway.send(account, { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' }, ask);
    await archived();
    await until(async () => (await documents(collections.history).findOne({ _id: `${account}:fills:00000000` })) === null);
    await dataOf('account', 'rebuild', account, '--seq', '6', '--replace', '--yes');
    expect(await position(account)).to.equal('0.005');
    // A reset goes on at the next document.
    expect(await fills(account)).to.equal(256);
    await gateway.send(account, commands.place(), ask);
    await archived();
    expect(await fills(account)).to.equal(257);
    await expectWhole(account);
  });

  it('with a later chunk that cannot be read: its entries are given up, and their numbers are known from the snapshot', async () => {
    const account = await traded(139);
    const _id = `${account}:000000000000128`;
    await documents(collections.archive).updateOne({ _id }, { $set: { 'parts.0.sha256': 'none' } });
    await dataOf('account', 'rebuild', account, '--seq', '100', '--replace', '--yes');
    expect(await position(account)).to.equal('0.099');
    await gateway.send(account, commands.place(), ask);
    expect(await fills(account)).to.equal(140);
  });
});
