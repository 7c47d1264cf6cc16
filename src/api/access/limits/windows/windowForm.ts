// How requests are counted in Redis: what one call asks and is told.
import type { Redis } from '../../../../shared/redis/redis.ts';
import type { Charge } from '../charge.ts';
import type { InAdvance } from './prefetchedQuota.ts';

/** Like requests of one turn of the event loop. */
export interface Asked {
  readonly charges: readonly Charge[];
  readonly requests: number;
  /** They count whatever the limit. */
  readonly isForced: boolean;
  /** For each charge. */
  readonly inAdvance: readonly InAdvance[];
}

export interface Told {
  /** Requests that were granted. */
  readonly granted: number;
  /** Of each charge. */
  readonly windows: readonly {
    /** With what is granted in advance. */
    readonly used: number;
    /** Until the oldest of it leaves, ms; where it refused a request, until there is room for one. */
    readonly leavesInMs: number;
    readonly advance: number;
  }[];
  /** Number of the sub-window in which the advances count. */
  readonly bucket: number;
}

export interface WindowSizes {
  readonly windowMs: number;
  /** Width of a sub-window, ms. */
  readonly bucketMs: number;
  /** How long units may be used that were granted in advance, ms. */
  readonly holdMs: number;
  /** How far exchange time is ahead of Redis's, ms; absent = not at all. */
  readonly aheadMs?: number;
}

/** Counts in one script call. @throws ReplyError, or the connection's error when the outcome is unknown */
export type CountWindows = (redis: Redis, sizes: WindowSizes, asked: readonly Asked[]) => Promise<readonly Told[]>;
