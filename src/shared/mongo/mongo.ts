// The connection to MongoDB, without transactions: every write is idempotent by its `_id` or guarded by a sequence number, and the
// loops that own the writes repeat them. At a replica set the driver itself sends a write once more, under its number, when the
// primary moves or the answer is lost. The set knows the number and does the write once.
import {
  type AnyBulkWriteOperation,
  type Collection,
  type CollectionOptions,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { waitAtMost } from '../waiting.ts';

/** Pause before a connection that was refused is opened anew, ms. */
const RECONNECT_MS = 500;
/** How often the server is asked whether it is there, and how long that may take, ms: then its connections are dead. */
const HEARTBEAT_MS = 2000;
const HEARTBEAT_ANSWER_MS = 8000;
/** Longest that one operation may take, ms. It ends the wait on a single connection that has died while the others live. */
const OPERATION_MS_MAX = 30_000;
/** A connection that was idle for so long is closed, ms: something on the way may have forgotten it. */
const IDLE_MS_MAX = 60_000;
/** A close does not wait for a dead connection longer than this, ms. */
const CLOSE_MS_MAX = 2000;

export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/**
 * Connects lazily: the first operation opens the connection and fails after `timeoutMs` when MongoDB is away.
 * @throws Error with a sentence that says what is wrong with the address, without the password
 */
export function connectMongo(options: { url: string; database: string; timeoutMs: number }): MongoConnection {
  const client = clientOf(options.url, {
    serverSelectionTimeoutMS: options.timeoutMs,
    connectTimeoutMS: Math.max(options.timeoutMs, HEARTBEAT_ANSWER_MS),
    // A server that says nothing is asked again and again; when it does not answer in time, whatever waits for it fails.
    heartbeatFrequencyMS: HEARTBEAT_MS,
    socketTimeoutMS: OPERATION_MS_MAX,
    maxIdleTimeMS: IDLE_MS_MAX,
    maxPoolSize: 20,
  });
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  // The driver gives a client up for good when its first connection fails: every later operation is refused, although
  // MongoDB is there by then. So it is connected anew until that succeeds; from then on the driver looks after itself.
  client.on('topologyClosed', () => {
    if (isClosed) return;
    timer = setTimeout(() => {
      client.connect().catch(() => undefined); // a failure closes the topology again, which plans the next attempt
    }, RECONNECT_MS).unref();
  });
  return {
    db: client.db(options.database),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      return waitAtMost(CLOSE_MS_MAX, client.close());
    },
  };
}

const FORM = 'It is written mongodb://user:password@host:27017,host:27017/?replicaSet=name';
const MARKS = 'In it %25, %2F, %23, %3F, %3A and %40 stand for %, /, #, ?, : and @ of a password';

function clientOf(url: string, settings: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url.trim(), settings);
  } catch (error) {
    // The driver quotes what it takes for a host, which may be a password.
    const why = (error as Error).message.replace(/^Unable to parse .*/s, 'A host or its port cannot be read').replace(/\.$/, '');
    throw new Error(`MONGO_URL: ${why}. ${FORM}. ${MARKS}.`);
  }
}

/**
 * For documents that exist nowhere else, such as users and keys: acknowledged when a crash can no longer lose them.
 * Snapshots and history do without, because the journal can give them again.
 */
export const durable: CollectionOptions = { writeConcern: { w: 'majority', journal: true } };

