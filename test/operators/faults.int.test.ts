// Acts of operators on halted accounts and parked commands, against a running pod.
import { expect } from 'chai';
import { CommitDraft } from '../../src/actors/engine/commit/commitDraft.ts';
import { commitCall, commitScript } from '../../src/actors/engine/commit/commitScript.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { type OperatorParts, Refused, UsageError } from '../../src/operators/acts/operatorParts.ts';
import { sendScript } from '../../src/operators/acts/sendToAccount.ts';
import { runCommand } from '../../src/operators/commands.ts';
import { createBilling } from '../../src/shared/billing/billing.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import type { RequestError } from '../../src/shared/errors.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { newestFormats } from '../support/formats.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const SHARD = 0;
const [UNFOLDABLE, THROWS] = [17, 13];

describe('admin: halted accounts and parked commands', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let parts: OperatorParts;
  let isBroken = true;
  const account = accountName(1);

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '1000' });
    await startPod();
    gateway = await bench.startGateway();
    const { config, log, redis, mongo } = bench;
    const billing = createBilling({ config, log, now: Date.now, redis, mongo, formats: newestFormats });
    parts = { billing, redis, mongo };
    await billing.users.insert({
      ...{ _id: 'user_1', email: 'ada@example.com', passwordHash: '', plan: 'basic', address: account, schema: 1 },
      ...{ createdAt: new Date(), trialExpiresAt: new Date(), subscriptionExpiresAt: null },
    });
    await gateway.send(account, commands.open, ask);
  });
  after(() => bench.stop());

  const startPod = () =>
    bench.startOnlyPod({
      rules: {
        decide: (state, command, context) => {
          if (isBroken && command.type === 'updateLeverage' && command.leverage === THROWS) throw new Error('rule fails');
          const decision = tradingRules.decide(state, command, context);
          if (command.type !== 'updateLeverage' || command.leverage !== UNFOLDABLE) return decision;
          return { ...decision, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] };
        },
      },
    });

  const run = (...words: string[]) => runCommand(words, parts);
  // biome-ignore lint/suspicious/noExplicitAny: the data of a command is whatever it shows
  const dataOf = async (...words: string[]): Promise<any> => (await run(...words)).data;
  const textOf = async (...words: string[]): Promise<string> => (await run(...words)).lines.join('\n');
  const failure = (...words: string[]): Promise<Error> =>
    run(...words).then(
      () => expect.fail(`${words.join(' ')} should have failed`),
      (error: Error) => error,
    );
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: RequestError) => error.code,
    );
  const leverage = (value: number) => ({ type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: value }) as const;
  const acts = async (): Promise<string[]> => {
    const rows = await parts.billing.audit.page('user_1', { limit: 10 });
    return rows.map(({ action, actor, outcome }) => `${action} by ${actor}${outcome === 'ok' ? '' : ` ${outcome}`}`);
  };

  it('nothing is halted: the list says so, and other accounts are refused', async () => {
    expect(await textOf('quarantine', 'list')).to.equal('No account is halted.');
    expect(await failure('quarantine', 'lift', account)).to.be.instanceOf(Refused);
    expect(await failure('quarantine', 'show')).to.be.instanceOf(UsageError);
  });

  it('a halted account is shown with reason and time, and lifted when that is meant', async () => {
    await gateway.send(account, commands.place(), ask);
    const beforeMs = Date.now();
    expect(await codeOf(gateway.send(account, leverage(UNFOLDABLE), ask))).to.equal('account_quarantined');
    const [listed] = (await dataOf('quarantine', 'list')).accounts;
    expect(listed).to.include({ account, shard: SHARD, last_seq: 2 });
    expect(listed.reason).to.match(/^updateLeverage: /);
    expect(Date.parse(listed.since)).to.be.within(beforeMs, Date.now());
    expect(await dataOf('quarantine', 'show', account)).to.include({ last_good_seq: 2, cannot_be_folded: 0 });

    expect(await textOf('quarantine', 'lift', account)).to.match(/nothing of it is lost[\s\S]*Nothing was done/);
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    expect(await failure('quarantine', 'drop', account))
      .to.be.instanceOf(Refused)
      .and.match(/nothing has to be given up/);
    expect(await textOf('quarantine', 'lift', account, '--yes')).to.match(/the account answers[\s\S]*ada@example\.com/);
    expect(answerOf(await gateway.send(account, commands.fills, ask))).to.include({ total: 1 });
    expect(await textOf('quarantine', 'list')).to.equal('No account is halted.');
    expect((await acts())[0]).to.equal('account.lifted by operator');
  });

  it('entries that cannot be folded are named before they are dropped, and a lift refuses', async () => {
    await gateway.send(account, commands.place(), ask);
    const fill = gateway.send(account, commands.place(), ask);
    expect(await codeOf(gateway.send(account, leverage(UNFOLDABLE), ask))).to.equal('account_quarantined');
    await fill;
    await until(async () => (await bench.redis.exists(shardKeys.entriesSetAside(SHARD, account))) === 1);
    const list = shardKeys.entriesSetAside(SHARD, account);
    // Only what the journal has lost by now can be damaged for good.
    await until(async () => (await bench.redis.xlen(shardKeys.journal(SHARD))) === 0);
    const text = (await bench.redis.lindex(list, -1)) ?? '';
    await bench.redis.lset(list, -1, text.replace(/"price":"[^"]*"/, '"price":"none"'));
    expect(await failure('quarantine', 'lift', account)).to.match(/1 of its entries, from 4 on, cannot be folded/);
    expect(await textOf('quarantine', 'drop', account)).to.match(
      /goes on from entry 3[\s\S]*entry 4 of .*orderFilled[\s\S]*Nothing was/,
    );
    expect(await dataOf('quarantine', 'drop', account, '--yes')).to.deep.equal({ account, dropped: 1 });
    expect(await codeOf(gateway.send(account, commands.place(), ask))).to.equal('done');
    expect((await acts())[0]).to.equal('account.entries_dropped by operator');
  });

  it('a parked command is shown, and done once when that is meant; a repeated requeue finds nothing', async () => {
    expect(await codeOf(gateway.send(account, leverage(THROWS), ask))).to.equal('internal_error');
    const [letter] = (await dataOf('dead-letters', 'list')).dead_letters;
    expect(letter).to.include({ account, reason: 'Error: rule fails', command: 'updateLeverage' });
    expect(await dataOf('dead-letters', 'show', letter.id)).to.have.nested.property('command.command.leverage', THROWS);
    expect(await textOf('dead-letters', 'requeue', letter.id)).to.match(/no Idempotency-Key[\s\S]*Nothing was done/);
    isBroken = false;
    expect(await textOf('dead-letters', 'requeue', letter.id, '--yes')).to.match(/Its owner answered: /);
    expect(await failure('dead-letters', 'requeue', letter.id, '--yes')).to.match(/There is no dead letter/);
    expect((await dataOf('dead-letters', 'list')).dead_letters).to.deep.equal([]);
    expect((await acts())[0]).to.equal('command.requeued by operator');
    const state = answerOf(await gateway.send(account, { type: 'query', query: { kind: 'accountState' } }, ask));
    expect(state).to.have.nested.property('state.positions[0].leverage.value', THROWS);
  });

  it('a requeue whose call comes twice, for its connection broke, is done once and says so', async () => {
    const NOBODYS = 7;
    const letter = (await bench.redis.xadd(
      shardKeys.dead(NOBODYS),
      '*',
      'account',
      account,
      'command',
      '{}',
      'reason',
      'r',
      't',
      1,
    )) as string;
    const keys = [
      ...[
        shardKeys.pending(NOBODYS),
        shardKeys.sequence(NOBODYS),
        shardKeys.commands(NOBODYS, 'nobody'),
        shardKeys.dead(NOBODYS),
      ],
      ...[shardKeys.mailboxBytes(NOBODYS), shardKeys.requeued(NOBODYS, letter)],
    ];
    const send = (call: string) => sendScript.run(bench.redis, keys, ['nobody', '{}', letter, call]);
    const id = await send('one');
    expect(await send('one'))
      .to.equal(id)
      .and.not.equal(null);
    expect(await send('another'), 'a letter that is gone').to.equal(null);
    expect(await bench.redis.xlen(shardKeys.commands(NOBODYS, 'nobody'))).to.equal(1);
  });

  it('a requeued command that its owner does not do, or that no owner takes, is a dead letter again', async () => {
    isBroken = true;
    expect(await codeOf(gateway.send(account, leverage(THROWS), ask))).to.equal('internal_error');
    const [parked] = (await dataOf('dead-letters', 'list')).dead_letters;
    expect(await codeOf(gateway.send(account, leverage(UNFOLDABLE), ask))).to.equal('account_quarantined');
    expect(await textOf('dead-letters', 'requeue', parked.id, '--yes')).to.match(/Nothing was done. It is a dead letter again/);
    const [back, ...others] = (await dataOf('dead-letters', 'list')).dead_letters;
    expect(others).to.deep.equal([]);
    expect(back).to.include({ account, command: 'updateLeverage', reason: 'requeued, and not done: quarantined' });
    expect((await acts())[0]).to.equal('command.requeued by operator refused');
    await run('quarantine', 'lift', account, '--yes');
    await Promise.all(bench.pods.map((pod) => bench.stopPod(pod)));
    expect(await textOf('dead-letters', 'requeue', back.id, '--yes')).to.match(/No answer[\s\S]*It is a dead letter again/);
    expect(await bench.redis.xlen(shardKeys.commands(SHARD, account)), 'and it is there alone').to.equal(0);
    const [again] = (await dataOf('dead-letters', 'list')).dead_letters;
    expect({ ...again, id: back.id }).to.deep.equal(back);
    await startPod();
    isBroken = false;
    expect(await textOf('dead-letters', 'requeue', again.id, '--yes')).to.match(/Its owner answered: /);
    expect((await dataOf('dead-letters', 'list')).dead_letters).to.deep.equal([]);
  });

  it('a letter that is dropped is gone; words that name none are refused', async () => {
    isBroken = true;
    expect(await codeOf(gateway.send(account, leverage(THROWS), ask))).to.equal('internal_error');
    const [{ id }] = (await dataOf('dead-letters', 'list')).dead_letters;
    expect(await textOf('dead-letters', 'drop', id)).to.match(/Nothing was done/);
    expect(await dataOf('dead-letters', 'drop', id, '--yes')).to.deep.equal({ id, dropped: true });
    expect((await dataOf('dead-letters', 'list')).dead_letters).to.deep.equal([]);
    expect(await failure('dead-letters', 'show', 'nonsense')).to.be.instanceOf(UsageError);
    expect(await failure('dead-letters', 'show', id)).to.be.instanceOf(Refused);
  });

  it('dead letters are bounded in bytes: the oldest go', async () => {
    await Promise.all(bench.pods.map((pod) => bench.stopPod(pod)));
    const token = '9:test:0';
    await bench.redis.set(shardKeys.lease(SHARD), token);
    const first = Number(await bench.redis.hget(shardKeys.head(SHARD), 'n')) + 1;
    for (let i = 0; i < 8; i++) {
      const draft = new CommitDraft(first + i, NEWEST_FORMAT);
      draft.seldom.park(account, `${i}`.repeat(1_000_000), 'too large', Date.now());
      const part = draft.seal({ shard: SHARD, token, epoch: 9, idCounter: 0, tick: '0-0', timeMs: Date.now() });
      const { keys, args } = commitCall([part]);
      expect(await commitScript.run(bench.redis, keys, args)).to.deep.equal([['applied']]);
    }
    const left = await bench.redis.xrange(shardKeys.dead(SHARD), '-', '+');
    expect(left.map(([, fields]) => fields[3]?.charAt(0))).to.deep.equal(['4', '5', '6', '7']);
  });
});
