import { expect } from 'chai';
import type { AccountEntry } from '../../../../src/actors/core/messages/entry.ts';
import type { CommandEnvelope } from '../../../../src/actors/core/messages/envelope.ts';
import { CommitCalls } from '../../../../src/actors/engine/commit/commitCalls.ts';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import type { CommitAnswer, CommitPart } from '../../../../src/actors/engine/commit/commitScript.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { repliesChannel, shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const TOKEN = '1:pod:abc';
const NODE = 'api.1';
const log = createLogger({ level: 'silent', role: 'test' });

describe('commitCalls: the drafts of many shards in one call', function () {
  this.timeout(600_000);
  let store: Store;
  let redis: Redis;
  let subscriber: Redis;
  let calls: CommitCalls;
  let messages: string[];

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
    subscriber = connectRedis({ url: store.url, name: 'heard', log });
    subscriber.on('message', (_channel, message) => messages.push(message));
    await subscriber.subscribe(repliesChannel(NODE));
  });
  after(async () => {
    redis.disconnect();
    subscriber.disconnect();
    await store.stop();
  });

  beforeEach(async () => {
    await redis.flushall();
    messages = [];
    calls = new CommitCalls(redis);
    for (const shard of [0, 1, 2, 3]) await redis.set(shardKeys.lease(shard), TOKEN, 'PX', 60_000);
  });

  const accountOf = (shard: number): string => `account-${shard}`;

  /** A command waits in the shard's mailbox; its commit, which consumes it, journals and answers. */
  async function commitOf(
    shard: number,
    options: { number?: number; text?: string; deadlineMs?: number } = {},
  ): Promise<CommitPart> {
    const { number = 1, text = 'done', deadlineMs } = options;
    const accountId = accountOf(shard);
    await redis.xadd(shardKeys.commands(shard, accountId), `${number}-0`, 'c', 'command');
    await redis.sadd(shardKeys.pending(shard), accountId);
    await redis.hset(shardKeys.mailboxBytes(shard), { [accountId]: 7, _all: 7 });
    const draft = new CommitDraft(number, NEWEST_FORMAT);
    draft.consume(accountId, `${number}-0`, 7);
    if (deadlineMs !== undefined) draft.limitTo(deadlineMs, `${number}-0`);
    draft.journal({ accountId, seq: number, timeMs: 1, events: [], firstRows: {}, text } as AccountEntry);
    const envelope = { id: { incarnation: NODE, counter: shard }, replyTo: NODE } as CommandEnvelope;
    draft.replies.add(envelope, { outcome: { type: 'done', text } } as never);
    return draft.seal({ shard, token: TOKEN, epoch: 1, idCounter: 5, tick: '0-0', timeMs: 9 });
  }

  const send = (parts: ReadonlyMap<number, CommitPart>): Promise<CommitAnswer[]> =>
    Promise.all([...parts].map(([shard, part]) => calls.send(shard, part)));

  /** All that a commit writes. */
  const stateOf = async (shard: number) => ({
    number: await redis.hget(shardKeys.head(shard), 'n'),
    journal: (await redis.xrange(shardKeys.journal(shard), '-', '+')).map(([id]) => id),
    waiting: await redis.xlen(shardKeys.commands(shard, accountOf(shard))),
    pending: await redis.smembers(shardKeys.pending(shard)),
    bytes: await redis.hgetall(shardKeys.mailboxBytes(shard)),
  });
  const applied = { number: '1', journal: ['1-0'], waiting: 0, pending: [], bytes: {} };
  const untouched = (shard: number) => ({
    ...{ number: null, journal: [], waiting: 1, pending: [accountOf(shard)] },
    bytes: { [accountOf(shard)]: '7', _all: '7' },
  });
  /** Counters of the commands that were answered, message by message. */
  const answered = async (): Promise<number[][]> => {
    await redis.publish(repliesChannel(NODE), '"end"');
    await until(() => messages.at(-1) === '"end"');
    return messages.slice(0, -1).map((message) => (JSON.parse(message) as [string, number][]).map(([, counter]) => counter));
  };
  const scriptCalls = async (): Promise<number> => {
    const stats = await redis.info('commandstats');
    return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+),\S*?rejected_calls=\d+,failed_calls=(\d+)/g)]
      .map(([, all, failed]) => Number(all) - Number(failed))
      .reduce((sum, each) => sum + each, 0);
  };

  it('what is ready in one turn is one call, and one message to the API node', async () => {
    const parts = new Map<number, CommitPart>();
    for (const shard of [0, 1, 2, 3]) parts.set(shard, await commitOf(shard));
    await redis.config('RESETSTAT');
    expect(await send(parts)).to.deep.equal(Array.from({ length: 4 }, () => ['applied']));
    expect(await scriptCalls()).to.equal(1);
    expect(await answered()).to.deep.equal([[0, 1, 2, 3]]);
    for (const shard of [0, 1, 2, 3]) expect(await stateOf(shard), `shard ${shard}`).to.deep.equal(applied);
  });

  const refusals: { name: string; answer: string; refuse: () => Promise<unknown>; deadlineMs?: number; number?: number }[] = [
    { name: 'has another owner', answer: 'fenced', refuse: () => redis.set(shardKeys.lease(1), '2:other:def') },
    { name: 'has lost its lease', answer: 'unleased', refuse: () => redis.del(shardKeys.lease(1)) },
    { name: 'has a gap', answer: 'gap', refuse: async () => undefined, number: 3 },
    { name: 'comes too late', answer: 'late', refuse: async () => undefined, deadlineMs: 1000 },
    { name: 'breaks off', answer: 'error', refuse: () => redis.set(shardKeys.journal(1), 'no stream') },
  ];
  for (const { name, answer, refuse, ...options } of refusals) {
    it(`a shard that ${name} touches no other`, async () => {
      const parts = new Map([
        [0, await commitOf(0)],
        [1, await commitOf(1, options)],
        [2, await commitOf(2)],
      ]);
      await refuse();
      const answers = await send(parts);
      expect(answers.map(([kind]) => kind)).to.deep.equal(['applied', answer, 'applied']);
      expect(await answered()).to.deep.equal([[0, 2]]);
      expect(await stateOf(0)).to.deep.equal(applied);
      expect(await stateOf(2)).to.deep.equal(applied);
      if (answer === 'error') await redis.del(shardKeys.journal(1));
      expect(await stateOf(1)).to.deep.equal(untouched(1));
    });
  }

  it('a call that is sent again adds only what was not applied, each shard by its own number', async () => {
    const [first, second] = [await commitOf(0), await commitOf(1)];
    expect(await send(new Map([[0, first]]))).to.deep.equal([['applied']]);
    const both = new Map([
      [0, first],
      [1, second],
    ]);
    expect(await send(both)).to.deep.equal([['already'], ['applied']]);
    expect(await send(both)).to.deep.equal([['already'], ['already']]);
    expect(await answered()).to.deep.equal([[0], [1]]);
    for (const shard of [0, 1]) expect(await stateOf(shard)).to.deep.equal(applied);
  });

  it('a commit that is sent again takes no command that came since', async () => {
    const part = await commitOf(0);
    await send(new Map([[0, part]]));
    await commitOf(0, { number: 2 });
    expect(await send(new Map([[0, part]]))).to.deep.equal([['already', accountOf(0)]]);
    expect(await stateOf(0)).to.deep.equal({ ...untouched(0), number: '1', journal: ['1-0'] });
  });

  it('a huge draft goes alone; small ones before and behind it share a call each', async () => {
    const parts = new Map([
      [0, await commitOf(0)],
      [1, await commitOf(1)],
      [2, await commitOf(2, { text: 'x'.repeat(1_500_000) })],
      [3, await commitOf(3)],
    ]);
    await redis.config('RESETSTAT');
    expect(await send(parts)).to.deep.equal(Array.from({ length: 4 }, () => ['applied']));
    expect(await scriptCalls()).to.equal(3);
    expect((await answered()).map(([first]) => first)).to.deep.equal([0, 2, 3]);
  });

  it('replies that are too long together for one message come in several', async () => {
    const parts = new Map<number, CommitPart>();
    for (const shard of [0, 1, 2, 3]) {
      const draft = new CommitDraft(1, NEWEST_FORMAT);
      for (let counter = 0; counter < 10; counter++) {
        const envelope = { id: { incarnation: NODE, counter }, replyTo: NODE } as CommandEnvelope;
        draft.replies.add(envelope, { outcome: { type: 'done', text: 'x'.repeat(10_000) } } as never);
      }
      parts.set(shard, draft.seal({ shard, token: TOKEN, epoch: 1, idCounter: 5, tick: '0-0', timeMs: 9 }));
    }
    await send(parts);
    expect((await answered()).map(({ length }) => length)).to.deep.equal([20, 20]);
    expect(Math.max(...messages.map(({ length }) => length))).to.be.below(260_000);
  });
});
