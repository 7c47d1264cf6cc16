// Keeps history for the days of the owner's plan (specification 2). Once a day the job finds, account by account, the
// bucket documents that are older and commands the account to drop them. The account decides; the history writer
// removes the documents. Rows that explain an open position, order or TWAP stay, however old they are. The job also
// removes all data of deleted users, sessions that are over, and in the end the hashes of addresses that had a trial.

import type { Collection } from 'mongodb';
import type { Account } from '../actors/core/account/account.ts';
import { fromSnapshot } from '../actors/core/account/accountCodec.ts';
import type { RowsDocument, SnapshotDocument } from '../actors/core/history/historyDocuments.ts';
import { neededFromMs } from '../actors/core/lifecycle/accountLife.ts';
import type { AccountCommand } from '../actors/core/messages/command.ts';
import { bucketId, HISTORY_KINDS, type HistoryKind, NO_ROWS, ROWS_PER_BUCKET } from '../actors/core/messages/historyRows.ts';
import { accountAddresses } from '../shared/access/subAccountAddress.ts';
import { removeAccountFolder } from '../shared/archive/archiveFolder.ts';
import type { JobParts, RepeatableJob } from '../shared/deployment/job.ts';
import { plans } from '../shared/domain/plan.ts';
import { shardOf } from '../shared/domain/shards.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/domain/units.ts';
import { RetryableError } from '../shared/errors.ts';
import { type DeletedUser, DeletedUsers } from '../shared/mongo/deletedUsers.ts';
import { KeyStore } from '../shared/mongo/keyStore.ts';
import { collections, type MongoConnection } from '../shared/mongo/mongo.ts';
import { SecondFactorStore } from '../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../shared/mongo/sessionStore.ts';
import { TrialStore } from '../shared/mongo/trialStore.ts';
import { UserStore } from '../shared/mongo/userStore.ts';
import { shardKeys } from '../shared/redis/keys.ts';
import { queueCommands } from '../shared/redis/submitScript.ts';
import { type HistoryOwner, ownersInSteps } from './archiveRetention.ts';

/** How long after its deletion an account's e-mail address gets no other trial. */
const TRIALS_KEPT_DAYS = 1095;
/** Last uses reach MongoDB a minute late, or later while it is away. */
const SESSION_SLACK_MS = DAY_MS;
/** Accounts that one step looks at: their snapshots are some hundred kilobytes. */
const ACCOUNTS_PER_STEP = 50;
/** Documents in one look-up. */
const BUCKETS_PER_LOOKUP = 32;

/** An account with the plan of its user. */
type OwnedAccount = Pick<HistoryOwner, 'address' | 'plan'>;

/** Removes what a feature keeps of users who are deleted. */
export type ForgetUsers = (mongo: MongoConnection, userIds: readonly string[]) => Promise<unknown>;

export const retention = (features: readonly ForgetUsers[]): RepeatableJob => ({
  name: 'retention',
  everyMs: DAY_MS,
  async run(parts, periodMs) {
    const { config, log, redis, mongo, formats } = parts;
    let accounts = 0;
    for await (const owned of accountsOf(mongo)) {
      for (const { account, plan } of await withSnapshots(mongo, owned)) {
        const command = await commandFor(mongo, account, periodMs - plans[plan].historyDays * DAY_MS);
        if (command === undefined) continue;
        const queued = { accountId: account.id, requestId: 'job:retention', commands: [command], format: formats.current };
        await queueCommands(redis, { config, ...queued });
        accounts += 1;
      }
    }
    if (accounts > 0) log.info({ accounts }, 'history that is too old goes');
    const sessions = await removeOverSessions(parts, periodMs);
    if (sessions > 0) log.info({ sessions }, 'sessions that are over are removed');
    const users = await removeDeletedAccounts(parts, { before: new Date(periodMs), features });
    if (users > 0) log.info({ users }, 'what deleted users left behind is removed');
    const trials = await new TrialStore(parts.mongo).forgetDeletedBefore(new Date(periodMs - TRIALS_KEPT_DAYS * DAY_MS));
    if (trials > 0) log.info({ trials }, 'hashes of addresses that had a trial are old enough to go');
  },
});

/** Sessions end by the clock at every node; this removes what is left of them. */
function removeOverSessions({ config, mongo }: JobParts, nowMs: number): Promise<number> {
  return new SessionStore(mongo).removeOver({
    createdBefore: new Date(nowMs - config.SESSION_MAX_HOURS * HOUR_MS),
    usedBefore: new Date(nowMs - config.SESSION_IDLE_MINUTES * MINUTE_MS - SESSION_SLACK_MS),
  });
}

