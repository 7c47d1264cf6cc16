import { expect } from 'chai';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { NEWEST_FORMAT, writeForm } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

/** Code of the error that the work ends with. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    return `no error but ${JSON.stringify(await work)}`;
  } catch (error) {
    if (error instanceof RequestError) return error.code;
    throw error;
  }
}

describe('actors: what fails, fails alone', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;

  before(async () => {
    bench = await ActorBench.start({ MAILBOX_MAX: '5' });
    await bench.startOnlyPod({
      rules: {
        decide: (account, command, context) => {
          if (command.type === 'updateLeverage' && command.leverage === 13) throw new Error('rule fails');
          const decision = tradingRules.decide(account, command, context);
          if (command.type !== 'updateLeverage' || command.leverage !== 17) return decision;
          return { ...decision, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] };
        },
        decideMarket: (account, change, context) => {
          if (change.type === 'trades' && change.trades[0]?.size === '0.666') throw new Error('tick fails');
          return tradingRules.decideMarket(account, change, context);
        },
      },
    });
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());

  const leverage = (value: number) => ({ type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: value }) as const;
  const shard = (accountId: string): number => shardOf(accountId, bench.config.SHARDS);

  it('a command whose rule throws is parked, and the account goes on', async () => {
    const account = accountName(1);
    await gateway.send(account, commands.open, ask);
    expect(await codeOf(gateway.send(account, leverage(13), ask))).to.equal('internal_error');
    const [[, fields] = ['', []]] = await bench.redis.xrange(shardKeys.dead(shard(account)), '-', '+');
    expect(fields).to.include('Error: rule fails').and.include(account);
    expect(await gateway.send(account, commands.place(), ask)).to.have.nested.property('orders[0].type', 'filled');
  });

  it('an account whose fold throws is quarantined, its entry is not journaled, others go on', async () => {
    const [sick, healthy] = [accountName(2), accountName(4)];
    expect(shard(sick)).to.equal(shard(healthy));
    await gateway.send(sick, commands.open, ask);
    await gateway.send(healthy, commands.open, ask);
    const before = await bench.redis.xlen(shardKeys.journal(shard(sick)));
    expect(await codeOf(gateway.send(sick, leverage(17), ask))).to.equal('account_quarantined');
    expect(await codeOf(gateway.send(sick, commands.state, ask))).to.equal('account_quarantined');
    expect(await bench.redis.xlen(shardKeys.journal(shard(sick)))).to.equal(before);
    expect(await bench.redis.hexists(shardKeys.quarantine(shard(sick)), sick)).to.equal(1);
    expect(await gateway.send(healthy, commands.place(), ask)).to.have.nested.property('orders[0].type', 'filled');
  });

  it('an account whose tick throws is quarantined', async () => {
    const account = accountName(5);
    await gateway.send(account, commands.open, ask);
    await gateway.send(account, commands.rest('64000'), ask);
    await bench.market.trade('BTC', [{ side: 'sell', price: '63999', size: '0.666' }]);
    await until(async () => (await codeOf(gateway.send(account, commands.state, ask))) === 'account_quarantined');
    await bench.market.refresh();
  });

  it('an Idempotency-Key makes a repetition answer the same and do nothing; another body is refused', async () => {
    const account = accountName(6);
    await gateway.send(account, commands.open, ask);
    const keyed = (bodyDigest: string) => ({ ...ask, idempotency: { key: 'k1', bodyDigest } });
    const atOnce = await Promise.all([1, 2, 3].map(() => gateway.send(account, commands.place(), keyed('aa'))));
    const later = await gateway.send(account, commands.place(), keyed('aa'));
    expect(new Set([...atOnce, later].map((outcome) => JSON.stringify(outcome))).size).to.equal(1);
    expect(answerOf(await gateway.send(account, commands.fills, ask))).to.include({ total: 1 });
    expect(await codeOf(gateway.send(account, commands.place(), keyed('bb')))).to.equal('idempotency_mismatch');
  });

  it('a bell that nobody hears delays a command until the next sweep and no longer', async () => {
    const account = accountName(7);
    await gateway.send(account, commands.open, ask);
    const stream = shardKeys.commands(shard(account), account);
    const envelope = {
      id: { incarnation: 'silent', counter: 1 },
      replyTo: 'silent',
      requestId: 'r',
      deadlineMs: Date.now() + 600_000,
      command: commands.place(),
    };
    const id = `${await bench.redis.incr(shardKeys.sequence(shard(account)))}-0`;
    await bench.redis
      .multi()
      .xadd(stream, id, 'c', writeForm(envelope, NEWEST_FORMAT))
      .sadd(shardKeys.pending(shard(account)), account)
      .exec();
    await until(async () => (await bench.redis.exists(stream)) === 0);
    expect(answerOf(await gateway.send(account, commands.fills, ask))).to.include({ total: 1 });
  });

  it('a command that was sent twice takes effect once', async () => {
    const account = accountName(8);
    await gateway.send(account, commands.open, ask);
    const stream = shardKeys.commands(shard(account), account);
    const envelope = writeForm(
      {
        id: { incarnation: 'twice', counter: 7 },
        replyTo: 'twice',
        requestId: 'r',
        deadlineMs: Date.now() + 600_000,
        command: commands.place(),
      },
      NEWEST_FORMAT,
    );
    for (let i = 0; i < 2; i++) {
      const id = `${await bench.redis.incr(shardKeys.sequence(shard(account)))}-0`;
      await bench.redis
        .multi()
        .xadd(stream, id, 'c', envelope)
        .sadd(shardKeys.pending(shard(account)), account)
        .exec();
    }
    await until(async () => (await bench.redis.exists(stream)) === 0);
    expect(answerOf(await gateway.send(account, commands.fills, ask))).to.include({ total: 1 });
  });

  it('a command past its deadline is consumed as expired and does nothing; unreadable ones are parked', async () => {
    const account = accountName(9);
    await gateway.send(account, commands.open, ask);
    // The node's clock is behind: it goes on waiting for what has expired at the pod.
    const late = await bench.startGateway({ realNow: () => Date.now() - 120_000 });
    expect(await codeOf(late.send(account, commands.place(), ask))).to.equal('expired');
    expect(answerOf(await gateway.send(account, commands.fills, ask))).to.include({ total: 0 });
    const stream = shardKeys.commands(shard(account), account);
    const id = `${await bench.redis.incr(shardKeys.sequence(shard(account)))}-0`;
    await bench.redis
      .multi()
      .xadd(stream, id, 'c', '{nonsense')
      .sadd(shardKeys.pending(shard(account)), account)
      .exec();
    await until(async () => (await bench.redis.exists(stream)) === 0);
    const letters = await bench.redis.xrange(shardKeys.dead(shard(account)), '-', '+');
    expect(letters.at(-1)?.[1]).to.include('unreadable');
  });
});

describe('command gateway: limits and silence', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;

  before(async () => {
    bench = await ActorBench.start({ MAILBOX_MAX: '5', COMMAND_DEADLINE_MS: '3000', JOURNAL_MAX: '3' });
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());

  it('a full mailbox refuses the next command, and nobody answering is an unknown outcome', async () => {
    const account = accountName(1);
    const sent = Array.from({ length: 7 }, () => codeOf(gateway.send(account, commands.open, ask)));
    expect(await Promise.all(sent.slice(5))).to.deep.equal(['mailbox_full', 'mailbox_full']);
    expect(await Promise.all(sent.slice(0, 5))).to.deep.equal(Array.from({ length: 5 }, () => 'outcome_unknown'));
    expect(gateway.waiting).to.equal(0);
  });

  it('a full journal refuses commands', async () => {
    const account = accountName(2);
    const journal = shardKeys.journal(shardOf(account, bench.config.SHARDS));
    for (let i = 1; i <= 3; i++) await bench.redis.xadd(journal, `${i}-0`, 't', '0', 'k', '0', 'i', '0', 'e', '[]');
    expect(await codeOf(gateway.send(account, commands.open, ask))).to.equal('journal_full');
    await bench.redis.del(journal);
  });

  it('without Redis a command is given back undone', async () => {
    await bench.redisStore.kill();
    await until(() => bench.redis.status !== 'ready');
    const code = await codeOf(gateway.send(accountName(3), commands.open, ask));
    expect(code).to.equal('store_unavailable');
  });
});
