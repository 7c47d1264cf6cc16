// Whether a failure of MongoDB's driver says that MongoDB cannot be asked at the moment: none answers, or the member that was
// asked is no primary any more. The driver tries a retryable write once more at the next primary; what fails then comes here.
import { MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb';

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