/** The accounts of all users, some at a time. */
async function* accountsOf(mongo: MongoConnection): AsyncGenerator<OwnedAccount[]> {
  for await (const owners of ownersInSteps(mongo, ACCOUNTS_PER_STEP)) {
    const owned = owners.flatMap((owner) => accountAddresses(owner).map((address) => ({ address, plan: owner.plan })));
    for (let i = 0; i < owned.length; i += ACCOUNTS_PER_STEP) yield owned.slice(i, i + ACCOUNTS_PER_STEP);
  }
}

async function withSnapshots(
  { db }: MongoConnection,
  owned: readonly OwnedAccount[],
): Promise<{ account: Account; plan: HistoryOwner['plan'] }[]> {
  const planOf = new Map(owned.map(({ address, plan }) => [address, plan]));
  const snapshots = await db
    .collection<SnapshotDocument>(collections.accounts)
    .find({ _id: { $in: [...planOf.keys()] } })
    .toArray();
  return snapshots.map(({ _id, text }) => ({ account: fromSnapshot(text), plan: planOf.get(_id) ?? 'basic' }));
}

/** @returns undefined when nothing is old enough */
async function commandFor(mongo: MongoConnection, account: Account, limitMs: number): Promise<AccountCommand | undefined> {
  const beforeMs = Math.min(limitMs, neededFromMs(account));
  if (account.openedAtMs >= beforeMs) return undefined;
  const [firstRows, lastSeqs] = [{ ...NO_ROWS }, { ...NO_ROWS, ...account.historyStart.lastSeqs }];
  let { seq } = account.historyStart;
  for (const kind of HISTORY_KINDS) {
    const found = await olderBuckets(mongo, account, { kind, beforeMs });
    firstRows[kind] = found.firstRow;
    lastSeqs[kind] = Math.max(lastSeqs[kind], found.lastSeq);
    // No other kind of row is looked up by sequence number.
    if (kind === 'orders') seq = Math.max(seq, found.lastSeq);
  }
  const isOlder = HISTORY_KINDS.some((kind) => firstRows[kind] > account.historyStart.firstRows[kind]);
  return isOlder ? { type: 'forgetHistory', beforeMs, firstRows, lastSeqs, seq } : undefined;
}

/** The first row to keep, after the full buckets that hold older rows only, and the sequence number that those reach. */
async function olderBuckets(
  { db }: MongoConnection,
  { id, rowCounts, historyStart }: Account,
  { kind, beforeMs }: { kind: HistoryKind; beforeMs: number },
): Promise<{ firstRow: number; lastSeq: number }> {
  const history = db.collection<RowsDocument>(collections.history);
  const end = Math.floor(rowCounts[kind] / ROWS_PER_BUCKET) * ROWS_PER_BUCKET;
  let [firstRow, lastSeq] = [historyStart.firstRows[kind], 0];
  while (firstRow < end) {
    const rows: number[] = [];
    for (let row = firstRow; row < end && rows.length < BUCKETS_PER_LOOKUP; row += ROWS_PER_BUCKET) rows.push(row);
    const ids = rows.map((row) => bucketId(id, kind, row));
    const documents = await history.find({ _id: { $in: ids } }, { projection: { lastTimeMs: 1, lastSeq: 1 } }).toArray();
    const byId = new Map(documents.map((document) => [document._id, document]));
    for (const [index, _id] of ids.entries()) {
      const document = byId.get(_id);
      if (document === undefined || document.lastTimeMs >= beforeMs) return { firstRow, lastSeq };
      firstRow = (rows[index] as number) + ROWS_PER_BUCKET;
      lastSeq = document.lastSeq;
    }
  }
  return { firstRow, lastSeq };
}

/** Users that one step looks at. */
const USERS_PER_STEP = 50;

/**
 * Removes the keys, sessions, second factors, rows of features, history, archive and snapshots of users who deleted their account
 * before a time, sub-accounts among them. It does so when no actor has anything left to write for the account, so no row
 * comes back. The audit log has its own retention, and invoices stay. The next run takes a user whose document still exists
 * (the request died before its end) and an account that still has work to do.
 * @returns how many users were removed
 */
async function removeDeletedAccounts(
  parts: JobParts,
  { before, features }: { before: Date; features: readonly ForgetUsers[] },
): Promise<number> {
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
    for (const forget of features) await forget(mongo, ids);
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
