// Compares what MongoDB has to look up an order by its client order id with the ends of orders, which have been compared with the
// entries: of each id the order that ended last under it, and the entry in which it ended.
import {
  type CloidDocument,
  cloidId,
  orderEndsId,
  type RowsDocument,
  readSequencedRow,
} from '../../actors/core/history/historyDocuments.ts';
import type { OrderRow } from '../../actors/core/messages/historyRows.ts';
import { idsOf } from '../../shared/archive/archiveForm.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { Differs, shown } from './firstDifference.ts';
import type { RowsParts } from './verifyRows.ts';
import type { ReadRow } from './verifyRowsDocument.ts';

/** Ids in one query. */
const IDS_PER_QUERY = 500;

interface OrderEnd {
  readonly _id: string;
  readonly oid: number;
  readonly seq: number;
}

export class CloidsVerifier {
  readonly #parts: RowsParts;
  /** Documents whose order was found among the ends. */
  #matched = 0;

  constructor(parts: RowsParts) {
    this.#parts = parts;
  }

  /** @param rows of one document of ended orders @throws {Differs} */
  async add(rows: readonly ReadRow[]): Promise<void> {
    const ends = rows.flatMap(({ seq, row }): OrderEnd[] => {
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

  #compare(end: OrderEnd, found: CloidDocument | undefined): void {
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
