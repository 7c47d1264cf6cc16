// Upserts that write only where what is stored is older: a write that is repeated, or that comes late, changes nothing.
import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';

const DUPLICATE_KEY = 11000;

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
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const writeErrors = [error.writeErrors].flat();
    if (writeErrors.length === 0 || writeErrors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return writeErrors.map(({ index }) => index);
  }
}
