// Puts journals and heads of shards back into Redis, and makes the numbers with which they go on: beyond all that were given out
// after the cut, by the deployment that was lost or by one that was restored from the same backup before.
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { readRows } from './backupFiles.ts';
import { RowsDigest } from './collectionCopy.ts';
import { charsOf, commitOf, type JournalRow } from './journalCopy.ts';
import { JOURNAL_FILE, type Manifest, type ShardCut } from './manifest.ts';
import type { Pace } from './pace.ts';

/** Text of commits that are on their way to Redis together. */
const CHARS_AT_ONCE = 256 * 1024;
/** Takes of a shard after the cut, at most. */
const EPOCHS_SKIPPED = 1_000_000;
/** Ids that a shard gives out after the cut, at most: so many, and so many a second. A thousand takes skip a milliard. */
const IDS_SKIPPED = 1_000_000_000;
const IDS_PER_SECOND = 20_000;

/** The numbers with which a shard goes on. */
export interface Beyond {
  readonly epoch: number;
  readonly idCounter: number;
}

/**
 * An owner of before the restore, or of an earlier restore, has a lower epoch: it can neither renew its lease nor move the shard's
 * position. An id is given twice only where a shard gave out more than `IDS_PER_SECOND` since the cut.
 * @param nowMs of the restore
 */
export function beyond({ epoch, idCounter, atMs }: ShardCut, { cutMs }: Pick<Manifest, 'cutMs'>, nowMs: number): Beyond {
  const seconds = Math.ceil(Math.max(0, nowMs - Math.min(cutMs, atMs || cutMs)) / 1000);
  return {
    // A shard is taken less than once a second, so a later restore has a higher one.
    epoch: Math.max(epoch + EPOCHS_SKIPPED, Math.floor(nowMs / 1000)),
    idCounter: idCounter + IDS_SKIPPED + seconds * IDS_PER_SECOND,
  };
}

/** A shard's position in MongoDB, which no owner of before can move any more. */
export function movedPosition(position: Document, beyondOf: readonly Beyond[]): Document {
  const { epoch } = beyondOf[Number(position['_id'])] as Beyond;
  return { ...position, owner: 'restore', epoch, version: Number(position['version']) + 1 };
}

/** @returns the commits that the journals have now */
export async function putShards(
  redis: Redis,
  { folder, cuts, beyondOf, pace }: { folder: string; cuts: readonly ShardCut[]; beyondOf: readonly Beyond[]; pace: Pace },
): Promise<RowsDigest> {
  const { ends, put } = await putJournals(redis, folder, pace);
  for (const { shard, commit, tick, atMs, end } of cuts) {
    const { epoch, idCounter } = beyondOf[shard] as Beyond;
    // The journal has had commits that were cut: it says so by an entry that is gone.
    if (end > (ends.get(shard) ?? 0)) {
      await redis.xadd(shardKeys.journal(shard), `${end}-0`, 'settled', '1');
      await redis.xdel(shardKeys.journal(shard), `${end}-0`);
    }
    // The last owner counts as one that went in order: no command was on its way.
    await redis.hset(shardKeys.head(shard), { n: commit, epoch, ids: idCounter, tick, atMs, clean: 1 });
  }
  return put;
}

/** @returns number of the last commit of each shard that has some, and all of them */
async function putJournals(redis: Redis, folder: string, pace: Pace): Promise<{ ends: Map<number, number>; put: RowsDigest }> {
  const ends = new Map<number, number>();
  const put = new RowsDigest();
  let sent: Promise<unknown>[] = [];
  let chars = 0;
  for await (const text of readRows(join(folder, JOURNAL_FILE))) {
    const row: JournalRow = JSON.parse(text);
    put.add(text);
    sent.push(redis.xadd(shardKeys.journal(row.shard), row.id, ...row.fields));
    ends.set(row.shard, commitOf(row.id));
    chars += charsOf(row);
    if (chars < CHARS_AT_ONCE) continue;
    await Promise.all(sent);
    await pace.spend(chars);
    [sent, chars] = [[], 0];
  }
  await Promise.all(sent);
  return { ends, put };
}
