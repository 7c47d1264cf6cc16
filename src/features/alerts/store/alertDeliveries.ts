// What is to be sent to endpoints, what was, and what never arrived. A delivery's id is made from its endpoint, its account, and what it is
// about: of a row of the history its place there. What is written twice is one delivery, and has the place in the order that it got first.
import { createHash } from 'node:crypto';
import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { makeOnce } from '../../../shared/waiting.ts';
import { DEAD_MAX, type MessageType } from '../rules/alertKinds.ts';

export type DeliveryState = 'waiting' | 'delivered' | 'dead';

export interface AlertDeliveryDocument {
  /** `<endpoint>:<lane>:<place>` */
  readonly _id: string;
  /** `msg_…`, the header `webhook-id`: made from `_id`, the same in every try. */
  readonly message: string;
  readonly endpoint: string;
  readonly userId: string;
  /** The account that it is about, `user` or `test`: one delivery of a lane is tried at a time, in their order. */
  readonly lane: string;
  /** `<entry or ms>:<place>`, by which a lane is sent. */
  readonly order: string;
  readonly type: MessageType;
  readonly state: DeliveryState;
  /** As it is sent. */
  readonly body: string;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly tries: number;
  readonly firstTriedAt?: Date;
  readonly lastTriedAt?: Date;
  /** What the last try came to. */
  readonly result?: string;
  readonly schema: 1;
}

/** A delivery before it is written. Without `order` it is that of the id. */
export type NewDelivery = Pick<AlertDeliveryDocument, '_id' | 'endpoint' | 'userId' | 'lane' | 'type' | 'body'> &
  Partial<Pick<AlertDeliveryDocument, 'order'>>;

/** What a try of a delivery came to. */
export interface NotedTry {
  readonly delivery: AlertDeliveryDocument;
  readonly at: Date;
  readonly state: DeliveryState;
  readonly result: string;
  readonly dueAt: Date;
}

/** The lane of what is about the user and no account. */
export const USER_LANE = 'user';
export const TEST_LANE = 'test';

/** Text that sorts as the numbers do. */
const SEQ_DIGITS = 16;

export const orderAt = (seq: number, place: string): string => `${String(seq).padStart(SEQ_DIGITS, '0')}:${place}`;

/** Where a delivery stands in its lane: at an entry, or a time in ms, and there at its place. */
interface DeliveryPlace {
  readonly lane: string;
  readonly seq: number;
  readonly place: string;
  /** Where it is sent in another order than that of its id. */
  readonly order?: string;
}

/** The delivery of an alert, or of a test, to an endpoint. */
export function newDelivery(
  { _id: endpoint, userId }: { readonly _id: string; readonly userId: string },
  { lane, seq, place, order }: DeliveryPlace,
  { type, timeMs, data }: { readonly type: MessageType; readonly timeMs: number; readonly data: object },
): NewDelivery {
  return {
    ...{ _id: `${endpoint}:${lane}:${orderAt(seq, place)}`, endpoint, userId, lane, type },
    body: JSON.stringify({ type, timestamp: new Date(timeMs).toISOString(), data }),
    ...(order !== undefined && { order }),
  };
}

/** The delivery of a test, which is a lane of its own. */
export const newTest = (
  endpoint: { readonly _id: string; readonly userId: string },
  timeMs: number,
  place: string,
): NewDelivery =>
  newDelivery(endpoint, { lane: TEST_LANE, seq: timeMs, place }, { type: 'test', timeMs, data: { endpoint: endpoint._id } });

const orderOf = ({ _id, endpoint, lane, order }: NewDelivery): string => order ?? _id.slice(`${endpoint}:${lane}:`.length);

const IN_ORDER = { order: 1, _id: 1 } as const;

