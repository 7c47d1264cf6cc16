// How far exchange time is ahead, kept in MongoDB as well (adr 0022): Redis may be lost while no process is alive that knows it. What is
// kept is never ahead of what Redis had: it is written at a stop, when all that was due up to it has been done.
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import { isDuplicate } from '../mongo/userStore.ts';

interface ClockDocument {
  readonly _id: 'clock';
  readonly schema: 1;
  readonly offsetMs: number;
}

const CLOCK_ID = 'clock';

/** Notes an offset; one that is behind the noted one changes nothing. */
export async function keepClock(mongo: MongoConnection, offsetMs: number): Promise<void> {
  const update = { $setOnInsert: { schema: 1 } as const, $max: { offsetMs } };
  const keep = () => documentsOf(mongo).updateOne({ _id: CLOCK_ID }, update, { upsert: true });
  await keep().catch((error: unknown) => {
    // Two first writers: the second finds the document of the first.
    if (!isDuplicate(error)) throw error;
    return keep();
  });
}

/** @returns the offset, ms; 0 where time was never set ahead */
export async function readKeptClock(mongo: MongoConnection): Promise<number> {
  return (await documentsOf(mongo).findOne({ _id: CLOCK_ID }))?.offsetMs ?? 0;
}

const documentsOf = (mongo: MongoConnection) => mongo.db.collection<ClockDocument>(collections.settings, durable);
