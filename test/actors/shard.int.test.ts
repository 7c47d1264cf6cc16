import { expect } from 'chai';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import { readEntries } from '../../src/actors/core/messages/entry.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { RetryableError } from '../../src/shared/errors.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { queueCommands } from '../../src/shared/redis/submitScript.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

describe('shard: commands become true in commits and nowhere else', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;
  let pod: Actors;

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '500', ACCOUNT_IDLE_MS: '300' });
    pod = await bench.startOnlyPod({
      rules: {
        // Something is due when a fresh account is asked for its overview.
        decide: (account, command, context) => {
          const decision = tradingRules.decide(account, command, context);
          const isOverview = command.type === 'query' && command.query.kind === 'overview';
          return isOverview && account.seq === 1 ? { ...decision, events: [{ type: 'equitySampled' }] } : decision;
        },
      },
    });
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());

  it('an unopened account is unknown, an opened one trades, and reads its own writes', async () => {
    const account = accountName(1);
    expect(await gateway.send(account, commands.state, { ...ask, staysUnopened: true })).to.deep.equal({
      type: 'unknownAccount',
    });
    expect(await gateway.send(account, commands.open, ask)).to.deep.equal({ type: 'accountOpened' });
    const outcome = await gateway.send(account, commands.place(), ask);
    expect(outcome).to.have.nested.property('orders[0].type', 'filled');
    const state = answerOf(await gateway.send(account, commands.state, ask));
    expect(state).to.have.nested.property('state.positions[0].signedSize', '0.001');
    const fills = answerOf(await gateway.send(account, commands.fills, ask));
    expect(fills).to.include({ kind: 'history', total: 1 });
  });

  it('64 commands at once on one account run in order, each once', async () => {
    const account = accountName(2);
    await gateway.send(account, commands.open, ask);
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, i) => gateway.send(account, commands.rest(String(60_000 + i)), ask)),
    );
    const oids = outcomes.map((outcome) =>
      outcome.type === 'orders' && outcome.orders[0]?.type === 'resting' ? outcome.orders[0].oid : 0,
    );
    expect(oids).to.deep.equal([...oids].sort((a, b) => a - b));
    expect(new Set(oids).size).to.equal(64);
    const open = answerOf(await gateway.send(account, commands.openOrders, ask));
    expect(open.kind === 'openOrders' && open.orders.map(({ oid }) => oid)).to.deep.equal(oids);
  });

  it('a trade through a resting order fills it', async () => {
    const account = accountName(3);
    await gateway.send(account, commands.open, ask);
    await gateway.send(account, commands.rest('64990'), ask);
    await bench.market.trade('BTC', [{ side: 'sell', price: '64980', size: '1' }]);
    await until(async () => {
      const fills = answerOf(await gateway.send(account, commands.fills, ask));
      return fills.kind === 'history' && fills.total === 1;
    });
    await bench.market.refresh();
  });

  it('commands that are queued without a sender run in their order, once, and open the account first', async () => {
    const accountId = accountName(5);
    const queued: AccountCommand[] = [
      commands.open,
      { type: 'creditPlan', usd: '90000' },
      { type: 'creditPlan', usd: '90000' },
      { type: 'closeAccount' },
    ];
    const { config, redis } = bench;
    await queueCommands(redis, { config, accountId, requestId: 'job:test', commands: queued, format: NEWEST_FORMAT });
    const cash = async (): Promise<unknown> => {
      const outcome = await gateway.send(accountId, commands.state, ask);
      return outcome.type === 'answer' && outcome.answer.kind === 'accountState' && outcome.answer.state.withdrawable;
    };
    await until(async () => (await cash()) === '100000.0');
    await queueCommands(redis, { config, accountId, requestId: 'job:test', commands: queued, format: NEWEST_FORMAT });
    const refused = await queueCommands(redis, {
      config: { ...config, JOURNAL_MAX: 0 },
      ...{ accountId, requestId: 'job:test', commands: queued, format: NEWEST_FORMAT },
    }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(RetryableError);
    expect(await cash()).to.equal('100000.0');
  });

  it('an answer names the entry that it is of, and the entries after any are told as the journal has them', async () => {
    const entriesAfter = async (account: string, afterSeq: number) => {
      const answer = answerOf(await gateway.send(account, { type: 'query', query: { kind: 'entries', afterSeq } }, ask));
      if (answer.kind !== 'entries') throw new Error('not the entries');
      return answer.entries;
    };
    const journaled = async (account: string) => {
      const journal = await bench.redis.xrange(shardKeys.journal(shardOf(account, bench.config.SHARDS)), '-', '+');
      const entries = journal.flatMap(([, fields]) => readEntries(fields.at(-1) ?? '[]'));
      return entries.filter(({ accountId }) => accountId === account);
    };
    // The journal is cut soon: where that came in between, another account is looked at.
    let next = 100;
    await until(async () => {
      const account = accountName(next++);
      const seqs: number[] = [];
      for (const command of [commands.open, commands.place(), commands.rest('60000')]) {
        await gateway.send(account, command, ask);
        const outcome = await gateway.send(account, commands.openOrders, ask);
        seqs.push(outcome.type === 'answer' ? outcome.seq : 0);
      }
      expect(seqs).to.deep.equal([1, 2, 3]);
      const told = [await entriesAfter(account, 0), await entriesAfter(account, 2), await entriesAfter(account, 3)];
      const own = await journaled(account);
      const isWhole = own.length === 3;
      if (isWhole) expect(told).to.deep.equal([own, own.slice(2), []]);
      await until(async () => (await entriesAfter(account, 0)).length === 0);
      await gateway.send(account, { type: 'closeAccount' }, ask);
      return isWhole;
    });
  });

  it('what was due before a question is an entry of its own, and the answer is of the account after it', async () => {
    const account = accountName(7);
    await gateway.send(account, commands.open, ask);
    const outcome = await gateway.send(account, { type: 'query', query: { kind: 'overview' } }, ask);
    expect(outcome).to.include({ type: 'answer', seq: 2 });
  });

  it('an idle, flat account leaves memory and comes back with its next command', async () => {
    const account = accountName(4);
    await gateway.send(account, commands.open, ask);
    await gateway.send(account, commands.place(), ask);
    const live = async (): Promise<boolean> => {
      const sets = await Promise.all([bench.redis.smembers('{s00}:live'), bench.redis.smembers('{s01}:live')]);
      return sets.flat().includes(account);
    };
    expect(await live()).to.equal(true);
    await gateway.send(account, commands.place({ side: 'sell', limitPrice: '64900', reduceOnly: true }), ask);
    await until(async () => !(await live()));
    // The three others hold a position or orders.
    await until(() => pod.status().reduce((sum, shard) => sum + shard.accounts, 0) === 3);
    const fills = answerOf(await gateway.send(account, commands.fills, ask));
    expect(fills).to.include({ total: 2 });
    expect(await gateway.send(account, commands.place(), ask)).to.have.nested.property('orders[0].type', 'filled');
  });
});
