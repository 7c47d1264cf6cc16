import { expect } from 'chai';
import type { ShardCommand } from '../../../../src/actors/core/messages/shardCommand.ts';
import type { CommandGateway } from '../../../../src/api/accounts/gateway/commandGateway.ts';
import { decideShardCommand } from '../../../../src/features/rules.ts';
import { SHARD_MAILBOX_MAX, submitShardCommand } from '../../../../src/jobs/shardMailbox.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../../src/shared/domain/shards.ts';
import { SHARD_MAILBOX, shardKeys } from '../../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../../../support/actorBench.ts';
import { lastPeriodOf } from '../../../support/lastPeriodOf.ts';
import { until } from '../../../support/until.ts';

const HOUR_MS = 3_600_000;
/** More of each shard than are changed in one turn. */
const ACCOUNTS = Array.from({ length: 140 }, (_, i) => accountName(i + 1));
const ask = { requestId: 'r' };

describe('shard mailbox: what a job asks of all accounts happens once to each', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  /** The next hour boundary that no command has used. */
  let hourMs = 0;

  before(async () => {
    bench = await ActorBench.start();
    gateway = await bench.startGateway();
    // The hour before it is not over either, whenever this runs.
    hourMs = (Math.ceil(Date.now() / HOUR_MS) + 1) * HOUR_MS;
  });
  after(() => bench.stop());

  /** Long 0.001 BTC pays 0.8125 cents at this rate and oracle price; nothing for the hour before, if it was there then. */
  const command = (): ShardCommand => {
    const hourBefore = { hourMs: hourMs - HOUR_MS, coins: { BTC: ['0', '65000'] as const } };
    const hour = { hourMs, coins: { BTC: ['0.000125', '65000'] as const } };
    return { type: 'settleFunding', throughMs: hourMs, hours: [hourBefore, hour] };
  };
  const submitToAll = () =>
    Promise.all(
      [0, 1].map((shard) =>
        submitShardCommand(bench.redis, { shard, job: 'funding', periodMs: hourMs, command: command(), format: NEWEST_FORMAT }),
      ),
    );
  const payments = async (accountId: string): Promise<string[]> => {
    const answer = answerOf(
      await gateway.send(accountId, { type: 'query', query: { kind: 'history', rows: 'funding', want: { limit: 1000 } } }, ask),
    );
    if (answer.kind !== 'history') throw new Error(`no history but ${answer.kind}`);
    return answer.rows.flatMap((row) => (row.kind === 'funding' ? [row.row.usd] : []));
  };
  const isConsumed = async (): Promise<boolean> =>
    (await Promise.all([0, 1].map((shard) => bench.redis.exists(shardKeys.commands(shard, SHARD_MAILBOX))))).every(
      (count) => count === 0,
    );

  it('waits for an owner, is applied account by account, and leaves its stream with the last of them', async () => {
    const pod = await bench.startOnlyPod();
    for (const accountId of ACCOUNTS) {
      await gateway.send(accountId, commands.open, ask);
      await gateway.send(accountId, commands.place(), ask);
    }
    await bench.stopPod(pod);
    expect(await submitToAll()).to.deep.equal(['queued', 'queued']);
    expect(await submitToAll()).to.deep.equal(['known', 'known']);
    await bench.startOnlyPod();
    await until(isConsumed);
    for (const accountId of ACCOUNTS) expect(await payments(accountId)).to.deep.equal(['-0.008125']);
    expect(await bench.redis.smembers(shardKeys.pending(0))).to.deep.equal([]);
    expect(await lastPeriodOf(bench.redis, 0, 'funding')).to.equal(hourMs);
  });

  it('an owner that loses the shard in the middle leaves the rest to the next, and nobody pays twice', async () => {
    hourMs += HOUR_MS;
    for (const pod of bench.pods) await bench.stopPod(pod);
    await submitToAll();
    let applied = 0;
    const stolen = new Set<number>();
    const thief: typeof decideShardCommand = (account, wanted, context) => {
      applied += 1;
      const shard = shardOf(account.id, 2);
      if (applied > 60 && !stolen.has(shard)) {
        stolen.add(shard);
        void bench.redis.set(shardKeys.lease(shard), '99:thief:x', 'PX', 300);
      }
      return decideShardCommand(account, wanted, context);
    };
    await bench.startPod({ rules: { decideShardCommand: thief } });
    await until(async () => stolen.size === 2 && (await isConsumed()));
    expect(applied).to.be.above(ACCOUNTS.length);
    for (const accountId of ACCOUNTS) expect(await payments(accountId)).to.deep.equal(['-0.008125', '-0.008125']);
  });

  it('what cannot be read is parked, and what comes after it is done', async () => {
    hourMs += HOUR_MS;
    await bench.redis.xadd(shardKeys.commands(0, SHARD_MAILBOX), '999999-0', 'c', '{"type":"nothing known"}');
    await bench.redis.set(shardKeys.sequence(0), 999_999);
    await bench.redis.sadd(shardKeys.pending(0), SHARD_MAILBOX);
    await submitToAll();
    await until(isConsumed);
    const parked = await bench.redis.xrange(shardKeys.dead(0), '-', '+');
    expect(parked.map(([, fields]) => fields[1])).to.deep.equal([SHARD_MAILBOX]);
    const [accountId = ''] = ACCOUNTS.filter((id) => shardOf(id, 2) === 0);
    expect(await payments(accountId)).to.have.length(3);
  });

  it('takes no more than its bound while nobody owns the shard', async () => {
    const shard = 7;
    const submit = (periodMs: number, mailboxMax?: number) =>
      submitShardCommand(bench.redis, {
        ...{ shard, job: 'funding', periodMs, command: command(), format: NEWEST_FORMAT },
        ...(mailboxMax !== undefined && { mailboxMax }),
      });
    for (let period = 1; period <= SHARD_MAILBOX_MAX; period++) expect(await submit(period)).to.equal('queued');
    expect(await submit(SHARD_MAILBOX_MAX + 1)).to.equal('full');
    expect(await submit(SHARD_MAILBOX_MAX + 1, 1)).to.equal('full');
    expect(await submit(SHARD_MAILBOX_MAX)).to.equal('known');
  });
});
