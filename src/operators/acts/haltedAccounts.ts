// Which accounts are halted, and why: those in quarantine, and those that their owners could not load, by Redis and by the
// heartbeats of the owners.

import { setTimeout as pause } from 'node:timers/promises';
import { type Account, emptyAccount } from '../../actors/core/account/account.ts';
import { fromSnapshot } from '../../actors/core/account/accountCodec.ts';
import type { LastGoodState } from '../../actors/core/fold/foldAccount.ts';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { readEntry } from '../../actors/core/messages/entry.ts';
import type { PodStatus } from '../../actors/core/messages/podStatus.ts';
import {
  readNotLoaded,
  readQuarantineRecord,
  readSetAsideLine,
  type SetAside,
  type Wish,
  writeWish,
} from '../../actors/core/messages/quarantineRecord.ts';
import { lastGoodState } from '../../features/rules.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { type OperatorParts, Refused } from './operatorParts.ts';
import { sendToAccount } from './sendToAccount.ts';
import { entriesInRedis, readOwners } from './shardReads.ts';

export interface HaltedAccount {
  readonly accountId: string;
  readonly shard: number;
  readonly reason: string;
  /** When it was halted; undefined when that is not known. */
  readonly sinceMs: number | undefined;
  /** Its newest entry when it was halted; undefined when that is not known. */
  readonly seq: number | undefined;
  /** Entries that were set aside; undefined = none. */
  readonly setAside: SetAside | undefined;
}

type Parts = Pick<OperatorParts, 'redis' | 'billing'>;

export async function haltedAccounts(parts: Parts): Promise<HaltedAccount[]> {
  const { leases, owners } = await readOwners(parts);
  const found = await Promise.all(leases.map((lease, shard) => haltedIn(parts, shard, owners[shard], lease)));
  return found.flat();
}

/** A halted account in a list. */
export const toHaltedRow = ({ accountId, shard, reason, sinceMs, seq, setAside }: HaltedAccount) => ({
  ...{ account: accountId, shard, reason, since: sinceMs === undefined ? null : new Date(sinceMs).toISOString() },
  ...{ last_seq: seq ?? null, set_aside_bytes: setAside?.bytes ?? 0 },
});

async function haltedIn(
  { redis }: Parts,
  shard: number,
  owner: PodStatus | undefined,
  lease: string | null,
): Promise<HaltedAccount[]> {
  const [notLoaded, records, index] = await Promise.all([
    redis.hgetall(shardKeys.notLoaded(shard)),
    redis.hgetall(shardKeys.quarantine(shard)),
    redis.hgetall(shardKeys.setAside(shard)),
  ]);
  const told = { ...owner?.shards.find((one) => one.shard === shard)?.haltedFor, ...readNotLoaded(notLoaded, lease) };
  return [...new Set([...Object.keys(records), ...Object.keys(told)])].map((accountId) => {
    const { [accountId]: text } = records;
    const { [accountId]: line } = index;
    const record = text === undefined ? undefined : readQuarantineRecord(text);
    const setAside = line === undefined ? undefined : readSetAsideLine(line);
    // What the owner says is newer: a lift that failed.
    return {
      accountId,
      shard,
      reason: told[accountId] ?? record?.reason ?? '',
      sinceMs: record?.atMs,
      seq: record?.seq,
      setAside,
    };
  });
}

export interface FoldedFromStores {
  /** Newest entry that MongoDB's snapshot has; 0 = no snapshot. */
  readonly snapshotSeq: number;
  /** Undefined when the snapshot itself cannot be read. */
  readonly lastGood: LastGoodState | undefined;
}

/**
 * Folds a halted account as an owner of this build would, from what both stores have: an operator sees beforehand what a lift brings back and
 * what a drop gives up.
 */
export async function foldFromStores(
  parts: Pick<OperatorParts, 'redis' | 'mongo'>,
  account: Pick<HaltedAccount, 'accountId' | 'shard'>,
): Promise<FoldedFromStores> {
  const { accountId } = account;
  const snapshot = await parts.mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: accountId });
  const entries = (await entriesInRedis(parts, account)).map(({ text }) => readEntry(text));
  const snapshotSeq = snapshot?.seq ?? 0;
  try {
    const base = (): Account => (snapshot ? fromSnapshot(snapshot.text) : emptyAccount(accountId));
    return { snapshotSeq, lastGood: lastGoodState(base, entries) };
  } catch {
    return { snapshotSeq, lastGood: undefined }; // the report says that the snapshot cannot be read
  }
}

/** An owner looks for wishes once a second; a take of its shard comes in between at worst. */
const TAKEN_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 250;
/** How often the account is asked before it counts as halted still: reading it takes a moment. */
const QUESTIONS_MAX = 10;
const ASK_EVERY_MS = 1000;

/**
 * Asks the owner of an account to bring it back as an operator wants it, and finds out by a question whether it is alive. Resolves when the
 * account answers.
 * @throws {Refused} when no owner takes the wish up, or the account stays halted
 */
export async function endHalt(
  parts: OperatorParts,
  { accountId, shard }: Pick<HaltedAccount, 'accountId' | 'shard'>,
  wish: Wish,
): Promise<true> {
  const { redis } = parts;
  const key = shardKeys.wishes(shard);
  await redis.hset(key, accountId, writeWish(wish));
  for (let waitedMs = 0; (await redis.hexists(key, accountId)) === 1; waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= TAKEN_WITHIN_MS) {
      await redis.hdel(key, accountId);
      throw new Refused(`No owner of shard ${shard} took it up: does a pod of this build run? Nothing was done.`);
    }
    await pause(LOOK_EVERY_MS);
  }
  for (let questions = 0; questions < QUESTIONS_MAX; questions++) {
    const { reply } = await sendToAccount(parts, accountId, { type: 'query', query: { kind: 'accountState' } });
    if (reply !== undefined && 'outcome' in reply) return true;
    await pause(ASK_EVERY_MS);
  }
  const still = (await haltedAccounts(parts)).find((one) => one.accountId === accountId);
  throw new Refused(`It is halted still: ${still?.reason ?? 'it does not answer'}`);
}
