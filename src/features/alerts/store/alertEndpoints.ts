// The endpoints of users that alerts are sent to, in MongoDB. Every reading goes through `readEndpoint`: what a newer build
// has stored is left to processes of that build.
import type { Collection } from 'mongodb';
import { collections, durable, isDuplicate, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { makeOnce } from '../../../shared/waiting.ts';
import type { AlertChannel, AlertKind } from '../rules/alertKinds.ts';
import type { DrawdownState } from '../rules/thresholds.ts';
import {
  type AlertEndpointDocument,
  ENDPOINT_SCHEMA,
  type NewEndpoint,
  readEndpoint,
  type StoredEndpoint,
  type TelegramChat,
} from './alertEndpoint.ts';
import type { SecretNote } from './webhook.ts';

/** What a queue of turns goes by. */
export interface DueEndpoint {
  readonly id: string;
  readonly userId: string;
  /** Among the endpoints of its user, from 0. One that is made anew has the number of one that is gone. */
  readonly number: number;
  readonly channel: AlertChannel;
  /** Its last turn has failed, or was slow, or it has taken nothing yet. */
  readonly isFailing: boolean;
}

/** Those that a newer build has made are left to the processes of that build. */
const READABLE = { schema: { $lte: ENDPOINT_SCHEMA } } as const;

/** Endpoints of one step through all of them. */
const STEP = 100;

export class AlertEndpoints {
  readonly #endpoints: Collection<StoredEndpoint>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#endpoints = mongo.db.collection<StoredEndpoint>(collections.alertEndpoints, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#endpoints.createIndexes([
        { key: { place: 1 }, unique: true },
        { key: { userId: 1 } },
        { key: { state: 1, turnAt: 1 } },
      ]),
    );
  }

  /** @returns false when the user has `max` of them */
  async insert(endpoint: NewEndpoint, max: number): Promise<boolean> {
    await this.#ensureIndexes();
    for (let number = 0; number < max; number++) {
      try {
        await this.#endpoints.insertOne({ ...endpoint, place: `${endpoint.userId}:${number}` });
        return true;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    }
    return false;
  }

  /** Oldest first. */
  async listOf(userId: string): Promise<AlertEndpointDocument[]> {
    const endpoints = await this.#endpoints.find({ userId, ...READABLE }).toArray();
    return endpoints.map(readEndpoint).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1));
  }

  async findOwn(userId: string, id: string): Promise<AlertEndpointDocument | null> {
    return orNull(await this.#endpoints.findOne({ _id: id, userId, ...READABLE }));
  }

  /** @throws {NewerEndpoint} when a newer build has made it */
  async find(id: string): Promise<AlertEndpointDocument | null> {
    return orNull(await this.#endpoints.findOne({ _id: id }));
  }

  /** @returns the endpoint as it is now, or null when it is gone */
  async change(
    userId: string,
    id: string,
    change: { readonly set: Partial<StoredEndpoint>; readonly unset?: Readonly<Record<string, ''>> },
  ): Promise<AlertEndpointDocument | null> {
    const update = { $set: change.set, $inc: { turn: 1 }, ...(change.unset && { $unset: change.unset }) };
    return orNull(await this.#endpoints.findOneAndUpdate({ _id: id, userId, ...READABLE }, update, { returnDocument: 'after' }));
  }

  /** The chat that has sent a code is the endpoint's: its next turn greets it, and it is told from now on. Nothing when no endpoint waits for the code. */
  async bindChat(digest: string, chat: TelegramChat, now: Date): Promise<void> {
    const waits = { state: 'unproven', 'code.digest': digest, 'code.until': { $gt: now } } as const;
    const set = { chat, state: 'active' as const, toGreet: now, turnAt: now };
    await this.#endpoints.updateOne(waits, { $set: set, $unset: { code: '' as const }, $inc: { turn: 1 } });
  }

  /** The message that greets the chat is made. */
  async greeted(id: string): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $unset: { toGreet: '' } });
  }

  /** Whether any endpoint waits for its code. */
  async waitsForChats(now: Date): Promise<boolean> {
    const waits = await this.#endpoints.findOne({ state: 'unproven', 'code.until': { $gt: now } }, { projection: { _id: 1 } });
    return waits !== null;
  }

  /** Removes those whose code has come to its end unsent: each is a place of its user's. */
  async removeUnproven(now: Date): Promise<void> {
    await this.#endpoints.deleteMany({ state: 'unproven', 'code.until': { $lte: now } });
  }

  /** Gives the endpoint its next secret. @returns null when another request was first, or it is gone */
  async rotate(
    { _id, userId, secret }: Pick<StoredEndpoint, '_id' | 'userId'> & { readonly secret: SecretNote },
    next: { readonly secret: SecretNote; readonly beforeUntil: Date },
  ): Promise<AlertEndpointDocument | null> {
    const set = { secret: next.secret, secretBefore: { ...secret, until: next.beforeUntil } };
    const asRead = { _id, userId, 'secret.version': secret.version };
    return orNull(await this.#endpoints.findOneAndUpdate(asRead, { $set: set }, { returnDocument: 'after' }));
  }

  async remove(userId: string, id: string): Promise<boolean> {
    return (await this.#endpoints.deleteOne({ _id: id, userId })).deletedCount === 1;
  }

  /** Of any state. */
  async removeAllOf(userIds: readonly string[]): Promise<void> {
    await this.#endpoints.deleteMany({ userId: { $in: [...userIds] } });
  }

  /** Those of them that are gone. */
  async goneOf(ids: readonly string[]): Promise<string[]> {
    const found = await this.#endpoints.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray();
    const there = new Set(found.map(({ _id }) => _id));
    return ids.filter((id) => !there.has(id));
  }

  /** All that take alerts, some at a time. @param kinds only those that are told of one of them */
  async *active(kinds?: readonly AlertKind[]): AsyncGenerator<AlertEndpointDocument[]> {
    await this.#ensureIndexes();
    for (let after = ''; ; ) {
      const step = await this.#endpoints
        .find({ _id: { $gt: after }, state: 'active', ...READABLE, ...(kinds && { kinds: { $in: [...kinds] } }) })
        .sort({ _id: 1 })
        .limit(STEP)
        .toArray();
      if (step.length > 0) yield step.map(readEndpoint);
      const last = step.at(-1);
      if (last === undefined || step.length < STEP) return;
      after = last._id;
    }
  }

  /** Those that have something to try by now, those first that have waited longest. */
  async due(now: Date): Promise<DueEndpoint[]> {
    const projection = { userId: 1, place: 1, channel: 1, failingSince: 1 };
    const found = await this.#endpoints
      .find({ state: 'active', turnAt: { $lte: now }, ...READABLE }, { projection })
      .sort({ turnAt: 1 })
      .toArray();
    return found.map(({ _id, userId, place, channel = 'webhook', failingSince }) => ({
      ...{ id: _id, userId, number: Number(place.slice(place.lastIndexOf(':') + 1)), channel },
      isFailing: failingSince !== undefined,
    }));
  }

  /**
   * Notes that alerts of an account are made up to an entry, and that there is something to try, if there is. Where another look was
   * here first, its note stays; where other kinds are wanted by now, nothing is noted, and the next look tells of those as well.
   */
  async followed(
    { _id, at, kinds }: AlertEndpointDocument,
    to: {
      readonly account: string;
      readonly seq: number;
      readonly drawdown?: DrawdownState | undefined;
      readonly turnAt?: Date | undefined;
    },
  ): Promise<void> {
    const { account, seq, drawdown, turnAt } = to;
    const place = `at.${account}`;
    const asRead = { _id, kinds, [place]: at[account] ?? { $exists: false } };
    const set = {
      [place]: seq,
      ...(drawdown && { [`drawdowns.${account}`]: drawdown }),
      ...(turnAt !== undefined && { turnAt }),
    };
    const update = { $set: set, ...(turnAt !== undefined && { $inc: { turn: 1 } }) };
    await this.#endpoints.updateOne(asRead, update);
  }

  /** There is something to try. */
  async wake(id: string, turnAt: Date): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $set: { turnAt }, $inc: { turn: 1 } });
  }

  /** A turn is over. @param turn as it was read before the turn looked at what waits */
  async endTurn(id: string, { turn, turnAt }: { readonly turn: number; readonly turnAt: Date | null }): Promise<void> {
    await this.#endpoints.updateOne({ _id: id, turn }, { $set: { turnAt } });
  }

  async noteSuccess(id: string, at: Date): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $max: { lastSuccessAt: at } });
  }

  /** Whether the last turn has failed, or was slow. To be noted when the turn is over: it moves the endpoint to another queue. */
  async noteFailing({ _id, failingSince }: Pick<AlertEndpointDocument, '_id' | 'failingSince'>, failedAt?: Date): Promise<void> {
    if ((failedAt === undefined) === (failingSince === undefined)) return;
    const change = failedAt === undefined ? { $unset: { failingSince: '' as const } } : { $set: { failingSince: failedAt } };
    await this.#endpoints.updateOne({ _id }, change);
  }

  /** Pauses an endpoint that nothing has reached since a time. @returns whether it was paused now */
  async pauseFailing(id: string, since: Date): Promise<boolean> {
    const silent = { $or: [{ lastSuccessAt: { $exists: false } }, { lastSuccessAt: { $lt: since } }] };
    const paused = { state: 'paused', pausedWhy: 'failing' } as const;
    return (await this.#endpoints.updateOne({ _id: id, state: 'active', ...silent }, { $set: paused })).modifiedCount === 1;
  }
}

const orNull = (stored: StoredEndpoint | null): AlertEndpointDocument | null => (stored === null ? null : readEndpoint(stored));
