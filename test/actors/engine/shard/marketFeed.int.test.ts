// Each public trade is shown to a shard's accounts once and in order, also where some of them come while the shard may have
// another owner. The stream of trades is a real one.
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import type { Commits } from '../../../../src/actors/engine/commit/commits.ts';
import type { MarketReactions } from '../../../../src/actors/engine/decisions/decisions.ts';
import type { MarketFeed } from '../../../../src/actors/engine/shard/marketFeed.ts';
import { MarketFollower } from '../../../../src/actors/engine/shard/marketFollower.ts';
import type { TradesChange } from '../../../../src/market/domain/feed.ts';
import { LiveMarket } from '../../../../src/market/domain/liveMarket.ts';
import { NEWEST_FORMAT, writeForm } from '../../../../src/shared/domain/formats.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { marketKeys } from '../../../../src/shared/redis/keys.ts';
import { openRedis, type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });

describe('marketFollower: trades that come while the shard may have another owner', () => {
  let store: Store;
  let redis: Redis;
  let follower: MarketFollower;
  let shown: string[];
  let isLeased: boolean;
  let isFull: boolean;
  let timesAskedForRoom: number;

  before(async () => {
    store = await startRedis();
    redis = openRedis(store.url);
  });
  beforeEach(async () => {
    await redis.flushall();
    [shown, isLeased, isFull, timesAskedForRoom] = [[], true, false, 0];
    const nothing = (): void => undefined;
    const draft = {
      get isFull() {
        timesAskedForRoom += 1;
        return isFull;
      },
    };
    const reactions = { runMarket: (change: TradesChange) => shown.push(change.tick), runListings: nothing, runMarks: nothing };
    const feed = { market: new LiveMarket({ maxAgeMs: 60_000 }), add: nothing, remove: nothing } as unknown as MarketFeed;
    const term = {
      get isRunning() {
        return isLeased;
      },
    };
    follower = new MarketFollower({
      ...{ pod: { redis, log, feed }, lease: { term }, opened: { recovered: { tick: '0-0' } }, accounts: { index: { size: 1 } } },
      ...{ commits: { draft } as unknown as Commits, events: { onWork: nothing, onEnd: nothing } },
      decisions: { reactions: { ...reactions, onListings: nothing, onAllMarks: nothing } as unknown as MarketReactions },
    });
    follower.start();
  });
  afterEach(() => follower.stop());
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const published = async (): Promise<TradesChange> => {
    const trade = { side: 'sell', price: '1', size: '1', timeMs: 1, tid: 1 } as const;
    const change = { type: 'trades', coin: 'BTC', trades: [trade] } as const;
    return { ...change, tick: (await redis.xadd(marketKeys.ticks, '*', 'd', writeForm(change, NEWEST_FORMAT))) as string };
  };
  const comes = (change: TradesChange, { leased }: { leased: boolean }): void => {
    isLeased = leased;
    follower.onMarket(change);
  };
  const expectShown = async (...changes: TradesChange[]): Promise<void> => {
    await until(() => follower.isLive && shown.length >= changes.length);
    const ticks = changes.map(({ tick }) => tick);
    expect([shown, follower.tick]).to.deep.equal([ticks, ticks.at(-1)]);
  };

  it('are applied before one that comes when the lease has been renewed and the shard has not had its turn', async () => {
    follower.catchUp();
    await until(() => follower.isLive);
    const [first, second, third] = [await published(), await published(), await published()];
    comes(first, { leased: true });
    comes(second, { leased: false });
    comes(third, { leased: true });
    follower.work();
    await expectShown(first, second, third);
  });

  it('and where those before them are still being read', async () => {
    const first = await published();
    isFull = true;
    follower.catchUp();
    await until(() => timesAskedForRoom > 0);
    const [second, third] = [await published(), await published()];
    comes(second, { leased: false });
    comes(third, { leased: true });
    follower.work();
    isFull = false;
    await expectShown(first, second, third);
    const fourth = await published();
    comes(fourth, { leased: true });
    await expectShown(first, second, third, fourth);
  });
});
