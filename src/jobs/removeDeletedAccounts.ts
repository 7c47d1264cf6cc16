// Removes what deleted users leave behind: keys, sessions, endpoints of alerts, history, archive and the snapshots of their closed
// accounts, sub-accounts among them. It does so when no actor has anything left to write for the account, so no row comes back. The audit
// log has its own retention, and invoices stay.
import type { Collection } from 'mongodb';
import type { AccountCommand } from '../actors/core/messages/command.ts';
import { accountAddresses } from '../shared/access/subAccountAddress.ts';
import { AlertDeliveries } from '../shared/alerts/alertDeliveries.ts';
import { AlertEndpoints } from '../shared/alerts/alertEndpoints.ts';
import { removeAccountFolder } from '../shared/archive/archiveFolder.ts';
import { shardOf } from '../shared/domain/shardOf.ts';
import { RetryableError } from '../shared/errors.ts';
import { type DeletedUser, DeletedUsers } from '../shared/mongo/deletedUsers.ts';
import { KeyStore } from '../shared/mongo/keyStore.ts';
import { collections } from '../shared/mongo/mongo.ts';
import { SecondFactorStore } from '../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../shared/mongo/sessionStore.ts';
import { UserStore } from '../shared/mongo/userStore.ts';
import { shardKeys } from '../shared/redis/keys.ts';
import { queueCommands } from '../shared/redis/queueCommands.ts';
import type { JobParts } from './job.ts';

/** Users that one step looks at. */
const USERS_PER_STEP = 50;

/**
 * Removes the data of users who deleted their account before a time. The next run takes a user whose document still exists
 * (the request died before its end) and an account that still has work to do.
 * @returns how many users were removed
 */
export async function removeDeletedAccounts(parts: JobParts, before: Date): Promise<number> {
  const { mongo } = parts;
  const [deleted, users] = [new DeletedUsers(mongo), new UserStore(mongo)];
  const [keys, sessions] = [new KeyStore(mongo), new SessionStore(mongo)];
  let removed = 0;
  for (let after = ''; ; ) {
    const step = await deleted.before(before, { after, limit: USERS_PER_STEP });
    const last = step.at(-1);
    if (last === undefined) return removed;
    after = last._id;
    const left: DeletedUser[] = [];
    for (const user of step) {
      if ((await users.findById(user._id)) === null && (await areAtRest(parts, user))) left.push(user);
    }
    for (const user of left) for (const address of accountAddresses(user)) await removeAccount(parts, address);
    const ids = left.map(({ _id }) => _id);
    await keys.removeAllOf(ids);
    await sessions.removeAllOf(ids);
    await new SecondFactorStore(mongo).removeAllOf(ids);
    await new AlertEndpoints(mongo).removeAllOf(ids);
    await new AlertDeliveries(mongo).removeAllOf(ids);
    await deleted.forget(ids);
    removed += ids.length;
  }
}

async function areAtRest(parts: JobParts, user: DeletedUser): Promise<boolean> {
  let areAll = true;
  for (const address of accountAddresses(user)) if (!(await isAtRest(parts, address))) areAll = false;
  return areAll;
}

/**
 * True when no command waits for the account and MongoDB has all of its rows. An account in which something is open is closed again:
 * a request that came before the deletion may have been done after it.
 */
async function isAtRest({ redis, config, formats, log }: JobParts, accountId: string): Promise<boolean> {
  const shard = shardOf(accountId, config.SHARDS);
  if ((await redis.sismember(shardKeys.pending(shard), accountId)) === 1) return false;
  if ((await redis.sismember(shardKeys.live(shard), accountId)) === 0) return true;
  const commands: readonly AccountCommand[] = [{ type: 'closeAccount' }];
  const queued = { config, accountId, requestId: 'job:retention', commands, format: formats.current };
  await queueCommands(redis, queued).catch((error: unknown) => {
    if (!(error instanceof RetryableError)) throw error;
    log.warn({ reason: error.message }, 'an account of a deleted user is closed later');
  });
  return false;
}

/** The snapshot goes last: an account that has one is not removed whole. */
async function removeAccount({ mongo: { db }, config }: JobParts, accountId: string): Promise<void> {
  const documentsOf = (name: string): Collection<{ _id: string }> => db.collection<{ _id: string }>(name);
  // The ids begin with the account's id and a colon. A semicolon is the character after the colon.
  const own = { _id: { $gt: `${accountId}:`, $lt: `${accountId};` } };
  const { history, excursions, orderEnds, cloids, archive, archiveStates } = collections;
  for (const name of [history, excursions, orderEnds, cloids, archive, archiveStates]) await documentsOf(name).deleteMany(own);
  if (config.ARCHIVE_DIR !== '') await removeAccountFolder(config.ARCHIVE_DIR, accountId);
  await documentsOf(collections.accounts).deleteOne({ _id: accountId });
}
