// Copies MongoDB's collections into the backup and back, a document a line in the driver's Extended JSON.

import { createHash } from 'node:crypto';
import { BSON, type Collection, type Document } from 'mongodb';
import { collections, duplicatesIn, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { DataFileWriter, type FileFacts, readRows } from './backupFiles.ts';
import type { Pace } from './pace.ts';

type CollectionName = (typeof collections)[keyof typeof collections];

/** Documents that MongoDB hands over at once: some megabytes of the longest. */
const DOCUMENTS_AT_ONCE = 50;
/** Text of documents that are inserted together. */
const CHARS_PER_INSERT = 1024 * 1024;

/**
 * What is read before all others: positions say up to where rows are stored for certain, so rows are read after them. Entries are
 * archived after their rows are written, so the archive is read before the rows: none that it gives is missing. Then what is
 * intended before what comes of it: an invoice that is paid for a second time changes nothing, one that was never paid does. What alerts
 * have reached is read before the accounts: none of their entries is skipped.
 */
const FIRST: readonly CollectionName[] = [
  ...(['shards', 'archive', 'archiveStates'] as const),
  'alertEndpoints',
  ...(['discounts', 'testPayments', 'paymentEvents', 'invoices'] as const),
];
/** Read last: who is deleted meanwhile is in both, never in neither. */
const LAST: readonly CollectionName[] = ['users', 'deletedUsers'];

/** Belongs to processes that live: in no backup. */
const LEFT_OUT: readonly CollectionName[] = ['leases'];

/** Every collection that a backup has, in the order in which they are read. */
export const READ_IN_ORDER: readonly CollectionName[] = [
  ...FIRST,
  ...Object.values(collections).filter((name) => ![...FIRST, ...LAST, ...LEFT_OUT].includes(name)),
  ...LAST,
];

/**
 * @param options.skips true for a document that is no part of the deployment's data
 * @param options.between is called between documents
 */
export async function copyCollection(
  mongo: MongoConnection,
  name: CollectionName,
  options: { path: string; pace: Pace; skips: (document: Document) => boolean; between: () => Promise<void> },
): Promise<FileFacts> {
  const { path, pace, skips, between } = options;
  const file = new DataFileWriter(path);
  const cursor = mongo.db.collection(name).find({}, { batchSize: DOCUMENTS_AT_ONCE });
  for await (const document of cursor) {
    if (skips(document)) continue;
    const row = BSON.EJSON.stringify(document);
    await file.write(row);
    await pace.spend(row.length);
    await between();
  }
  return file.close();
}

/**
 * Fills a collection that is empty.
 * @param options.change what becomes of a document on its way
 * @returns the documents in it now: one that was removed and made anew while it was read is there once, as it was later
 */
export async function fillCollection(
  mongo: MongoConnection,
  name: string,
  { path, pace, change }: { path: string; pace: Pace; change: (document: Document) => Document },
): Promise<RowsDigest> {
  const collection = mongo.db.collection(name);
  const filled = new RowsDigest();
  let documents: Document[] = [];
  let chars = 0;
  const insert = async (): Promise<void> => {
    if (documents.length > 0) await insertAll(collection, documents, filled);
    await pace.spend(chars);
    [documents, chars] = [[], 0];
  };
  for await (const row of readRows(path)) {
    const document = change(BSON.EJSON.parse(row));
    filled.add(BSON.EJSON.stringify(document));
    documents.push(document);
    chars += row.length;
    if (chars >= CHARS_PER_INSERT) await insert();
  }
  await insert();
  return filled;
}

/** @param filled what the file has given so far: replaced documents are taken out of it */
async function insertAll(collection: Collection, documents: readonly Document[], filled: RowsDigest): Promise<void> {
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    for (const index of duplicatesIn(error)) {
      const { _id, ...fields } = documents[index] as Document;
      const earlier = await collection.findOneAndReplace({ _id }, fields);
      if (earlier !== null) filled.remove(BSON.EJSON.stringify(earlier));
    }
  }
}

/** What a collection has. @param options.skips as in `copyCollection` */
export async function digestOfCollection(
  mongo: MongoConnection,
  name: string,
  { pace, skips }: { pace: Pace; skips: (document: Document) => boolean },
): Promise<RowsDigest> {
  const found = new RowsDigest();
  for await (const document of mongo.db.collection(name).find({}, { batchSize: DOCUMENTS_AT_ONCE })) {
    if (skips(document)) continue;
    const row = BSON.EJSON.stringify(document);
    found.add(row);
    await pace.spend(row.length);
  }
  return found;
}

const BITS = 256;

/**
 * Tells whether two places have the same rows, in whatever order: a store gives them in another order than the file has them.
 * It is a sum of SHA-256 hashes: enough against damage, which is what it is for, in the memory of one number.
 */
export class RowsDigest {
  #sum = 0n;
  #count = 0;

  /** Rows in it. */
  get count(): number {
    return this.#count;
  }

  add(row: string): void {
    this.#sum = BigInt.asUintN(BITS, this.#sum + numberOf(row));
    this.#count += 1;
  }

  /** Takes a row out that was added. */
  remove(row: string): void {
    this.#sum = BigInt.asUintN(BITS, this.#sum - numberOf(row));
    this.#count -= 1;
  }

  equals(other: RowsDigest): boolean {
    return this.#sum === other.#sum && this.#count === other.#count;
  }
}

const numberOf = (row: string): bigint => BigInt(`0x${createHash('sha256').update(row).digest('hex')}`);
