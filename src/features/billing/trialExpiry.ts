// The consequences of an expired trial or subscription. API nodes refuse an expired account by the clock alone. This
// job records the end for the user to read, and closes the user's accounts EXPIRED_ACCOUNT_DAYS later. Until then orders and
// positions are managed like any others, so that a late payment costs nothing.

import type { Collection, Filter } from 'mongodb';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import { accountAddresses } from '../../shared/access/subAccountAddress.ts';
import { graceMsOf, paidUntilOf } from '../../shared/access/subscription.ts';
import { announceUserChange } from '../../shared/access/userChange.ts';
import type { JobParts, RepeatableJob } from '../../shared/deployment/job.ts';
import { expiryOf, subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { RetryableError } from '../../shared/errors.ts';
import { AuditLog } from '../../shared/mongo/auditLog.ts';
import { KeyStore } from '../../shared/mongo/keyStore.ts';
import { collections, durable, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { queueCommands } from '../../shared/redis/submitScript.ts';

const NAME = 'trial-expiry';
const ACTOR = `job:${NAME}`;
/** Users that one step handles at the same time: few enough that logins and history hardly slow down. */
const SLICE = 20;

export const trialExpiry: RepeatableJob = {
  name: NAME,
  everyMs: 15_000,
  async run(parts) {
    const expired = new ExpiredUsers(parts.mongo);
    await expired.ensureIndexes();
    await noteExpired(parts, expired);
    await closeExpired(parts, expired);
  },
};

async function noteExpired({ config, redis, mongo, log, now }: JobParts, expired: ExpiredUsers): Promise<void> {
  const [audit, keys] = [new AuditLog(mongo), new KeyStore(mongo)];
  const graceMs = graceMsOf(config);
  for (;;) {
    const users = await expired.unnoted({ nowMs: now(), graceMs }, SLICE);
    if (users.length === 0) return;
    const note = async (user: User): Promise<void> => {
      const expiredAtMs = expiryOf(paidUntilOf(user, config));
      // The audit row first: it is written once, however often a crash comes before the user's document is changed.
      await audit.write({
        ...{ userId: user._id, actor: ACTOR, address: null, outcome: 'ok', timeMs: expiredAtMs, once: 'expired' },
        action: user.subscriptionExpiresAt === null ? 'trial.expired' : 'subscription.expired',
      });
      // API nodes know the end by the clock, unless an operator has changed it directly in MongoDB.
      const digests = (await keys.listActive(user._id)).map(({ digest }) => digest);
      await announceUserChange(redis, { userId: user._id, digests });
      await expired.note(user, { expiredAt: new Date(expiredAtMs) });
    };
    await Promise.all(users.map(note));
    log.info({ users: users.length }, 'trials and subscriptions have ended');
  }
}

async function closeExpired(parts: JobParts, expired: ExpiredUsers): Promise<void> {
  const { config, log, now } = parts;
  const before = now() - config.EXPIRED_ACCOUNT_DAYS * DAY_MS;
  for (;;) {
    const users = await expired.unclosed(before, SLICE);
    try {
      await Promise.all(users.map((user) => closeAccount(parts, expired, user)));
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.warn({ reason: error.message }, 'expired accounts are closed later');
      return;
    }
    if (users.length < SLICE) return;
  }
}

async function closeAccount(parts: JobParts, expired: ExpiredUsers, user: User): Promise<void> {
  const { config, redis, mongo, formats, now } = parts;
  const until = paidUntilOf(user, config);
  if (subscriptionStateOf(until, now()) !== 'expired') return expired.forget(user);
  const expiredAtMs = expiryOf(until);
  // The document names an earlier end: the user has paid since. The days until the account is closed begin again.
  if (user.expiredAt?.getTime() !== expiredAtMs) return void (await expired.note(user, { expiredAt: new Date(expiredAtMs) }));
  if (!(await expired.isUnchanged(user))) return;
  const commands: readonly AccountCommand[] = [{ type: 'closeAccount' }];
  for (const accountId of accountAddresses(user)) {
    await queueCommands(redis, { config, accountId, requestId: ACTOR, commands, format: formats.current });
  }
  await new AuditLog(mongo).write({
    ...{ userId: user._id, action: 'account.closed', actor: ACTOR, address: null, outcome: 'ok' },
    ...{ timeMs: expiredAtMs + config.EXPIRED_ACCOUNT_DAYS * DAY_MS, once: 'closed' },
  });
  await expired.note(user, { closedAt: new Date(now()) });
}

/**
 * Finds the users whose right to trade has ended. Each change is guarded by the values that were read before it, so a payment
 * that arrives at the same moment wins.
 */
class ExpiredUsers {
  readonly #users: Collection<User>;

  constructor(mongo: MongoConnection) {
    this.#users = mongo.db.collection<User>(collections.users, durable);
  }

  async ensureIndexes(): Promise<void> {
    await this.#users.createIndex({ expiredAt: 1, subscriptionExpiresAt: 1, trialExpiresAt: 1 });
    await this.#users.createIndex({ closedAt: 1, expiredAt: 1 });
  }

  /** Users whose trial and grace are over and whose document does not say so yet. */
  async unnoted({ nowMs, graceMs }: { nowMs: number; graceMs: number }, limit: number): Promise<User[]> {
    const trialIsOver = { expiredAt: { $exists: false }, trialExpiresAt: { $lte: new Date(nowMs) } };
    const neverPaid = await this.#users
      .find({ ...trialIsOver, subscriptionExpiresAt: null })
      .limit(limit)
      .toArray();
    const paidOnce = await this.#users
      .find({ ...trialIsOver, subscriptionExpiresAt: { $lte: new Date(nowMs - graceMs) } })
      .limit(limit)
      .toArray();
    return [...neverPaid, ...paidOnce];
  }

  /** Users whose document says that they expired at or before a time, and whose account is not closed. */
  unclosed(expiredAtMs: number, limit: number): Promise<User[]> {
    return this.#users
      .find({ expiredAt: { $lte: new Date(expiredAtMs) }, closedAt: { $exists: false } })
      .limit(limit)
      .toArray();
  }

  /** @returns false when the user has paid, or changed in another way, since */
  async note(user: User, fields: Pick<User, 'expiredAt' | 'closedAt'>): Promise<boolean> {
    const { matchedCount } = await this.#users.updateOne(asRead(user), { $set: fields });
    return matchedCount === 1;
  }

  /** Clears both times: the user has paid, or an operator granted time. */
  async forget(user: User): Promise<void> {
    await this.#users.updateOne(asRead(user), { $unset: { expiredAt: '', closedAt: '' } });
  }

  /** The filter that matches while the user is as it was read. */
  async isUnchanged(user: User): Promise<boolean> {
    return (await this.#users.findOne(asRead(user), { projection: { _id: 1 } })) !== null;
  }
}

const asRead = ({ _id, trialExpiresAt, subscriptionExpiresAt }: User): Filter<User> => ({
  _id,
  trialExpiresAt,
  subscriptionExpiresAt,
});