const messageOf = (id: string): string => `msg_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;

export class AlertDeliveries {
  readonly #deliveries: Collection<AlertDeliveryDocument>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#deliveries = mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#deliveries.createIndexes([
        { key: { endpoint: 1, state: 1, lane: 1, ...IN_ORDER } },
        { key: { userId: 1, createdAt: -1 } },
        { key: { userId: 1, message: 1 } },
        { key: { state: 1, createdAt: 1 } },
      ]),
    );
  }

  /** Writes what is not there yet, to be tried at once. In its order: a sender sees none before those that it comes after. @returns the message ids */
  async add(deliveries: readonly NewDelivery[], now: Date): Promise<string[]> {
    await this.#ensureIndexes();
    if (deliveries.length === 0) return [];
    const documents = deliveries.map(
      (delivery): AlertDeliveryDocument => ({
        ...{ ...delivery, order: orderOf(delivery) },
        ...{ message: messageOf(delivery._id), state: 'waiting', createdAt: now, dueAt: now, tries: 0, schema: 1 },
      }),
    );
    const upserts = documents.map(({ _id, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
    }));
    await this.#deliveries.bulkWrite(upserts, { ordered: true });
    return documents.map(({ message }) => message);
  }

  /** Those of them that are not there. */
  async unknown(deliveries: readonly NewDelivery[]): Promise<NewDelivery[]> {
    const ids = deliveries.map(({ _id }) => _id);
    const found = await this.#deliveries.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
    const known = new Set(found.map(({ _id }) => _id));
    return deliveries.filter(({ _id }) => !known.has(_id));
  }

  count(endpoint: string, state: DeliveryState, lane?: string): Promise<number> {
    return this.#deliveries.countDocuments({ endpoint, state, ...(lane !== undefined && { lane }) });
  }

  /** Lanes of an endpoint in which something waits. */
  lanes(endpoint: string): Promise<string[]> {
    return this.#deliveries.distinct('lane', { endpoint, state: 'waiting' });
  }

  /** What a lane has to try first; null = nothing waits. */
  head(endpoint: string, lane: string): Promise<AlertDeliveryDocument | null> {
    return this.#deliveries.findOne({ endpoint, lane, state: 'waiting' }, { sort: IN_ORDER });
  }

  /** What a lane has to try first, in order. */
  heads(endpoint: string, lane: string, limit: number): Promise<AlertDeliveryDocument[]> {
    return this.#deliveries.find({ endpoint, lane, state: 'waiting' }).sort(IN_ORDER).limit(limit).toArray();
  }

  /** Notes a try of each, in their order: when the process dies in between, those that are left come after those that were noted. */
  async tried(tries: readonly NotedTry[]): Promise<void> {
    const updates = tries.map(({ delivery: { _id, firstTriedAt }, at, ...noted }) => {
      const set = { ...noted, lastTriedAt: at, firstTriedAt: firstTriedAt ?? at };
      return { updateOne: { filter: { _id, state: 'waiting' as const }, update: { $set: set, $inc: { tries: 1 } } } };
    });
    await this.#deliveries.bulkWrite(updates, { ordered: true });
  }

  /** Has a dead letter tried again, as if it were new. @returns false when the user has no such dead letter */
  async requeue(userId: string, message: string, now: Date): Promise<AlertDeliveryDocument | null> {
    const filter = { userId, message, state: 'dead' } as const;
    return this.#deliveries.findOneAndUpdate(
      filter,
      { $set: { state: 'waiting', dueAt: now, tries: 0 }, $unset: { firstTriedAt: '' } },
      { returnDocument: 'after' },
    );
  }

  /** The newest of a user's, newest first, before a place. */
  list(
    userId: string,
    wanted: {
      readonly endpoint?: string | undefined;
      readonly state?: DeliveryState | undefined;
      readonly before?: Pick<AlertDeliveryDocument, 'createdAt' | '_id'> | undefined;
      readonly limit: number;
    },
  ): Promise<AlertDeliveryDocument[]> {
    const { endpoint, state, before, limit } = wanted;
    const older = before && {
      $or: [{ createdAt: { $lt: before.createdAt } }, { createdAt: before.createdAt, _id: { $lt: before._id } }],
    };
    return this.#deliveries
      .find({ userId, ...(endpoint !== undefined && { endpoint }), ...(state !== undefined && { state }), ...older })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Removes dead letters of an endpoint beyond the newest DEAD_MAX. */
  async cutDead(endpoint: string): Promise<void> {
    const surplus = await this.#deliveries
      .find({ endpoint, state: 'dead' }, { projection: { _id: 1 } })
      .sort({ createdAt: -1, _id: -1 })
      .skip(DEAD_MAX)
      .toArray();
    if (surplus.length > 0) await this.#deliveries.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
  }

  /** Removes what was delivered, and what is dead, before these times. @returns how many */
  async removeOld(before: { readonly delivered: Date; readonly dead: Date }): Promise<number> {
    await this.#ensureIndexes();
    const old = [
      { state: 'delivered' as const, createdAt: { $lt: before.delivered } },
      { state: 'dead' as const, createdAt: { $lt: before.dead } },
    ];
    return (await this.#deliveries.deleteMany({ $or: old })).deletedCount;
  }

  async removeOf(endpoint: string): Promise<void> {
    await this.#deliveries.deleteMany({ endpoint });
  }

  async removeAllOf(userIds: readonly string[]): Promise<void> {
    await this.#deliveries.deleteMany({ userId: { $in: [...userIds] } });
  }

  /** Endpoints for which something waits. */
  waitingFor(): Promise<string[]> {
    return this.#deliveries.distinct('endpoint', { state: 'waiting' });
  }
}
