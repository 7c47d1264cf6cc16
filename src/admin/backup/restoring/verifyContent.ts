// Compares all that a restore has written with what the stores have afterwards: documents, journals, and what is beside them.

import { Refused } from '../../../operators/operatorParts.ts';
import { RESTORE_ID } from '../../../shared/deployment/unfinishedRestore.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { BesideJournals } from '../besideJournals.ts';
import { digestOfCollection } from '../collectionCopy.ts';
import type { Manifest } from '../files/manifest.ts';
import { JournalReader } from '../journalReader.ts';
import type { Pace } from '../pace.ts';
import { RowsDigest } from '../rowsDigest.ts';

export interface Written {
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
  for (let shard = 0; shard < shards; shard++) {
    const reader = new JournalReader(redis, shard);
    for (let reachesEnd = false; !reachesEnd; ) {
      const page = await reader.next();
      for (const row of page.rows) found.add(JSON.stringify(row));
      await pace.spend(page.chars);
      ({ reachesEnd } = page);
    }
  }
  return found;
}

function requireEqual(expected: RowsDigest, found: RowsDigest, what: string): void {
  if (found.equals(expected)) return;
  const difference = found.count === expected.count ? 'of another content' : `${found.count}, not ${expected.count}`;
  throw new Refused(`After the restore the rows of ${what} are ${difference}: the store has lost or changed something.`);
}
