// What the looks of the alerts are given, and what they read of a user and an account.
import type { AlertEndpointDocument } from '../../shared/alerts/alertEndpoint.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { MarginAccounts } from './marginAccounts.ts';

export interface OutboxParts {
  readonly config: Pick<Config, 'SUBSCRIPTION_GRACE_DAYS'>;
  readonly mongo: MongoConnection;
  readonly log: Logger;
  /** Exchange time: what events are stamped with. */
  readonly now: () => number;
  /** Real time: when something is due. */
  readonly realNow: () => number;
}

/** What a look reads of a user. */
export type Owner = Pick<User, '_id' | 'address' | 'subAccountsMade' | 'trialExpiresAt' | 'subscriptionExpiresAt'>;

export interface WatchParts {
  readonly mongo: MongoConnection;
  readonly redis: Redis;
  /** Marks older than this, ms, judge nothing. */
  readonly marketMaxAgeMs: number;
  /** Exchange time, and the market's. */
  readonly now: () => number;
  readonly marketNow: () => number;
  readonly realNow: () => number;
  readonly accounts: MarginAccounts;
}

/** An account of which an endpoint is told. */
export interface WatchedAccount {
  readonly endpoint: AlertEndpointDocument;
  readonly account: string;
}
