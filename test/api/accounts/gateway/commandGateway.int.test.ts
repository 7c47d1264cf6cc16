import { expect } from 'chai';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import type { SentReply } from '../../../../src/actors/core/messages/envelope.ts';
import type { OrderRequest, OrderView } from '../../../../src/actors/core/messages/order.ts';
import type { Outcome } from '../../../../src/actors/core/messages/queryAnswer.ts';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import { commitCall, commitScript } from '../../../../src/actors/engine/commit/commitScript.ts';
import { type MailboxCommand, readMailboxes } from '../../../../src/actors/engine/commit/mailbox.ts';
import { CommandGateway } from '../../../../src/api/accounts/gateway/commandGateway.ts';
import { readConfig } from '../../../../src/shared/config/config.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../../src/shared/domain/shards.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { newestFormats } from '../../../support/formats.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
const openOrders: AccountCommand = { type: 'query', query: { kind: 'openOrders' } };
const closeAccount: AccountCommand = { type: 'closeAccount' };

describe('commandGateway: replies on a real connection, an owner by hand', function () {
  this.timeout(600_000);
  // No test waits for a deadline: each answer comes for another reason.
  const config = readConfig({ COMMAND_DEADLINE_MS: '600000' });
  const shard = shardOf(ACCOUNT, config.SHARDS);
  const log = createLogger({ level: 'silent', role: 'test' });
  let store: Store;
  let redis: Redis;
  let subscriber: Redis;
  let gateway: CommandGateway;
  let number = 0;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
    subscriber = connectRedis({ url: store.url, name: 'replies', log });
    await redis.set(shardKeys.lease(shard), '1:test:1');
    await redis.config('SET', 'client-output-buffer-limit', 'pubsub 8mb 2mb 1');
    gateway = new CommandGateway({ redis, subscriber, formats: newestFormats, config, log, realNow: Date.now, nodeId: 'n' });
    await gateway.start();
  });

  after(async () => {
    await gateway.stop();
    redis.disconnect();
    subscriber.disconnect();
    await store.stop();
  });

  const waitingCommands = async (): Promise<MailboxCommand[]> =>
    (await readMailboxes(redis, shard, [ACCOUNT], { perAccount: 1000 })).get(ACCOUNT) ?? [];

  /** Commits what answers these commands, in as many commits as drafts become full. */
  async function answer(commands: readonly MailboxCommand[], reply: (command: MailboxCommand) => SentReply): Promise<number[]> {
    const sizes: number[] = [];
    for (let next = 0; next < commands.length; ) {
      number += 1;
      const draft = new CommitDraft(number, NEWEST_FORMAT);
      while (next < commands.length && !draft.isFull) {
        const command = commands[next] as MailboxCommand;
        if (command.envelope === undefined) throw new Error('every command is readable');
        draft.consume(ACCOUNT, command.id);
        draft.replies.add(command.envelope, reply(command));
        next += 1;
      }
      const part = draft.seal({ shard, token: '1:test:1', epoch: 1, idCounter: 0, tick: '0-0', timeMs: 0 });
      const { keys, args } = commitCall([part]);
      sizes.push(args.reduce<number>((sum, each) => sum + String(each).length, 0));
      const [[kind]] = (await commitScript.run(redis, keys, args)) as [[string]];
      expect(kind).to.equal('applied');
    }
    return sizes;
  }

  const ask = (command: AccountCommand): Promise<unknown> =>
    gateway.send(ACCOUNT, command, { requestId: 'r' }).catch((error: unknown) => error);
  const orders = (count: number): Outcome => ({
    type: 'answer',
    answer: { kind: 'openOrders', orders: Array.from({ length: count }, (_, oid) => orderOf(oid)) },
    seq: 1,
  });

  it('a command of an account that a crash left unopened opens it, and is sent again', async () => {
    const asked = ask(openOrders);
    const outcomes: Outcome[] = [{ type: 'unknownAccount' }, { type: 'accountOpened' }, orders(1)];
    const sent: string[] = [];
    for (const outcome of outcomes) {
      await until(async () => (await redis.xlen(shardKeys.commands(shard, ACCOUNT))) === 1);
      const [waiting] = await waitingCommands();
      sent.push(waiting?.envelope?.command.type ?? 'nothing');
      await answer(waiting === undefined ? [] : [waiting], () => ({ outcome }));
    }
    expect(await asked).to.deep.equal(orders(1));
    expect(sent).to.deep.equal(['query', 'openAccount', 'query']);
  });

  it('or leaves it unopened, where it is sent so', async () => {
    const sent = gateway.send(ACCOUNT, closeAccount, { requestId: 'r', staysUnopened: true });
    await until(async () => (await redis.xlen(shardKeys.commands(shard, ACCOUNT))) === 1);
    await answer(await waitingCommands(), () => ({ outcome: { type: 'unknownAccount' } }));
    expect(await sent).to.deep.equal({ type: 'unknownAccount' });
  });

  it('128 replies of 200 kB come whole, and no commit or message is larger than the node can take', async () => {
    const large = orders(700);
    const asked = Array.from({ length: 128 }, () => ask(openOrders));
    await until(async () => (await redis.xlen(shardKeys.commands(shard, ACCOUNT))) === 128);
    const before = await redis.info('stats');
    const sizes = await answer(await waitingCommands(), () => ({ outcome: large }));
    expect(Math.max(...sizes)).to.be.below(5_000_000);
    for (const outcome of await Promise.all(asked)) expect(outcome).to.deep.equal(large);
    const dropped = (info: string): string | undefined => /client_output_buffer_limit_disconnections:(\d+)/.exec(info)?.[1];
    expect(dropped(await redis.info('stats'))).to.equal(dropped(before));
    expect(await redis.keys('*:reply:*')).to.deep.equal([]);
  });

  it('short replies of one commit share messages, none of them long', async () => {
    const lengths: number[] = [];
    const listener = connectRedis({ url: store.url, name: 'listener', log });
    listener.on('pmessage', (_pattern, _channel, message: string) => lengths.push(message.length));
    await listener.psubscribe('replies:*');
    const asked = Array.from({ length: 300 }, () => ask(openOrders));
    await until(async () => (await redis.xlen(shardKeys.commands(shard, ACCOUNT))) === 300);
    const short = orders(20);
    await answer(await waitingCommands(), () => ({ outcome: short }));
    for (const outcome of await Promise.all(asked)) expect(outcome).to.deep.equal(short);
    await until(() => lengths.length > 1);
    expect(lengths.length).to.be.below(30);
    expect(Math.max(...lengths)).to.be.below(300_000);
    listener.disconnect();
  });

  it('a subscriber that Redis has dropped is noticed: questions are asked again, and commands are answered', async () => {
    const asked = [ask(openOrders), ask(closeAccount)];
    await until(async () => (await redis.xlen(shardKeys.commands(shard, ACCOUNT))) === 2);
    const first = await waitingCommands();
    await redis.client('KILL', 'TYPE', 'pubsub');
    await answer(first, () => ({ outcome: orders(1) }));
    await until(async () => (await redis.xlen(shardKeys.commands(shard, ACCOUNT))) === 2);
    const second = await waitingCommands();
    expect(second.map(({ text }) => text)).to.deep.equal(first.map(({ text }) => text));
    await answer(second, ({ envelope }) =>
      envelope?.command.type === 'query' ? { outcome: orders(2) } : { failure: 'answered' },
    );
    expect(await asked[0]).to.deep.equal(orders(2));
    expect(await asked[1]).to.include({ status: 504, code: 'outcome_unknown' });
  });

  it('a wake-up carries no long command, which is found in the mailbox; a script call carries few of them', async () => {
    const lengths: number[] = [];
    const listener = connectRedis({ url: store.url, name: 'listener', log });
    listener.on('message', (_channel, message: string) => lengths.push(message.length));
    await listener.subscribe(...Array.from({ length: config.SHARDS }, (_, each) => shardKeys.wakeup(each)));
    const order: OrderRequest = {
      ...{ asset: 0, side: 'buy', limitPrice: '1', size: '1', reduceOnly: false },
      ...{ type: { kind: 'limit', timeInForce: 'gtc' }, cloid: `0x${'1'.repeat(32)}` },
    };
    const heavy: AccountCommand = { type: 'placeOrders', grouping: 'na', orders: Array.from({ length: 4000 }, () => order) };
    for (let i = 0; i < 50; i++) {
      void gateway.send(`0x${String(i).padStart(40, 'b')}`, heavy, { requestId: 'r' }).catch(() => undefined);
    }
    await until(() => lengths.length >= 40);
    expect(Math.max(...lengths)).to.be.below(1000);
    listener.disconnect();
  });
});

const orderOf = (oid: number): OrderView => ({
  ...{ oid, cloid: `0x${String(oid).padStart(32, '0')}`, asset: 0, coin: 'BTC', side: 'buy', limitPrice: '65000' },
  ...{ size: '1', originalSize: '1', filledSize: '0', reduceOnly: false, timeInForce: 'gtc', placedAtMs: 1795329600000 },
});
