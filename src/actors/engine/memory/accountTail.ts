// What an account did that MongoDB may not have yet: its journal entries that are not trimmed, as their texts, found by kind
// and number of the history rows that they give. An entry is read when a question first wants rows of it, and the rows then
// stay as the texts that they have in answers. So trading pays next to nothing for questions that are never asked, and a
// question costs what its own answer needs.
import { ordersWithRows, type RowPlace, rowsOfKinds, wantedRows } from '../../core/history/rowsOfEvents.ts';
import { type AccountEntry, readEntry } from '../../core/messages/entry.ts';
import type { HistoryKind, NumberedRow, OrderRow, RowsWanted } from '../../core/messages/historyRows.ts';
import type { OrderTarget } from '../../core/messages/order.ts';

/** Rows of one kind as a question wants them. */
export interface TailRows {
  /** By rising numbers; the number of characters is bounded. */
  readonly texts: readonly string[];
  /** Number and time of the oldest row at hand; no number when there is none. */
  readonly from: number | undefined;
  readonly fromMs: number | undefined;
  /** The bound of characters has left wanted rows out: those after the given ones, or before them where the newest come first. */
  readonly isCut: boolean;
}

export class AccountTail {
  readonly #entries: TailEntry[] = [];
  /** By kind, those with rows of it. */
  readonly #withRows = new Map<HistoryKind, TailEntry[]>();
  /** The newest entry with a row of an order, by its oid and by its cloid. */
  readonly #orders = new Map<number | string, TailEntry>();
  #journalBytes = 0;

  /** Entries in it. */
  get length(): number {
    return this.#entries.length;
  }

  /** What it ties up in memory, about. */
  get bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes of its entries in the journal. */
  get journalBytes(): number {
    return this.#journalBytes;
  }

  /** @param text of the entry in the journal */
  add(commit: number, of: AccountEntry, text: string): void {
    const entry = new TailEntry(commit, of, text);
    this.#entries.push(entry);
    this.#journalBytes += text.length;
    for (const kind of Object.keys(of.firstRows) as HistoryKind[]) {
      const found = this.#withRows.get(kind);
      if (found === undefined) this.#withRows.set(kind, [entry]);
      else found.push(entry);
    }
    // The newest goes to the end, so what is trimmed is at the beginning.
    for (const id of orderIdsOf(of)) {
      this.#orders.delete(id);
      this.#orders.set(id, entry);
    }
  }

