import { type EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { AccountEntry } from '../../../../src/actors/core/messages/entry.ts';
import type { CommandEnvelope } from '../../../../src/actors/core/messages/envelope.ts';
import { CommitCalls } from '../../../../src/actors/engine/commit/commitCalls.ts';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import type { CommitAnswer, CommitPart } from '../../../../src/actors/engine/commit/commitScript.ts';
import { haveReplicas } from '../../../../src/actors/engine/commit/preparedCommits.ts';
import { takeLease } from '../../../../src/actors/engine/ownership/lease.ts';
import { completePrepared } from '../../../../src/actors/engine/shard/recoveringShard.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { RetryableError } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { repliesChannel, shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { Script, type ScriptCall } from '../../../../src/shared/redis/script.ts';
import { newestFormats } from '../../../support/formats.ts';
import { type Replica, startReplica } from '../../../support/redisPair.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const TOKEN = '1:pod:abc';
const NODE = 'api.1';
const ACCOUNT = 'account';
const SHARD = 3;
const FAR_MS = Date.now() + 1e9;
const PAST_MS = 1000;
const writeScript = new Script('write', "return redis.call('HINCRBY', KEYS[1], 'made', 1)");
const log = createLogger({ level: 'silent', role: 'test' });

describe('commits that replicas have before anything of them is seen', function () {
  this.timeout(600_000);
  let store: Store;
  let replica: Replica;
  let redis: Redis;
  let commits: Redis;
  let subscriber: Redis;
  let messages: string[];
  let calls: CommitCalls;

  before(async () => {
    store = await startRedis();
    replica = await startReplica(store);
    redis = connectRedis({ url: store.url, name: 'test', log });
    commits = connectRedis({ url: store.url, name: 'commits', log, sendsAtOnce: true });
    subscriber = connectRedis({ url: store.url, name: 'heard', log });
    subscriber.on('message', (_channel, message) => messages.push(message));
    await subscriber.subscribe(repliesChannel(NODE));
  });
  after(async () => {
    for (const connection of [redis, commits, subscriber]) connection.disconnect();
    await replica.stop();
    await store.stop();
  });

  beforeEach(async () => {
    await redis.flushall();
    messages = [];
    calls = new CommitCalls(commits, { replicas: 1 });
    await redis.set(shardKeys.lease(SHARD), TOKEN, 'PX', 60_000);
    await redis.hset(shardKeys.head(SHARD), { epoch: 1, n: 0 });
    await redis.hset(shardKeys.versions(SHARD), ACCOUNT, '7');
    await redis.xadd(shardKeys.commands(SHARD, ACCOUNT), '1-0', 'c', 'command');
    await redis.sadd(shardKeys.pending(SHARD), ACCOUNT);
  });
  afterEach(() => replica.thaw());

  /** It consumes the command that waits, journals, answers, remembers the answer and gives a view away. */
  function partOf({ number = 1, deadlineMs }: { number?: number; deadlineMs?: number } = {}): CommitPart {
    const draft = new CommitDraft(number, NEWEST_FORMAT);
    draft.consume(ACCOUNT, '1-0', 7);
    if (deadlineMs !== undefined) draft.limitTo(deadlineMs, '1-0');
    draft.journal({ accountId: ACCOUNT, seq: 8, timeMs: 1, events: [], firstRows: {} } as unknown as AccountEntry);
    const envelope = { id: { incarnation: NODE, counter: 5 }, replyTo: NODE } as CommandEnvelope;
    draft.replies.add(envelope, { outcome: { type: 'done' } });
    draft.seldom.recordAnswer(shardKeys.answer(SHARD, 'name'), { value: 'said', ttlMs: 60_000, accountId: ACCOUNT });
    draft.seldom.setVersion(ACCOUNT, 8);
    return draft.seal({ shard: SHARD, token: TOKEN, epoch: 1, idCounter: 5, tick: '9-0', timeMs: 9, isPrepared: true });
  }

  const send = (part = partOf()): Promise<CommitAnswer> => calls.send(SHARD, part);
  /** As an owner does: again, while too few replicas have said so in time. */
  async function sendUntilConfirmed(part = partOf()): Promise<CommitAnswer> {
    for (;;) {
      const answer = await send(part);
      if (answer[0] !== 'error') return answer;
    }
  }
  /** The visible effects of the commit. */
  const seen = async () => ({
    journal: (await redis.xrange(shardKeys.journal(SHARD), '-', '+')).map(([id]) => id),
    number: await redis.hget(shardKeys.head(SHARD), 'n'),
    remembered: await redis.get(shardKeys.answer(SHARD, 'name')),
    version: await redis.hget(shardKeys.versions(SHARD), ACCOUNT),
    commands: await redis.xlen(shardKeys.commands(SHARD, ACCOUNT)),
    messages: messages.length,
    prepared: await redis.hget(shardKeys.prepared(SHARD), 'n'),
  });
  const done = { journal: ['1-0'], number: '1', remembered: 'said', version: '8', commands: 0, messages: 1, prepared: null };
  const waits = { journal: [], number: '0', remembered: null, version: null, commands: 1, messages: 0, prepared: '1' };
  const dropped = { ...waits, prepared: null };

  it('a commit that the replica has is made true at once', async () => {
    expect(await sendUntilConfirmed()).to.deep.equal(['applied']);
    await until(() => messages.length > 0);
    expect(await seen()).to.deep.equal(done);
    expect(calls.prepared.unconfirmedMs(SHARD)).to.equal(undefined);
  });

  it('while the replica lags nothing of it is seen, and no view of the account is true; then it is made true, once', async () => {
    replica.freeze();
    const [kind, said] = await send();
    expect([kind, said]).to.deep.equal(['error', 'NOREPLICAS Fewer replicas than REDIS_MIN_REPLICAS have the commit']);
    expect(await seen()).to.deep.equal(waits);
    expect(calls.prepared.unconfirmedMs(SHARD)).to.be.a('number');
    replica.thaw();
    expect(await sendUntilConfirmed()).to.deep.equal(['applied']);
    expect(await sendUntilConfirmed()).to.deep.equal(['already']);
    await until(() => messages.length > 0);
    expect(await seen()).to.deep.equal(done);
    expect(calls.prepared.unconfirmedMs(SHARD)).to.equal(undefined);
  });

  it('a connection that has changed since the write confirms nothing: WAIT speaks of what came on its own', async () => {
    let call: ScriptCall | undefined;
    const { keys, args } = { keys: [shardKeys.head(SHARD)], args: [] };
    await writeScript.run(commits, keys, args, (sent) => (call = sent));
    const isThere = () => haveReplicas(commits, { after: call as ScriptCall, replicas: 1, withinMs: 500 });
    await until(isThere);
    await Promise.all([
      once(commits as unknown as EventEmitter, 'close'),
      commits.client('KILL', 'TYPE', 'normal', 'SKIPME', 'no'),
    ]);
    expect(await isThere()).to.equal(false);
  });

  it('one that replicas have too late expires its commands, and is prepared no more', async () => {
    expect((await sendUntilConfirmed(partOf({ deadlineMs: PAST_MS })))[0]).to.equal('late');
    expect(await seen()).to.deep.equal(dropped);
  });

  it('its owner sends it again to a replica that has taken over: it may have been answered, and is made true, however late', async () => {
    const promoted = await startReplica(store);
    const connection = connectRedis({ url: promoted.store.url, name: 'commits', log, sendsAtOnce: true });
    try {
      const part = partOf({ deadlineMs: PAST_MS });
      const [kind] = await new CommitCalls(commits, { replicas: 3 }).send(SHARD, part);
      expect(kind, 'not confirmed yet').to.equal('error');
      await until(async () => (await promoted.connection.exists(shardKeys.prepared(SHARD))) === 1);
      await promoted.connection.replicaof('NO', 'ONE');
      expect(await new CommitCalls(connection).prepared.commit([part])).to.deep.equal([['applied']]);
    } finally {
      connection.disconnect();
      await promoted.stop();
    }
  });

  it('commits of other owners, and numbers that are missing, are not prepared', async () => {
    expect(await send(partOf({ number: 3 }))).to.deep.equal(['gap']);
    await redis.set(shardKeys.lease(SHARD), '2:other:def');
    expect(await send()).to.deep.equal(['fenced']);
    await redis.del(shardKeys.lease(SHARD));
    expect(await send()).to.deep.equal(['unleased']);
    expect(await redis.exists(shardKeys.prepared(SHARD))).to.equal(0);
  });

  describe('the next owner finds a commit prepared', () => {
    /** The owner before it dies while the replica lags. */
    async function leave(deadlineMs?: number): Promise<void> {
      replica.freeze();
      await send(partOf({ ...(deadlineMs !== undefined && { deadlineMs }) }));
      replica.thaw();
      await redis.del(shardKeys.lease(SHARD));
    }

    /** @param attempts of an owner that finds too few replicas in time */
    async function complete({ mongoHas = 0, replicas = 1, attempts = Number.POSITIVE_INFINITY } = {}): Promise<void> {
      const highest = { epoch: 4, commitNumber: mongoHas, idCounter: 100 };
      const lease = await takeLease({ redis, shard: SHARD, podId: 'next', ttlMs: 60_000, highest });
      if (typeof lease === 'string') throw new Error(lease);
      const next = new CommitCalls(commits, { replicas });
      for (let left = attempts - 1; ; left--) {
        try {
          return await completePrepared({ redis, calls: next, lease, formats: newestFormats, log });
        } catch (error) {
          if (!(error instanceof RetryableError) || left <= 0) throw error;
        }
      }
    }

    it('it may have been answered, by a Redis that is no more: it is completed, however late', async () => {
      await leave(PAST_MS);
      await redis.hset(shardKeys.prepared(SHARD), 'life', 'of another Redis');
      await complete();
      await until(() => messages.length > 0);
      expect(await seen()).to.deep.equal(done);
      expect(Number(await redis.hget(shardKeys.head(SHARD), 'ids')), 'ids that a take has skipped').to.be.above(1_000_000);
      expect(await redis.hget(shardKeys.head(SHARD), 'epoch')).to.equal('5');
    });

    it('also when MongoDB has it, and the take has raised the head to that', async () => {
      await leave();
      await complete({ mongoHas: 1 });
      expect(await seen()).to.deep.include({ journal: ['1-0'], number: '1', prepared: null });
    });

    it('and by a pod that waits for no replica', async () => {
      await leave();
      await complete({ replicas: 0 });
      expect(await seen()).to.deep.include({ journal: ['1-0'], prepared: null });
    });

    it('in the same life of Redis nobody was told of it: one that is late is none', async () => {
      await leave(PAST_MS);
      await complete();
      expect(await seen()).to.deep.equal(dropped);
    });

    it('in the same life of Redis one that is in time is completed', async () => {
      await leave(FAR_MS);
      await complete();
      expect(await seen()).to.deep.include({ journal: ['1-0'], prepared: null });
    });

    it('it waits for replicas as well, and goes no further without', async () => {
      await leave();
      replica.freeze();
      const failed = await complete({ attempts: 1 }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(RetryableError);
      expect(await seen()).to.deep.include({ journal: [], messages: 0, prepared: '1' });
    });

    it('what an older build has gone on from is left alone', async () => {
      await leave();
      await redis.xadd(shardKeys.journal(SHARD), '1-0', 't', 1, 'k', 2, 'i', 3, 'e', '[]');
      await complete();
      expect(await seen()).to.deep.include({ remembered: null, messages: 0 });
    });
  });
});
