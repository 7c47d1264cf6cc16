// Compares all that a restore has written with what the stores have afterwards: documents, journals, and what is beside them.

import { join } from 'node:path';
import { mustStayInMemory } from '../../actors/core/mustStayInMemory.ts';
import { RESTORE_ID } from '../../shared/deployment/deploymentRecord.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { Refused } from '../acts/operatorParts.ts';
import { Entries, isIn, type Part, partsOf, requireSame, type SnapshotText, type StateRow } from './accountStates.ts';
import { readRows } from './backupFiles.ts';
import { BesideJournals } from './besideJournals.ts';
import { digestOfCollection, RowsDigest } from './collectionCopy.ts';
import { JournalReader } from './journalCopy.ts';
import { type Manifest, STATES_FILE } from './manifest.ts';
import type { Pace } from './pace.ts';

interface Written {
  readonly collections: ReadonlyMap<string, RowsDigest>;
  readonly journals: RowsDigest;
  readonly beside: RowsDigest;
}

interface Stores {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly manifest: Pick<Manifest, 'shards'>;
  readonly pace: Pace;
}

/** @throws {Refused} for the first that is not as it was written */
export async function verifyContent({ redis, mongo, manifest: { shards }, pace }: Stores, written: Written): Promise<void> {
  for (const [name, expected] of written.collections) {
    const skips = ({ _id }: { _id?: unknown }): boolean => name === collections.settings && _id === RESTORE_ID;
    requireEqual(expected, await digestOfCollection(mongo, name, { pace, skips }), `MongoDB’s collection ${name}`);
  }
  requireEqual(written.journals, await journalsIn(redis, shards, pace), 'the journals in Redis');
  const beside = new RowsDigest();
  for await (const row of new BesideJournals(redis).rows(shards)) beside.add(JSON.stringify(row));
  requireEqual(written.beside, beside, 'what Redis has beside the journals');
}

async function journalsIn(redis: Redis, shards: number, pace: Pace): Promise<RowsDigest> {
  const found = new RowsDigest();
  for (let shard = 0; shard < shards; shard++)
    for await (const row of new JournalReader(redis, shard).rows(pace)) found.add(JSON.stringify(row));
  return found;
}

function requireEqual(expected: RowsDigest, found: RowsDigest, what: string): void {
  if (found.equals(expected)) return;
  const difference = found.count === expected.count ? 'of another content' : `${found.count}, not ${expected.count}`;
  throw new Refused(`After the restore the rows of ${what} are ${difference}: the store has lost or changed something.`);
}

/** Accounts looked at together: some megabytes of snapshots. */
const ACCOUNTS_AT_ONCE = 200;

interface Verification extends Stores {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Compares the state of every account, made from the stores as its next owner makes it, with what the backup says. Also names the accounts
 * that their owner has to keep in memory.
 * @throws {Refused} for the first that is not as it was
 */
export async function verifyStores(verification: Verification): Promise<void> {
  const { manifest, folder } = verification;
  for (const part of partsOf(manifest)) {
    const entries = await entriesInRedis(verification, part);
    let rows: StateRow[] = [];
    for await (const text of readRows(join(folder, STATES_FILE))) {
      const row: StateRow = JSON.parse(text);
      if (!isIn(part, row.account)) continue;
      rows.push(row);
      if (rows.length < ACCOUNTS_AT_ONCE) continue;
      await verifyAccounts(verification, entries, rows);
      rows = [];
    }
    await verifyAccounts(verification, entries, rows);
  }
}

async function entriesInRedis({ redis, manifest: { shards, formats }, pace }: Verification, part: Part): Promise<Entries> {
  const entries = new Entries(part, formats);
  for (let shard = 0; shard < shards; shard++) {
    for await (const row of new JournalReader(redis, shard).rows(pace)) entries.addCommit(row);
    for (const account of await redis.hkeys(shardKeys.setAside(shard))) {
      const list = await redis.lrange(shardKeys.entriesSetAside(shard, account), 0, -1);
      for (const entry of list) entries.addSetAside(account, entry);
    }
  }
  return entries;
}

async function verifyAccounts(
  { redis, mongo, manifest, pace }: Verification,
  entries: Entries,
  rows: readonly StateRow[],
): Promise<void> {
  const ids = rows.map(({ account }) => account);
  const found = await mongo.db
    .collection<SnapshotText>(collections.accounts)
    .find({ _id: { $in: ids } })
    .toArray();
  const snapshots = new Map(found.map((snapshot) => [snapshot._id, snapshot]));
  for (const expected of rows) {
    const snapshot = snapshots.get(expected.account);
    const { row, state } = entries.stateOf(expected.account, snapshot);
    requireSame(expected, row, { backup: manifest, where: 'in the restored stores' });
    if (state !== undefined && mustStayInMemory(state)) {
      await redis.sadd(shardKeys.live(shardOf(expected.account, manifest.shards)), expected.account);
    }
    await pace.spend(snapshot?.text.length ?? 0);
  }
}
