// One journal entry of the tail, and its history rows once they are wanted.

import { ordersWithRows, type RowPlace, rowsOfKinds } from '../../core/history/rowsOfEvents.ts';
import type { HistoryKind } from '../../core/messages/command.ts';
import { type AccountEntry, readEntry } from '../../core/messages/entry.ts';
import type { NumberedRow } from '../../core/messages/historyRows.ts';

/** Kinds of which few entries have rows, and those not many: they are made at once and kept beside the text. */
const SELDOM: ReadonlySet<HistoryKind> = new Set(['ledger', 'funding', 'twaps']);
const EQUITY: ReadonlySet<HistoryKind> = new Set(['equity']);
const NO_ROWS: readonly NumberedRow[] = [];
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
  /** Lowest tid of its fills. */
  readonly firstTid: number;
  readonly #equity: AccountEntry['equity'];
  readonly #seldom: readonly NumberedRow[];
  #made: Map<HistoryKind, readonly TailRow[]> | undefined;
  #bytes: number;

  /** It keeps as little as it can: an order leaves an entry, and most are never asked for. */
  constructor(commit: number, entry: AccountEntry, text: string) {
    const { seq, timeMs, firstRows, equity, events } = entry;
    this.commit = commit;
    this.seq = seq;
    this.timeMs = timeMs;
    this.text = text;
    this.firstRows = firstRows;
    this.#equity = equity;
    const { ledger, funding, twaps } = firstRows;
    const hasSeldom = ledger !== undefined || funding !== undefined || twaps !== undefined;
    this.#seldom = hasSeldom ? rowsOfKinds(entry, SELDOM) : NO_ROWS;
    const withTid = events.find((event) => 'tid' in event);
    this.firstTid = withTid && 'tid' in withTid ? withTid.tid : 0;
    this.#bytes = text.length + (2 + this.#seldom.length) * BYTES_EACH;
  }

  /** What it ties up in memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Its rows of a kind, by rising numbers; they are made once. */
  rows(kind: HistoryKind): readonly TailRow[] {
    let made = this.#made?.get(kind);
    if (made === undefined) {
      made = this.#rowsOf(kind).map(toTailRow);
      this.#made ??= new Map();
      this.#made.set(kind, made);
      for (const { text } of made) this.#bytes += text.length + BYTES_EACH;
    }
    return made;
  }

  #rowsOf(kind: HistoryKind): readonly NumberedRow[] {
    if (this.firstRows[kind] === undefined) return NO_ROWS;
    if (SELDOM.has(kind)) return this.#seldom.filter((row) => row.kind === kind);
    if (kind !== 'equity') return rowsOfKinds(readEntry(this.text), new Set([kind]));
    const { seq, timeMs, firstRows } = this;
    const note = { accountId: '', seq, timeMs, events: [], firstRows, ...(this.#equity && { equity: this.#equity }) };
    return rowsOfKinds(note, EQUITY);
  }
}

/** Oids and cloids of the orders of which an entry has rows, without making the rows: each order leaves an entry. */
export function orderIdsOf(entry: AccountEntry): (number | string)[] {
  const ids: (number | string)[] = [];
  if (entry.firstRows.orders === undefined) return ids;
  for (const { oid, cloid } of ordersWithRows(entry.events)) {
    ids.push(oid);
    if (cloid !== undefined) ids.push(cloid);
  }
  return ids;
}

function toTailRow(numbered: NumberedRow): TailRow {
  const { number, row } = numbered;
  return { number, timeMs: row.timeMs, tid: 'tid' in row ? row.tid : undefined, text: JSON.stringify(numbered) };
}
