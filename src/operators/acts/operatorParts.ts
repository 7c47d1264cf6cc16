// What operators' acts need and how they refuse. The acts themselves are in the folders beside this file: each is one function, which a
// command (`bin/admin`) and an endpoint (`/v1/admin`) share. They know the stores and the pure rules, and no process.
import type { Billing } from '../../shared/billing/billing.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Redis } from '../../shared/redis/redis.ts';

export interface OperatorParts {
  readonly billing: Billing;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
}

/** The arguments are wrong; nothing was done. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The arguments are right and it cannot be done; nothing was done. */
export class Refused extends Error {
  override name = 'Refused';
}

/** What is asked for is not there (any more). */
export class Unknown extends Refused {
  override name = 'Unknown';
}
