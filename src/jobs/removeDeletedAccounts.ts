// Removes what deleted users leave behind: keys, sessions, history, archive and the snapshots of their closed accounts. It does so when
// no actor has anything left to write for the account, so no row comes back. The audit log has its own retention, and
// invoices stay.
import type { Collection } from 'mongodb';
import { removeAccountFolder } from '../shared/archive/archiveFolder.ts';
import { shardOf } from '../shared/domain/shardOf.ts';
import { type DeletedUser, DeletedUsers } from '../shared/mongo/deletedUsers.ts';
import { KeyStore } from '../shared/mongo/keyStore.ts';
import { collections } from '../shared/mongo/mongo.ts';
import { SecondFactorStore } from '../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../shared/mongo/sessionStore.ts';
import { UserStore } from '../shared/mongo/userStore.ts';
import { shardKeys } from '../shared/redis/keys.ts';
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
      if ((await users.findById(user._id)) === null && (await isAtRest(parts, user.address))) left.push(user);
    }
    for (const { address } of left) await removeAccount(parts, address);
    const ids = left.map(({ _id }) => _id);
    await keys.removeAllOf(ids);
    await sessions.removeAllOf(ids);
    await new SecondFactorStore(mongo).removeAllOf(ids);
    await deleted.forget(ids);
    removed += ids.length;
  }
}

/** True when no command waits for the account and MongoDB has all of its rows. */
async function isAtRest({ redis, config }: JobParts, accountId: string): Promise<boolean> {
  const shard = shardOf(accountId, config.SHARDS);
  const isPending = await redis.sismember(shardKeys.pending(shard), accountId);
  return isPending === 0 && (await redis.sismember(shardKeys.live(shard), accountId)) === 0;
}

/** The snapshot goes last: an account that has one is not removed whole. */
async function removeAccount({ mongo: { db }, config }: JobParts, accountId: string): Promise<void> {
  const documentsOf = (name: string): Collection<{ _id: string }> => db.collection<{ _id: string }>(name);
  // The ids begin with the account's id and a colon. A semicolon is the character after the colon.
  const own = { _id: { $gt: `${accountId}:`, $lt: `${accountId};` } };
  const { history, orderEnds, cloids, archive, archiveStates } = collections;
  for (const name of [history, orderEnds, cloids, archive, archiveStates]) await documentsOf(name).deleteMany(own);
  if (config.ARCHIVE_DIR !== '') await removeAccountFolder(config.ARCHIVE_DIR, accountId);
  await documentsOf(collections.accounts).deleteOne({ _id: accountId });
}
