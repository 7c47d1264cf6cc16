// What an endpoint remembers of alerts that stand in no history: which margin thresholds, silences and ends of trials were told. Each
// note is written after the deliveries that it is about, except a margin threshold's: the ratio may have come back when a process that
// died is replaced, so the change and its deliveries are one write, and the deliveries follow.
import type { Collection } from 'mongodb';
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import type { NewDelivery } from './alertDeliveries.ts';
import type { MarginNote, StoredEndpoint } from './alertEndpoint.ts';

export class AlertNotes {
  readonly #endpoints: Collection<StoredEndpoint>;

  constructor(mongo: MongoConnection) {
    this.#endpoints = mongo.db.collection<StoredEndpoint>(collections.alertEndpoints, durable);
  }

  async trialTold(id: string, trialTold: string): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $set: { trialTold } });
  }

  /** New keys and devices are told up to a time. */
  async actsUpTo(ids: readonly string[], time: Date): Promise<void> {
    await this.#endpoints.updateMany({ _id: { $in: [...ids] } }, { $max: { actsUpTo: time } });
  }

  /** A silence that began at a time was told. */
  async silenceTold(id: string, account: string, sinceMs: number): Promise<void> {
    await this.#endpoints.updateOne({ _id: id }, { $max: { [`silences.${account}`]: sinceMs } });
  }

  /** These broken house rules of an account were told; others of it are not broken any more. Nothing where the kind is not wanted any more. */
  async rulesTold(id: string, account: string, names: readonly string[]): Promise<void> {
    await this.#endpoints.updateOne({ _id: id, kinds: 'house_rule' }, { $set: { [`brokenRules.${account}`]: names } });
  }

  /**
   * Notes which thresholds are told from now on, with the deliveries that say so.
   * @param before as it was read; undefined = there was none
   * @returns false when another look was first, or the kind is not wanted any more
   */
  async marginChanged(
    id: string,
    account: string,
    change: {
      readonly before: MarginNote | undefined;
      readonly told: readonly string[];
      readonly toWrite: readonly NewDelivery[];
    },
  ): Promise<boolean> {
    const { before, told, toWrite } = change;
    const note: MarginNote = { told, changes: (before?.changes ?? 0) + 1, ...(toWrite.length > 0 && { toWrite }) };
    const place = `margins.${account}`;
    const asRead = before === undefined ? { [place]: { $exists: false } } : { [`${place}.changes`]: before.changes };
    const wanted = { _id: id, kinds: 'margin', ...asRead } as const;
    const { modifiedCount } = await this.#endpoints.updateOne(wanted, { $set: { [place]: note } });
    return modifiedCount === 1;
  }

  /** The deliveries of a change are written. */
  async marginWritten(id: string, account: string, changes: number): Promise<void> {
    const place = `margins.${account}`;
    await this.#endpoints.updateOne({ _id: id, [`${place}.changes`]: changes }, { $unset: { [`${place}.toWrite`]: '' } });
  }
}
