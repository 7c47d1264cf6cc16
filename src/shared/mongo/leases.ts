// Leases in MongoDB: which process does a piece of work that any could do. A process that dies, or stands still, loses what it has at the end
// of its time. Nothing relies on a lease for being right: two that do the same work at once do it twice, to the same end.
import type { Collection } from 'mongodb';
import { DAY_MS } from '../domain/units.ts';
import { collections, isDuplicate, type MongoConnection } from './mongo.ts';

export interface LeaseDocument {
  /** The work: `alerts:outbox` and the like. */
  readonly _id: string;
  readonly holder: string;
  /** Real time. */
  readonly until: Date;
  /** What the next holder goes on from, as the work words it. */
  readonly note?: Readonly<Record<string, unknown>>;
  readonly schema: 1;
}

/** A lease that nobody has held for so long is removed, ms. */
const FORGOTTEN_AFTER_MS = DAY_MS;

export class Leases {
  readonly #leases: Collection<LeaseDocument>;
  readonly #holder: string;
  readonly #realNow: () => number;

  /** @param holder no other process has it */
  constructor(mongo: MongoConnection, { holder, realNow }: { readonly holder: string; readonly realNow: () => number }) {
    this.#leases = mongo.db.collection<LeaseDocument>(collections.leases);
    this.#holder = holder;
    this.#realNow = realNow;
  }

  /**
   * Takes a lease that is free, or prolongs an own one.
   * @param note replaces that of an own lease
   * @returns the lease, with the note of the holder before; undefined when another process has it
   */
  async take(name: string, forMs: number, note?: LeaseDocument['note']): Promise<LeaseDocument | undefined> {
    const nowMs = this.#realNow();
    const until = new Date(nowMs + forMs);
    const prolonged = { until, ...(note !== undefined && { note }) };
    const own = { _id: name, holder: this.#holder };
    const kept = await this.#leases.findOneAndUpdate(own, { $set: prolonged }, { returnDocument: 'after' });
    if (kept !== null) return kept;
    const free = { _id: name, until: { $lte: new Date(nowMs) } };
    const taken = { $set: { holder: this.#holder, until, schema: 1 as const } };
    try {
      return (await this.#leases.findOneAndUpdate(free, taken, { upsert: true, returnDocument: 'after' })) ?? undefined;
    } catch (error) {
      if (isDuplicate(error)) return undefined;
      throw error;
    }
  }

  /** Another process may take it. @param atMs not before */
  async free(name: string, atMs = 0): Promise<void> {
    await this.#leases.updateOne({ _id: name, holder: this.#holder }, { $set: { until: new Date(atMs), holder: '' } });
  }

  async removeForgotten(): Promise<void> {
    await this.#leases.deleteMany({ until: { $lt: new Date(this.#realNow() - FORGOTTEN_AFTER_MS) } });
  }
}