/** Collections, each described in docs/data.md. */
export const collections = {
  users: 'users',
  /** Users whose account is deleted, until their data is removed. */
  deletedUsers: 'deletedUsers',
  /** Keyed hashes of e-mail addresses that had a trial. */
  trials: 'trials',
  apiKeys: 'apiKeys',
  /** Sessions begin with a login: all access tokens made from a session belong to it. */
  sessions: 'sessions',
  /** Second factors of users, sealed. */
  secondFactors: 'secondFactors',
  /** Security-relevant acts. */
  audit: 'audit',
  /** Values made once for the whole deployment, such as the key that signs access tokens. */
  settings: 'settings',
  /** Snapshot of an account: `_id` account id. */
  accounts: 'accounts',
  /** Bucket documents of history rows. */
  history: 'history',
  /** How far the results of round trips went on their way, by the buckets of their rows. */
  excursions: 'excursions',
  /** Final rows of ended orders, by oid range. */
  orderEnds: 'orderEnds',
  /** Newest oid of each client order id. */
  cloids: 'cloids',
  /** Journal entries of accounts, in chunks. */
  archive: 'archive',
  /** States of accounts from which the archive's entries can be folded. */
  archiveStates: 'archiveStates',
  /** The history writer's position in each shard's journal. */
  shards: 'shards',
  invoices: 'invoices',
  /** Discount codes with their uses. */
  discounts: 'discounts',
  /** Payments of the test provider. */
  testPayments: 'testPayments',
  /** Webhook events of the payment provider that have been handled. */
  paymentEvents: 'paymentEvents',
  /** Where users have alerts sent. */
  alertEndpoints: 'alertEndpoints',
  /** Deliveries to endpoints: waiting, sent, and lost ones. */
  alertDeliveries: 'alertDeliveries',
  /** Which process does a piece of work that any could do. */
  leases: 'leases',
  /** Closed candles of the venue, in chunks. */
  candles: 'candles',
  /** Addresses of the venue that accounts follow. */
  mirrors: 'mirrors',
} as const;

// Whether a failure of MongoDB's driver says that MongoDB cannot be asked at the moment: none answers, or the member that was
// asked is no primary any more. The driver tries a retryable write once more at the next primary; what fails then comes here.

/**
 * By which a member says that it is not the primary, steps down, recovers or ends, and by which one member says that it does not
 * reach the others.
 * @see https://github.com/mongodb/specifications/blob/master/source/server-discovery-and-monitoring/server-discovery-and-monitoring.md
 * @see https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md#determining-retryable-errors
 */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  ...[10_107, 13_435, 10_058], // not the primary
  ...[189, 11_600, 11_602, 13_436, 91], // steps down, ends, was interrupted by either
  ...[6, 7, 89, 9001, 262], // does not reach another
]);

/** Of a socket that the other side ended or reset while the driver wrote: the driver passes some of these on as they are. */
const SOCKET_CODES: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET']);

export function isMongoAway(error: unknown): boolean {
  if (!(error instanceof MongoError)) return error instanceof Error && 'code' in error && SOCKET_CODES.has(error.code);
  // The driver's own: no server was found, a connection broke.
  if (!(error instanceof MongoServerError)) return true;
  // Done, and perhaps undone by the next primary.
  if (error instanceof MongoWriteConcernError) return true;
  // Without a write that was refused it stands for the failure of the whole call.
  if (error instanceof MongoBulkWriteError && [error.writeErrors].flat().length === 0) return true;
  return AWAY_CODES.has(error.code);
}

const DUPLICATE_KEY = 11_000;

/** True for the error of an insert that a unique index refuses. */
export const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/** @returns false when a unique index refuses the write: another writer was first */
export async function isFirst(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** An upsert. Of two first writers of a document at once, the second finds the document of the first when it writes again. */
export async function upserted<Result>(write: () => Promise<Result>): Promise<Result> {
  return await write().catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return write();
  });
}

// Upserts that write only where what is stored is older: a write that is repeated, or that comes late, changes nothing.

/**
 * Runs guarded upserts; one whose guard does not hold tries to insert and is refused for its `_id`.
 * @returns indexes of the refused ones
 */
export async function refusedUpserts<Document extends { readonly _id: string }>(
  collection: Collection<Document>,
  upserts: AnyBulkWriteOperation<Document>[],
): Promise<number[]> {
  try {
    await collection.bulkWrite(upserts, { ordered: false });
    return [];
  } catch (error) {
    return duplicatesIn(error);
  }
}

/** Indexes of the writes that a unique index has refused. @throws the error of a bulk write when it is of anything else */
export function duplicatesIn(error: unknown): number[] {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const writeErrors = [error.writeErrors].flat();
  if (writeErrors.length === 0 || writeErrors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  return writeErrors.map(({ index }) => index);
}
