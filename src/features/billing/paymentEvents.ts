// Webhook events that have been handled, by their id, because a provider may deliver one more than once. An event is
// recorded after all of its work, so one that a crash interrupts is handled when it comes again.
import { DAY_MS } from '../../shared/domain/units.ts';
import { collections, durable, type MongoConnection } from '../../shared/mongo/mongo.ts';

/** Providers deliver again for three days; ten times that is kept, ms. */
const KEPT_MS = 30 * DAY_MS;

interface EventDocument {
  readonly _id: string;
  readonly type: string;
  readonly receivedAt: Date;
  readonly schema: 1;
}

const eventsOf = (mongo: MongoConnection) => mongo.db.collection<EventDocument>(collections.paymentEvents, durable);

export const isKnownPaymentEvent = async (mongo: MongoConnection, id: string): Promise<boolean> =>
  (await eventsOf(mongo).findOne({ _id: id })) !== null;

export async function recordPaymentEvent(
  mongo: MongoConnection,
  { id, type, atMs }: { id: string; type: string; atMs: number },
): Promise<void> {
  const event = { type, receivedAt: new Date(atMs), schema: 1 } as const;
  await eventsOf(mongo).updateOne({ _id: id }, { $setOnInsert: event }, { upsert: true });
}

export async function deleteOldPaymentEvents(mongo: MongoConnection, nowMs: number): Promise<void> {
  await eventsOf(mongo).createIndex({ receivedAt: 1 });
  await eventsOf(mongo).deleteMany({ receivedAt: { $lt: new Date(nowMs - KEPT_MS) } });
}
