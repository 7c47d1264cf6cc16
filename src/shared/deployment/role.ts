// The parts that the composition root gives to every role, and what a role gives back. A role opens no connection of
// its own except through `subscriberFactory`.
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { FormatSource } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import type { WhyNotReady } from '../metrics/readiness.ts';
import type { MongoConnection } from '../mongo/mongo.ts';
import type { MarketPosition } from '../redis/feedFollower.ts';
import type { Redis } from '../redis/redis.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { ExchangeClock } from './exchangeClock.ts';

export interface RoleParts {
  readonly config: Config;
  readonly log: Logger;
  /** For commands; shared by the whole process. */
  readonly redis: Redis;
  /** Opens a connection of the caller's own, to subscribe or to block on, or one that `sendsAtOnce`. The caller closes it. */
  readonly subscriberFactory: (name?: string, options?: { readonly sendsAtOnce?: boolean }) => Redis;
  readonly mongo: MongoConnection;
  /** Exchange time, ms since the epoch: the time that users see (src/shared/deployment/exchangeClock.ts). */
  readonly now: () => number;
  /** Real time by Redis's clock, ms since the epoch: deadlines of commands, ages of what stores hold. */
  readonly realNow: () => number;
  /** Says when exchange time is set ahead. Absent: it never is. */
  readonly clock?: Pick<ExchangeClock, 'offsets' | 'onShift' | 'marketNow'>;
  /** Which generation of stored forms may be written; asked at each write. */
  readonly formats: FormatSource;
  /** Metrics of the process, shown at /metrics. */
  readonly registry: Registry;
  readonly tracing: Tracing;
}

/** What a role is about once it has done what was due. */
export interface SettledRole {
  /** The shards that it owns and that work. */
  readonly shards: readonly number[];
  /** When the next thing of its accounts is due, exchange time in ms. */
  readonly nextDueMs: number | undefined;
}

/** A part that lives until it is stopped. */
export interface Closing {
  /** Finishes work in flight and releases everything; resolves when nothing of the role runs any more. */
  stop(): Promise<void>;
}

export interface Role extends Closing {
  /** Why it has not taken up its work, for /ready; none = it has. */
  readonly whyNotReady: WhyNotReady;
  /** Gives what it owns to other processes that take it, while it runs on; resolves when it owns nothing. Absent: it owns nothing. */
  leave?(): Promise<void>;
  /** Resolves when it has done all that is due and has the market's changes up to a message. Absent: it holds nothing that becomes due. */
  settled?(seen: MarketPosition | undefined): Promise<SettledRole>;
}
