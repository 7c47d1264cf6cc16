// Puts the parts together that advance exchange time. BullMQ's code is loaded only where CONTROL is on.
import type { MarketChange, TradesChange } from '../../../market/domain/feed.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { RoleParts } from '../../../shared/deployment/role.ts';
import type { FeedFollower } from '../../../shared/redis/feedFollower.ts';
import { Advances } from './advances.ts';
import { DueJobs } from './dueJobs.ts';

type Parts = Pick<RoleParts, 'config' | 'redis' | 'mongo' | 'subscriberFactory' | 'realNow' | 'clock'> & {
  readonly market: LiveMarket;
  readonly follower: Pick<FeedFollower<MarketChange, TradesChange>, 'position'>;
};

/** The caller stops it. */
export async function createAdvances(parts: Parts): Promise<Advances & { stop(): Promise<void> }> {
  const { config, redis, mongo, subscriberFactory, realNow, market, follower } = parts;
  const { openJobQueue } = await import('../../../shared/redis/jobQueue.ts');
  const connection = subscriberFactory('control');
  const queue = openJobQueue(connection);
  const coins = (): string[] => (market.rawMeta?.universe ?? []).map(({ name }) => name);
  const jobs = new DueJobs({ redis, queue, config, realNow, coins });
  const clock = parts.clock ?? { offsets: { offsetMs: 0, marketMs: 0 } };
  const advances = new Advances({ redis, mongo, clock, realNow, config, market, position: () => follower.position, jobs });
  const stop = async (): Promise<void> => {
    await queue.close();
    connection.disconnect();
  };
  return Object.assign(advances, { stop });
}
