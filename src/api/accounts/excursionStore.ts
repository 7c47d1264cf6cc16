// Excursions of round trips: computed once, when a reader first asks, from candles that the venue may drop later. One document has
// those of the 256 trips of a history document, under its `_id`, so that both are removed by the same ranges. An excursion names its trip
// by the fill that ended it: after a loss of Redis another trip may have its number.
import type { Collection } from 'mongodb';
import { bucketId, type RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { type Format, type FormatSource, readForm, type Upcasters, writeForm } from '../../shared/domain/formats.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Resolution } from '../domain/excursion.ts';

/** Why a trip has none for ever. */
export type NoExcursion = 'too_many_fills' | 'no_candles';

/** Decimal text, USD, exact, before fees and funding. `fills`: no whole candle lay between two fills. */
export type KeptExcursion =
  | { readonly mfeUsd: string; readonly maeUsd: string; readonly resolution: Resolution | 'fills' }
  | { readonly missing: NoExcursion };

export interface NumberedTrip {
  readonly number: number;
  readonly row: RoundTripRow;
}

interface ExcursionsDocument {
  readonly _id: string;
  /** The newest generation among its texts, each of which names its own. */
  readonly v: Format;
  /** JSON of the stored form, by number of the trip. */
  readonly trips: Readonly<Record<string, string>>;
}

type StoredExcursion = KeptExcursion & { readonly tid: number; readonly closedMs: number };

const UPCASTERS: Upcasters = {};

export const writeExcursion = (excursion: StoredExcursion, format: Format): string => writeForm(excursion, format);

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no excursion */
export const readExcursion = (text: string): StoredExcursion => readForm('excursion', JSON.parse(text), UPCASTERS);

export class ExcursionStore {
  readonly #documents: Collection<ExcursionsDocument>;
  readonly #formats: FormatSource;

  constructor({ mongo, formats }: { readonly mongo: MongoConnection; readonly formats: FormatSource }) {
    this.#documents = mongo.db.collection<ExcursionsDocument>(collections.excursions);
    this.#formats = formats;
  }

  /** What is kept of these trips, by the fills that ended them. @throws MongoError; {NewerFormat} */
  async read(accountId: string, trips: readonly NumberedTrip[]): Promise<Map<number, KeptExcursion>> {
    const ids = [...new Set(trips.map(({ number }) => bucketId(accountId, 'roundTrips', number)))];
    const found = ids.length === 0 ? [] : await this.#documents.find({ _id: { $in: ids } }).toArray();
    const texts = new Map(
      found.flatMap(({ _id, trips: of }) => Object.entries(of).map(([number, text]) => [`${_id} ${number}`, text])),
    );
    const kept = new Map<number, KeptExcursion>();
    for (const { number, row } of trips) {
      const text = texts.get(`${bucketId(accountId, 'roundTrips', number)} ${number}`);
      if (text === undefined) continue;
      const { tid, closedMs, ...excursion } = readExcursion(text);
      if (tid === row.tid && closedMs === row.timeMs) kept.set(tid, excursion);
    }
    return kept;
  }

  /** @throws MongoError */
  async keep(accountId: string, excursions: readonly (NumberedTrip & { readonly excursion: KeptExcursion })[]): Promise<void> {
    const format = this.#formats.current;
    const byId = new Map<string, Record<string, string>>();
    for (const { number, row, excursion } of excursions) {
      const _id = bucketId(accountId, 'roundTrips', number);
      const texts = byId.get(_id) ?? {};
      byId.set(_id, texts);
      texts[`trips.${number}`] = writeExcursion({ tid: row.tid, closedMs: row.timeMs, ...excursion }, format);
    }
    for (const [_id, texts] of byId)
      await this.#documents.updateOne({ _id }, { $set: texts, $max: { v: format } }, { upsert: true });
  }
}
