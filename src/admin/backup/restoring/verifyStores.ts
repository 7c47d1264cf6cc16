// Compares what is in the stores after a restore with what the backup says: the state of every account, made from the stores as its
// next owner makes it.
import { join } from 'node:path';
import { mustStayInMemory } from '../../../actors/core/mustStayInMemory.ts';
import { shardOf } from '../../../shared/domain/shards.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Entries, isIn, type Part, partsOf, requireSame, type Snapshot, type StateRow } from '../accountStates.ts';
import { readRows } from '../files/dataFiles.ts';
import { type Manifest, STATES_FILE } from '../files/manifest.ts';
import { JournalReader } from '../journalReader.ts';
import type { Pace } from '../pace.ts';

/** Accounts looked at together: some megabytes of snapshots. */
const ACCOUNTS_AT_ONCE = 200;

interface Verification {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly pace: Pace;
}

/** Also names the accounts that their owner has to keep in memory. @throws {Refused} for the first that is not as it was */
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
    const reader = new JournalReader(redis, shard);
    for (let reachesEnd = false; !reachesEnd; ) {
      const page = await reader.next();
      for (const row of page.rows) entries.addCommit(row);
      await pace.spend(page.chars);
      ({ reachesEnd } = page);
    }
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
    .collection<Snapshot>(collections.accounts)
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
