// One journal entry of the tail, and its history rows once they are wanted.

import { rowsOfKinds } from '../domain/history/rowsOfEvents.ts';
import type { RowPlace } from '../domain/history/wantedRows.ts';
import type { HistoryKind } from '../domain/messages/command.ts';
import type { AccountEntry } from '../domain/messages/entry.ts';
import { readEntry } from '../domain/messages/entryForm.ts';
import type { NumberedRow } from '../domain/messages/historyRows.ts';

/** Kinds of which an entry of a thousand orders has few rows: they are kept beside its text. */
const FEW: ReadonlySet<HistoryKind> = new Set(['ledger', 'funding', 'twaps', 'equity']);
const FEW_AND_ORDERS: ReadonlySet<HistoryKind> = new Set([...FEW, 'orders']);
/** What an entry, a row or an order's id ties up beside its text, about. */
const BYTES_EACH = 120;

export interface TailRow extends RowPlace {
  /** Of a `NumberedRow`. */
  readonly text: string;
}

export class TailEntry {
  readonly commit: number;
  readonly seq: number;
  readonly timeMs: number;
  /** As in the journal. */
  readonly text: string;
  /** Number of the first row of each kind of which it has some. */
  readonly firstRows: AccountEntry['firstRows'];
  /** Oids and cloids of the orders of which it has rows. */
  readonly orderIds: readonly (number | string)[];
  /** Lowest tid of its fills. */
  readonly firstTid: number;
  readonly #few: readonly NumberedRow[];
  readonly #made = new Map<HistoryKind, readonly TailRow[]>();
  #bytes: number;

  constructor(commit: number, entry: AccountEntry, text: string) {
    this.commit = commit;
    this.seq = entry.seq;
    this.timeMs = entry.timeMs;
    this.text = text;
    this.firstRows = entry.firstRows;
    const few: NumberedRow[] = [];
    const orderIds: (number | string)[] = [];
    for (const numbered of rowsOfKinds(entry, FEW_AND_ORDERS)) {
      if (numbered.kind !== 'orders') few.push(numbered);
      else {
        const { oid, cloid } = numbered.row.order;
        orderIds.push(oid);
        if (cloid !== undefined) orderIds.push(cloid);
      }
    }
    this.#few = few;
    this.orderIds = orderIds;
    const withTid = entry.events.find((event) => 'tid' in event);
    this.firstTid = withTid && 'tid' in withTid ? withTid.tid : 0;
    this.#bytes = text.length + (1 + few.length + orderIds.length) * BYTES_EACH;
  }

  /** What it ties up in memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Its rows of a kind, by rising numbers; they are made once. */
  rows(kind: HistoryKind): readonly TailRow[] {
    let made = this.#made.get(kind);
    if (made === undefined) {
      const rows = FEW.has(kind) ? this.#few : rowsOfKinds(readEntry(this.text), new Set([kind]));
      made = rows.filter((numbered) => numbered.kind === kind).map(toTailRow);
      this.#made.set(kind, made);
      for (const { text } of made) this.#bytes += text.length + BYTES_EACH;
    }
    return made;
  }
}

function toTailRow(numbered: NumberedRow): TailRow {
  const { number, row } = numbered;
  return { number, timeMs: row.timeMs, tid: 'tid' in row ? row.tid : undefined, text: JSON.stringify(numbered) };
}
