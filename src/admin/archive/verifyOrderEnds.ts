// Compares the ends of orders that an account's entries give with those that MongoDB has to look up by order id. Orders end in another
// order than they began: some documents are at hand, and each is looked through once more at the end.
import {
  isOrderEnd,
  orderEndsId,
  parseStoredRow,
  type RowsDocument,
  writeStoredRow,
} from '../../actors/core/history/historyDocuments.ts';
import type { NumberedRow } from '../../actors/core/messages/historyRows.ts';
import { idsOf } from '../../shared/archive/archiveForm.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { Differs, firstDifference, shown } from './firstDifference.ts';
import { CloidsVerifier } from './verifyCloids.ts';
import type { RowsParts } from './verifyRows.ts';
import { type ReadRow, readRows, verifyHead } from './verifyRowsDocument.ts';

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
    const [where, field] = [`orderEnds ${_id}`, `row ${number}`];
    const found = await this.#rowOf(_id, number);
    const expected = parseStoredRow(writeStoredRow({ number, seq, row }, NEWEST_FORMAT));
    if (found === undefined) throw new Differs({ seq, where, field, expected: shown(expected.row), found: 'nothing' });
    const difference = firstDifference(expected, found, field);
    if (difference !== undefined) throw new Differs({ seq, where, ...difference });
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
