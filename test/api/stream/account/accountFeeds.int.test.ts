import { expect } from 'chai';
import {
  AccountFeeds,
  type AccountUpdate,
  rowsOfKind,
  type UpdateListener,
} from '../../../../src/api/stream/account/accountFeeds.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { TestShard } from '../../../support/journals.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const SHARDS = 1;
const START_MS = 1_800_000_000_000;
const account = (n: number): string => `0x${String(n).padStart(40, '0')}`;

class Notes implements UpdateListener {
  readonly updates: AccountUpdate[] = [];
  isBroken = false;

  get seqs(): number[] {
    return this.updates.map(({ seq }) => seq);
  }

  onUpdate(update: AccountUpdate): void {
    this.updates.push(update);
  }

  onBroken(): void {
    this.isBroken = true;
  }
}

describe('AccountFeeds: the journal as it is, to all who listen', () => {
  const log = createLogger({ level: 'silent', role: 'test' });
  let store: Store;
  let redis: Redis;
  let shard: TestShard;
  let feeds: AccountFeeds;
  let connections: Redis[];
  let nowMs = START_MS;

  before(async () => {
    store = await startRedis();
  });
  beforeEach(async () => {
    redis = connectRedis({ url: store.url, name: 'test', log });
    await redis.flushall();
    shard = new TestShard(redis, 0);
    await shard.take(1);
    connections = [];
    feeds = newFeeds();
  });
  afterEach(() => {
    feeds.stop();
    redis.disconnect();
  });
  after(() => store.stop());

  const newFeeds = (): AccountFeeds =>
    new AccountFeeds({
      redis,
      log,
      config: { SHARDS },
      subscriberFactory: (name = 'journal') => {
        const connection = connectRedis({ url: store.url, name, log });
        connections.push(connection);
        return connection;
      },
    });
  const write = async (...accounts: number[]): Promise<void> => {
    nowMs += 10;
    await shard.write(nowMs, accounts.map(account), shard.trade);
  };
  const listen = async (n: number): Promise<Notes> => {
    const notes = new Notes();
    await feeds.listen(account(n), notes);
    return notes;
  };

  it('what is committed from then on, once and in order, each account its own, over one connection', async () => {
    await write(1, 2);
    const [one, two, again] = [await listen(1), await listen(2), await listen(1)];
    await write(1);
    await write(2, 1, 3);
    await write(3);
    await write(1);
    await until(() => one.updates.length === 3 && again.updates.length === 3 && two.updates.length === 1);
    expect([one.seqs, again.seqs, two.seqs]).to.deep.equal([[2, 3, 4], [2, 3, 4], [2]]);
    expect(one.updates[0]).to.equal(again.updates[0]);
    const fills = one.updates.flatMap((update) => rowsOfKind(update, 'fills'));
    expect(fills).to.deep.equal(
      shard
        .rows(account(1), 'fills')
        .slice(1)
        .map(({ row }) => row),
    );
    expect(connections).to.have.length(1);
  });

  it('an account whose journal is empty so far, and one that nobody listens to any more', async () => {
    const one = await listen(1);
    await write(1);
    await until(() => one.updates.length === 1);
    feeds.leave(account(1), one);
    await until(() => connections[0]?.status === 'end');
    const two = await listen(2);
    await write(1, 2);
    await until(() => two.updates.length === 1);
    expect(one.seqs).to.deep.equal([1]);
  });

  it('goes on where it was when its connection breaks', async () => {
    const one = await listen(1);
    await write(1);
    await until(() => one.updates.length === 1);
    connections[0]?.disconnect(true);
    await write(1);
    await write(1);
    await until(() => one.updates.length === 3);
    expect([one.seqs, one.isBroken]).to.deep.equal([[1, 2, 3], false]);
  });

  it('tells an entry of a thousand orders to one listener a turn, and the next entry after it', async () => {
    const happened: string[] = [];
    const listeners = Array.from(
      { length: 4 },
      (_, n): UpdateListener => ({
        onUpdate: ({ seq }) => happened.push(`${n} hears ${seq}`),
        onBroken: () => undefined,
      }),
    );
    for (const listener of listeners) await feeds.listen(account(1), listener);
    const events = Array.from({ length: 1000 }, (_, oid) => ({ type: 'orderEnded', order: { oid }, status: 'canceled' }));
    const entries = [events, events.slice(0, 1)].map((some, i) => ({
      ...{ accountId: account(1), seq: i + 1, timeMs: nowMs, firstRows: {}, events: some, v: NEWEST_FORMAT },
    }));
    let isOver = false;
    const turn = (): void => {
      if (happened.length > 0 && happened.at(-1) !== 'turn') happened.push('turn');
      if (!isOver) setImmediate(turn);
    };
    turn();
    await redis.xadd(shardKeys.journal(0), '3-0', 't', nowMs, 'k', 1, 'i', 1, 'e', JSON.stringify(entries));
    await until(() => happened.filter((what) => what.endsWith('2')).length === 4);
    isOver = true;
    expect(happened.slice(0, 7)).to.deep.equal([...['0 hears 1', 'turn', '1 hears 1', 'turn', '2 hears 1', 'turn', '3 hears 1']]);
    const second = happened.filter((what) => what.endsWith('2'));
    expect(second).to.deep.equal(['0 hears 2', '1 hears 2', '2 hears 2', '3 hears 2']);
  });

  it('ends when entries were cut that it has not read', async () => {
    const one = await listen(1);
    await write(1);
    await until(() => one.updates.length === 1);
    const entry = { ...shard.entries[0]?.entry, seq: 3, v: NEWEST_FORMAT };
    await redis.xadd(shardKeys.journal(0), '3-0', 't', nowMs, 'k', 1, 'i', 1, 'e', JSON.stringify([entry]));
    await until(() => one.isBroken);
    expect(one.seqs).to.deep.equal([1]);
  });

  it('ends when the journal has lost what was read, though others took its numbers', async () => {
    for (const takesNumbers of [false, true]) {
      await redis.flushall();
      shard = new TestShard(redis, 0);
      await shard.take(1);
      const one = await listen(1);
      await write(1);
      await write(1);
      await until(() => one.updates.length === 2);
      const connection = connections.at(-1);
      connection?.disconnect();
      await redis.del(shardKeys.journal(0));
      shard = new TestShard(redis, 0);
      await shard.take(2);
      for (let i = 0; i < (takesNumbers ? 4 : 1); i++) await write(1);
      await connection?.connect();
      await until(() => one.isBroken);
      expect(one.seqs, String(takesNumbers)).to.deep.equal([1, 2]);
    }
  });
});
