// Compares the ends of orders that an account's entries give with those that MongoDB has to look up by order id and by client order id.
// Orders end in another order than they began: some documents are at hand, and each is looked through once more at the end.
import {
  type CloidDocument,
  cloidId,
  isOrderEnd,
  orderEndsId,
  type RowsDocument,
  readSequencedRow,
} from '../../actors/core/history/historyDocuments.ts';
import type { NumberedRow, OrderRow } from '../../actors/core/messages/historyRows.ts';
import { idsOf } from '../../shared/archive/archiveForm.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { Differs, shown } from './firstDifference.ts';
import { compareRow, type ReadRow, type RowsParts, readRows, verifyHead } from './verifyRows.ts';

/** Some 256 rows each, with 16 shards. */
const DOCUMENTS_AT_HAND_MAX = 16;

type OrderEnd = Extract<NumberedRow, { kind: 'orders' }>;

export class OrderEndsVerifier {
  readonly #parts: RowsParts;
  /** The one that was asked for last comes last. */
  readonly #atHand = new Map<string, Map<number, ReadRow>>();
  /** Rows that were found, by document. */
  readonly #found = new Map<string, number>();
  compared = 0;

  constructor(parts: RowsParts) {
    this.#parts = parts;
  }

  /** Rows of one entry; entries come by rising numbers. @throws {Differs} */
  async add(seq: number, rows: readonly NumberedRow[]): Promise<void> {
    if (this.#isDropped(seq)) return;
    const ends = rows.filter((row): row is OrderEnd => row.kind === 'orders' && isOrderEnd(row.row));
    for (const end of ends) await this.#compare(seq, end);
  }

  /** All entries have come. @throws {Differs} at a row, or a client order id, that none of them gave */
  async end(): Promise<void> {
    const cloids = new CloidsVerifier(this.#parts);
    for await (const document of this.#documents.find({ _id: idsOf(this.#parts.account) }).sort({ _id: 1 })) {
      const where = `orderEnds ${document._id}`;
      const rows = [...readRows(document, where).values()];
      const came = rows.filter(({ seq }) => this.#parts.came.has(seq) && !this.#isDropped(seq));
      const [expected, seq] = [this.#found.get(document._id) ?? 0, came.at(-1)?.seq];
      if (came.length !== expected)
        throw new Differs({ seq, where, field: 'rows', expected: `${expected} ended orders`, found: String(came.length) });
      verifyHead(document, { where, last: rows.at(-1) }, this.#parts);
      this.#parts.commits.push({ seq: document.lastSeq, commit: document.commit, where });
      await cloids.add(rows);
    }
    await cloids.end();
  }

  async #compare(seq: number, { number, row }: OrderEnd): Promise<void> {
    const _id = orderEndsId(this.#parts.account, row.order.oid);
    compareRow({ number, seq, row }, await this.#rowOf(_id, number), `orderEnds ${_id}`);
    this.#found.set(_id, (this.#found.get(_id) ?? 0) + 1);
    this.compared += 1;
  }

  /** A document that is at hand may have grown since it was read. */
  async #rowOf(_id: string, number: number): Promise<ReadRow | undefined> {
    const atHand = this.#atHand.get(_id);
    const row = atHand?.get(number);
    const rows = row === undefined ? readRows(await this.#documents.findOne({ _id }), `orderEnds ${_id}`) : atHand;
    this.#atHand.delete(_id);
    this.#atHand.set(_id, rows ?? new Map());
    const [oldest = ''] = this.#atHand.keys();
    if (this.#atHand.size > DOCUMENTS_AT_HAND_MAX) this.#atHand.delete(oldest);
    return row ?? rows?.get(number);
  }

  /** Ends of orders before the history's beginning go document by document: they may be there or not. */
  #isDropped(seq: number): boolean {
    return seq < (this.#parts.start?.seq ?? 0);
  }

  get #documents() {
    return this.#parts.mongo.db.collection<RowsDocument>(collections.orderEnds);
  }
}

/** Ids in one query. */
const IDS_PER_QUERY = 500;

interface EndWithCloid {
  readonly _id: string;
  readonly oid: number;
  readonly seq: number;
}

/**
 * Compares what MongoDB has to look up an order by its client order id with the ends of orders, which have been compared with the
 * entries: of each id the order that ended last under it, and the entry in which it ended.
 */
class CloidsVerifier {
  readonly #parts: RowsParts;
  /** Documents whose order was found among the ends. */
  #matched = 0;

  constructor(parts: RowsParts) {
    this.#parts = parts;
  }

  /** @param rows of one document of ended orders @throws {Differs} */
  async add(rows: readonly ReadRow[]): Promise<void> {
    const ends = rows.flatMap(({ seq, row }): EndWithCloid[] => {
      const { oid, cloid } = (row as unknown as OrderRow).order;
      return cloid === undefined ? [] : [{ _id: cloidId(this.#parts.account, cloid), oid, seq }];
    });
    for (let i = 0; i < ends.length; i += IDS_PER_QUERY) {
      const some = ends.slice(i, i + IDS_PER_QUERY);
      const found = await this.#cloids.find({ _id: { $in: some.map(({ _id }) => _id) } }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      for (const end of some) this.#compare(end, byId.get(end._id));
    }
  }

  /** All ends have come. @throws {Differs} at a document of no order, or no entry, that ended */
  async end(): Promise<void> {
    const all = { _id: idsOf(this.#parts.account) };
    if ((await this.#cloids.countDocuments(all)) === this.#matched) return;
    for await (const document of this.#cloids.find(all)) await this.#requireOrder(document);
  }

  #compare(end: EndWithCloid, found: CloidDocument | undefined): void {
    const { oid, seq } = end;
    const { came, start, shard } = this.#parts;
    if (found === undefined) {
      // With an order that Redis lost goes its id, also where an earlier order had it.
      if (!came.has(seq) || seq < (start?.seq ?? 0) || came.isBeforeLoss(seq)) return;
      throw differs(end, 'oid', String(oid), undefined);
    }
    if (found.shard !== shard) throw differs(end, 'shard', String(shard), found.shard);
    if (found.seq !== undefined && found.seq < seq) throw differs(end, 'seq', `at least ${seq}`, found.seq);
    if (found.oid === oid && found.seq === seq) this.#matched += 1;
  }

  /** The order that the document names ended in the entry that it names. Builds that name no entry left the id of a dropped order where it was. */
  async #requireOrder({ _id, oid, seq }: CloidDocument): Promise<void> {
    const { mongo, account, came, newest } = this.#parts;
    const isOnItsWay = !came.has(seq ?? 0) && (seq ?? 0) <= newest;
    if (seq === undefined || isOnItsWay || came.isWithoutEffect(seq)) return;
    const documents = mongo.db.collection<RowsDocument>(collections.orderEnds);
    const document = await documents.findOne({ _id: orderEndsId(account, oid) });
    const isIts = ({ order }: OrderRow): boolean =>
      order.oid === oid && order.cloid !== undefined && cloidId(account, order.cloid) === _id;
    const ends = (document?.rows ?? []).map((text) => readSequencedRow(text, 'orders')).filter(({ row }) => isIts(row.row));
    if (ends.length === 0) throw differs({ _id, seq }, 'oid', 'an order of it that ended', oid);
    if (!ends.some((end) => end.seq === seq))
      throw differs({ _id, seq: ends.at(-1)?.seq }, 'seq', 'an entry in which it ended', seq);
  }

  get #cloids() {
    return this.#parts.mongo.db.collection<CloidDocument>(collections.cloids);
  }
}

const differs = (
  { _id, seq }: { readonly _id: string; readonly seq: number | undefined },
  field: string,
  expected: string,
  found: unknown,
): Differs => new Differs({ seq, where: `cloids ${_id}`, field, expected, found: shown(found) });
