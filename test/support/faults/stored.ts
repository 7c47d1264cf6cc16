// Everything that MongoDB holds of an account, read document by document without code of the service.

import {
  type CloidDocument,
  type RowsDocument,
  readStoredRow,
  type SnapshotDocument,
} from '../../../src/actors/core/history/historyDocuments.ts';
import {
  HISTORY_KINDS,
  type HistoryKind,
  type NumberedRow,
  type OrderRow,
} from '../../../src/actors/core/messages/historyRows.ts';
import { collections, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';

export interface StoredPast {
  readonly rows: Readonly<Record<HistoryKind, NumberedRow[]>>;
  readonly orderEnds: OrderRow[];
  /** Newest ended oid by cloid. */
  readonly cloids: ReadonlyMap<string, number>;
  readonly snapshot: SnapshotDocument | undefined;
}

export async function readStored({ db }: MongoConnection, accountId: string): Promise<StoredPast> {
  const ofAccount = { _id: { $regex: `^${accountId}:` } };
  const [history, ends, cloids, snapshot] = await Promise.all([
    db.collection<RowsDocument>(collections.history).find({ account: accountId }).toArray(),
    db.collection<RowsDocument>(collections.orderEnds).find({ account: accountId }).toArray(),
    db.collection<CloidDocument>(collections.cloids).find(ofAccount).toArray(),
    db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: accountId }),
  ]);
  const rowsOf = (kind: HistoryKind): NumberedRow[] =>
    inOrder(history.filter(({ _id }) => _id.startsWith(`${accountId}:${kind}:`))).map((text) => {
      const { number, row } = readStoredRow(text, kind);
      return { kind, number, row } as NumberedRow;
    });
  return {
    rows: Object.fromEntries(HISTORY_KINDS.map((kind) => [kind, rowsOf(kind)])) as StoredPast['rows'],
    orderEnds: inOrder(ends).map((text) => readStoredRow(text, 'orders').row),
    cloids: new Map(cloids.map(({ _id, oid }) => [_id.slice(accountId.length + 1), oid])),
    snapshot: snapshot ?? undefined,
  };
}

const inOrder = (documents: readonly RowsDocument[]): string[] =>
  documents.toSorted((a, b) => (a._id < b._id ? -1 : 1)).flatMap(({ rows }) => rows);
