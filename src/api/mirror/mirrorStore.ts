// The mirrors that there are to be. An API node that leads reads them and follows each address; the account itself knows how far it is. Places
// are unique, so requests at once make no more mirrors than the service, and a user's plan, allow.
import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { isDuplicate } from '../../shared/mongo/userStore.ts';

export interface MirrorDocument {
  /** `mir_…` */
  readonly _id: string;
  /** Place in the service, from 0 on; unique. */
  readonly slot: number;
  /** `<user>:<number>`; unique. */
  readonly place: string;
  /** Unique: an account mirrors one address. */
  readonly account: string;
  readonly userId: string;
  /** Address at the venue, lower case. */
  readonly source: string;
  readonly scale: string;
  /** The venue's time from which on fills count, and the copies that the import made: numbers here and there. */
  readonly sinceMs: number;
  readonly orders: readonly (readonly [oid: number, sourceOid: number])[];
  /** The account has begun to follow. */
  readonly hasBegun: boolean;
  /** It ends, and not by a wish of its user; absent: it does not. */
  readonly ending?: { readonly why: string; readonly at: Date };
  readonly createdAt: Date;
  readonly schema: 1;
}

/** Requests that meet at one place try again this often. */
const TRIES = 20;

export class MirrorStore {
  readonly #mirrors: Collection<MirrorDocument>;
  #indexes: Promise<unknown> | undefined;

  constructor(mongo: MongoConnection) {
    this.#mirrors = mongo.db.collection<MirrorDocument>(collections.mirrors, durable);
  }

  /** @returns what there is no room in; undefined when it was added, or the account has one */
  async add(
    mirror: Omit<MirrorDocument, 'slot' | 'place'>,
    { max, maxOfUser }: { readonly max: number; readonly maxOfUser: number },
  ): Promise<'service' | 'plan' | undefined> {
    this.#indexes ??= Promise.all(
      ['slot', 'place', 'account'].map((field) => this.#mirrors.createIndex({ [field]: 1 }, { unique: true })),
    );
    await this.#indexes;
    for (let tries = 0; tries < TRIES; tries++) {
      const all = await this.all();
      if (all.some(({ account }) => account === mirror.account)) return undefined;
      const slot = firstFree(max, (at) => all.every((each) => each.slot !== at));
      const number = firstFree(maxOfUser, (at) => all.every(({ place }) => place !== `${mirror.userId}:${at}`));
      if (number === undefined) return 'plan';
      if (slot === undefined) return 'service';
      try {
        await this.#mirrors.insertOne({ ...mirror, slot, place: `${mirror.userId}:${number}` });
        return undefined;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    }
    return 'service';
  }

  all(): Promise<MirrorDocument[]> {
    return this.#mirrors.find().toArray();
  }

  ofAccount(account: string): Promise<MirrorDocument | null> {
    return this.#mirrors.findOne({ account });
  }

  async noteBegun(id: string): Promise<void> {
    await this.#mirrors.updateOne({ _id: id }, { $set: { hasBegun: true } });
  }

  /** @returns the end that was noted first; undefined when there is no such mirror any more */
  async noteEnding(id: string, ending: NonNullable<MirrorDocument['ending']>): Promise<MirrorDocument['ending']> {
    await this.#mirrors.updateOne({ _id: id, ending: { $exists: false } }, { $set: { ending } });
    return (await this.#mirrors.findOne({ _id: id }))?.ending;
  }

  async remove(id: string): Promise<void> {
    await this.#mirrors.deleteOne({ _id: id });
  }
}

function firstFree(count: number, isFree: (at: number) => boolean): number | undefined {
  for (let at = 0; at < count; at++) if (isFree(at)) return at;
  return undefined;
}
