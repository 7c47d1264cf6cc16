// The webhook endpoints of users. An endpoint remembers for each account of its user up to which journal entry its alerts have been
// made (`at`), so the history itself is the queue of what is still to be told.
import type { Collection } from 'mongodb';
import type { AlertKind } from '../domain/alerts/alertKinds.ts';
import { type AlertSettings, DEFAULT_SETTINGS } from '../domain/alerts/alertSettings.ts';
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import { isDuplicate } from '../mongo/userStore.ts';
import type { NewDelivery } from './alertDeliveries.ts';
import type { SecretNote } from './webhookSecret.ts';

export interface AlertEndpointDocument {
  /** `ale_…` */
  readonly _id: string;
  readonly userId: string;
  /** `<user>:<number>`, unique: so requests at once cannot make more than the plan allows. */
  readonly place: string;
  readonly url: string;
  readonly kinds: readonly AlertKind[];
  /** Absent = DEFAULT_SETTINGS. */
  readonly settings?: AlertSettings;
  /** The one account that it is about; absent = all of the user. */
  readonly account?: string;
  /** `paused` by its user, or because nothing arrived for a day. */
  readonly state: 'active' | 'paused';
  readonly pausedWhy?: 'user' | 'failing';
  /** Exchange time: events before it are not told. */
  readonly createdAt: Date;
  readonly secret: SecretNote;
  /** The secret before a rotation, which signs beside the new one until then. */
  readonly secretBefore?: SecretNote & { readonly until: Date };
  /** By account: alerts of all entries up to this one are made. */
  readonly at: Readonly<Record<string, number>>;
  /** By account: where it is below the peak of its equity, as of `at`. */
  readonly drawdowns?: Readonly<Record<string, DrawdownNote>>;
  /** By account: which margin thresholds were told. */
  readonly margins?: Readonly<Record<string, MarginNote>>;
  /** By account: the last request, ms, of a silence that was told. */
  readonly silences?: Readonly<Record<string, number>>;
  /** The end of a trial that was told: `<ms> <stage>`. */
  readonly trialTold?: string;
  /** New keys and devices up to this time were told; absent = `createdAt`. */
  readonly actsUpTo?: Date;
  /** When a delivery may be tried next; null = none waits. */
  readonly turnAt: Date | null;
  /** Rises with each change of what waits: a turn that ends leaves `turnAt` alone when it was not the last to look. */
  readonly turn: number;
  readonly lastSuccessAt?: Date;
  readonly schema: 1;
}

/** Decimal text, USD. Read by src/jobs/domain/drawdown.ts. */
export interface DrawdownNote {
  readonly peak: string;
  readonly value: string;
  readonly netDeposits: string;
  readonly told: string | null;
}

export interface MarginNote {
  readonly told: readonly string[];
  /** Rises with each change, and names it: of two looks at once one makes it. */
  readonly changes: number;
  /** Deliveries of the last change, which are written after it; gone when they are. */
  readonly toWrite?: readonly NewDelivery[];
}

export const settingsOf = ({ settings }: Pick<AlertEndpointDocument, 'settings'>): AlertSettings => settings ?? DEFAULT_SETTINGS;

/** Endpoints of one step through all of them. */
const STEP = 100;

export class AlertEndpoints {
  readonly #endpoints: Collection<AlertEndpointDocument>;
  #indexes: Promise<unknown> | undefined;

  constructor(mongo: MongoConnection) {
    this.#endpoints = mongo.db.collection<AlertEndpointDocument>(collections.alertEndpoints, durable);
  }

  /** @returns false when the user has `max` of them */
  async insert(endpoint: Omit<AlertEndpointDocument, 'place'>, max: number): Promise<boolean> {
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
    const endpoints = await this.#endpoints.find({ userId }).toArray();
    return endpoints.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1));
  }

  findOwn(userId: string, id: string): Promise<AlertEndpointDocument | null> {
    return this.#endpoints.findOne({ _id: id, userId });
  }

  find(id: string): Promise<AlertEndpointDocument | null> {
    return this.#endpoints.findOne({ _id: id });
  }

  /** @returns the endpoint as it is now, or null when it is gone */
  change(
    userId: string,
    id: string,
    change: { readonly set: Partial<AlertEndpointDocument>; readonly unset?: Readonly<Record<string, ''>> },
  ): Promise<AlertEndpointDocument | null> {
    const update = { $set: change.set, $inc: { turn: 1 }, ...(change.unset && { $unset: change.unset }) };
    return this.#endpoints.findOneAndUpdate({ _id: id, userId }, update, { returnDocument: 'after' });
  }

  /** Gives the endpoint its next secret. @returns null when another request was first, or it is gone */
  rotate(
    { _id, userId, secret }: AlertEndpointDocument,
    next: { readonly secret: SecretNote; readonly beforeUntil: Date },
  ): Promise<AlertEndpointDocument | null> {
    const set = { secret: next.secret, secretBefore: { ...secret, until: next.beforeUntil } };
    return this.#endpoints.findOneAndUpdate(
      { _id, userId, 'secret.version': secret.version },
      { $set: set },
      { returnDocument: 'after' },
    );
  }

  async remove(userId: string, id: string): Promise<boolean> {
    return (await this.#endpoints.deleteOne({ _id: id, userId })).deletedCount === 1;
  }

  /** All that take alerts, some at a time. @param kinds only those that are told of one of them */
  async *active(kinds?: readonly AlertKind[]): AsyncGenerator<AlertEndpointDocument[]> {
    await this.#ensureIndexes();
    for (let after = ''; ; ) {
      const step = await this.#endpoints
        .find({ _id: { $gt: after }, state: 'active', ...(kinds && { kinds: { $in: [...kinds] } }) })
        .sort({ _id: 1 })
        .limit(STEP)
        .toArray();
      if (step.length > 0) yield step;
      const last = step.at(-1);
      if (last === undefined || step.length < STEP) return;
      after = last._id;
    }
  }

  /** Ids of those that have something to try by now. */
  async due(now: Date): Promise<string[]> {
    const found = await this.#endpoints
      .find({ state: 'active', turnAt: { $lte: now } }, { projection: { _id: 1 } })
      .sort({ turnAt: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /**
   * Notes that alerts of an account are made up to an entry, and that there is something to try, if there is. Where another look was
   * here first, its note stays.
   */
  async followed(
    { _id, at }: AlertEndpointDocument,
    to: {
      readonly account: string;
      readonly seq: number;
      readonly drawdown?: DrawdownNote | undefined;
      readonly turnAt?: Date | undefined;
    },
  ): Promise<void> {
    const { account, seq, drawdown, turnAt } = to;
    const place = `at.${account}`;
    const asRead = { _id, [place]: at[account] ?? { $exists: false } };
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

  /** Pauses an endpoint that nothing has reached since a time. @returns whether it was paused now */
  async pauseFailing(id: string, since: Date): Promise<boolean> {
    const silent = { $or: [{ lastSuccessAt: { $exists: false } }, { lastSuccessAt: { $lt: since } }] };
    const paused = { state: 'paused', pausedWhy: 'failing' } as const;
    return (await this.#endpoints.updateOne({ _id: id, state: 'active', ...silent }, { $set: paused })).modifiedCount === 1;
  }

  #ensureIndexes(): Promise<unknown> {
    const indexes = [{ key: { place: 1 }, unique: true }, { key: { userId: 1 } }, { key: { state: 1, turnAt: 1 } }];
    this.#indexes ??= this.#endpoints.createIndexes(indexes).catch((error: unknown) => {
      this.#indexes = undefined;
      throw error;
    });
    return this.#indexes;
  }
}
