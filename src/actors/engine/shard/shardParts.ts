// The parts that a pod gives to each of its shards, in either state of the shard.

import type { Config } from '../../../shared/config/config.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { Tracing } from '../../../shared/tracing/tracing.ts';
import type { Rules } from '../../core/rules.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { CommitCalls } from '../commit/commitCalls.ts';
import type { Wakeups } from '../commit/mailbox.ts';
import type { ArchiveParts } from '../journal/archiver.ts';
import type { PodTurns } from '../turns/workSchedule.ts';
import type { MarketFeed } from './marketFeed.ts';

export interface ShardParts {
  readonly config: Config;
  readonly log: Logger;
  readonly redis: Redis;
  readonly commitCalls: CommitCalls;
  readonly wakeups: Wakeups;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  readonly feed: MarketFeed;
  readonly rules: Rules;
  readonly metrics: ActorMetrics;
  readonly archive: ArchiveParts;
  readonly tracing: Tracing;
  /** Exchange time, ms since the epoch. */
  readonly now: () => number;
  /** Real time, ms since the epoch: deadlines of commands, ages of journal entries. */
  readonly realNow: () => number;
  readonly turns: PodTurns;
}