  /** Forgets entries up to this commit, and their rows. */
  trim(commit: number): void {
    for (const { text } of cut(this.#entries, (entry) => entry.commit > commit)) this.#journalBytes -= text.length;
    for (const [kind, found] of this.#withRows) {
      cut(found, (entry) => entry.commit > commit);
      if (found.length === 0) this.#withRows.delete(kind);
    }
    for (const [id, entry] of this.#orders) {
      if (entry.commit > commit) break;
      this.#orders.delete(id);
    }
  }

  /**
   * Rows of a kind: as many as are wanted and fit.
   * @param options.first rows with lower numbers are no part of the history any more
   */
  rows(kind: HistoryKind, want: RowsWanted, { first, charsMax }: { first: number; charsMax: number }): TailRows {
    const texts: string[] = [];
    let chars = 0;
    let isCut = false;
    for (const { text } of this.#wanted(kind, want, first)) {
      chars += text.length;
      isCut = chars > charsMax && texts.length > 0;
      if (isCut) break;
      texts.push(text);
    }
    const oldest = this.#oldest(kind, first);
    return { texts: want.newestFirst ? texts.reverse() : texts, from: oldest?.number, fromMs: oldest?.timeMs, isCut };
  }

  /** The oldest entries after this one, as many as fit: one at least. */
  entriesAfter(seq: number, { countMax, charsMax }: { countMax: number; charsMax: number }): readonly TailEntry[] {
    const low = firstWhere(this.#entries, (entry) => entry.seq > seq);
    const found: TailEntry[] = [];
    let chars = 0;
    for (const entry of this.#entries.slice(low, low + countMax)) {
      chars += entry.text.length;
      if (chars > charsMax && found.length > 0) break;
      found.push(entry);
    }
    return found;
  }

  /** The newest row of an order, if its number is `firstRow` or higher. */
  orderRow(target: OrderTarget, firstRow: number): OrderRow | undefined {
    const rows = this.#orders.get('oid' in target ? target.oid : target.cloid)?.rows('orders') ?? [];
    const name = 'oid' in target ? `"oid":${target.oid},` : `"cloid":"${target.cloid}"`;
    for (const { number, text } of rows.toReversed()) {
      if (number < firstRow) return undefined;
      if (!text.includes(name)) continue;
      const { row } = JSON.parse(text) as { readonly row: OrderRow };
      if ('oid' in target ? row.order.oid === target.oid : row.order.cloid === target.cloid) return row;
    }
    return undefined;
  }

  /** The wanted rows in the order in which they are wanted. Entries beside the bounds are not read. */
  *#wanted(kind: HistoryKind, want: RowsWanted, first: number): Iterable<TailRow> {
    const found = this.#withRows.get(kind) ?? [];
    const low = lastBeginningUpTo(found, kind, Math.max(first, want.from ?? 0));
    const { before = Number.POSITIVE_INFINITY } = want;
    const high = firstWhere(found, (entry) => firstRowOf(entry, kind) >= before);
    let left = want.limit;
    for (let i = low; i < high && left > 0; i++) {
      const entry = found[want.newestFirst ? high - 1 - (i - low) : i] as TailEntry;
      if (isBeside(entry, kind, want)) continue;
      for (const row of wantedRows(entry.rows(kind), { ...want, limit: left }, first)) {
        left -= 1;
        yield row;
      }
    }
  }

  #oldest(kind: HistoryKind, first: number): { readonly number: number; readonly timeMs: number } | undefined {
    const found = this.#withRows.get(kind) ?? [];
    for (let i = lastBeginningUpTo(found, kind, first); i < found.length; i++) {
      const entry = found[i] as TailEntry;
      const number = firstRowOf(entry, kind);
      if (number >= first && kind !== 'funding') return { number, timeMs: entry.timeMs };
      const row = entry.rows(kind).find((each) => each.number >= first);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}

/** True when no row of the entry can be wanted. Only payments of funding have times of their own. */
function isBeside(entry: TailEntry, kind: HistoryKind, want: RowsWanted): boolean {
  const { startMs = 0, endMs = Number.POSITIVE_INFINITY, maxTid = Number.POSITIVE_INFINITY } = want;
  if ((kind === 'fills' || kind === 'twapFills') && entry.firstTid > maxTid) return true;
  return kind !== 'funding' && (entry.timeMs < startMs || entry.timeMs > endMs);
}

/** Number of its first row of a kind of which it has some. */
const firstRowOf = (entry: TailEntry, kind: HistoryKind): number => entry.firstRows[kind] as number;

/** Index of the last entry whose rows of a kind begin at this number or before: the row of this number is in it, if it is there. */
const lastBeginningUpTo = (entries: readonly TailEntry[], kind: HistoryKind, number: number): number =>
  Math.max(0, firstWhere(entries, (entry) => firstRowOf(entry, kind) > number) - 1);

/** Index of the first entry of which this is true; it is true of all behind it. */
function firstWhere(entries: readonly TailEntry[], isTrue: (entry: TailEntry) => boolean): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(entries[middle] as TailEntry)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Takes the beginning off, up to the first that is kept. */
function cut<Kept>(kept: Kept[], isKept: (each: Kept) => boolean): Kept[] {
  const end = kept.findIndex(isKept);
  return kept.splice(0, end === -1 ? kept.length : end);
}

/** Kinds of which few entries have rows, and those not many: they are made at once and kept beside the text. */
const SELDOM: ReadonlySet<HistoryKind> = new Set(['ledger', 'funding', 'twaps']);
const EQUITY: ReadonlySet<HistoryKind> = new Set(['equity']);
const NO_ROWS: readonly NumberedRow[] = [];
/** What an entry, a row or an order's id ties up beside its text, about. */
const BYTES_EACH = 120;

interface TailRow extends RowPlace {
  /** Of a `NumberedRow`. */
  readonly text: string;
}

class TailEntry {
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
  /** What it ties up in memory, about. */
  bytes: number;

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
    this.bytes = text.length + (2 + this.#seldom.length) * BYTES_EACH;
  }

  /** Its rows of a kind, by rising numbers; they are made once. */
  rows(kind: HistoryKind): readonly TailRow[] {
    let made = this.#made?.get(kind);
    if (made === undefined) {
      made = this.#rowsOf(kind).map(toTailRow);
      this.#made ??= new Map();
      this.#made.set(kind, made);
      for (const { text } of made) this.bytes += text.length + BYTES_EACH;
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
function* orderIdsOf({ firstRows, events }: AccountEntry): Iterable<number | string> {
  if (firstRows.orders === undefined) return;
  for (const { oid, cloid } of ordersWithRows(events)) {
    yield oid;
    if (cloid !== undefined) yield cloid;
  }
}

function toTailRow(numbered: NumberedRow): TailRow {
  const { number, row } = numbered;
  return { number, timeMs: row.timeMs, tid: 'tid' in row ? row.tid : undefined, text: JSON.stringify(numbered) };
}
