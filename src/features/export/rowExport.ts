// Rows of an account's history, oldest first, as lines of CSV or JSON. Which rows they are is settled when the export begins: those that
// there are then. Rows that are dropped meanwhile, by a reset of the account or for their age, end it: what comes after is another history.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HistoryKind, NumberedRow } from '../../actors/core/messages/historyRows.ts';
import { type AccountHistory, type Call, pastOf } from '../../api/accounts/services.ts';
import { type Cell, csvRecord } from '../../api/domain/csv.ts';
import { RequestError } from '../../shared/errors.ts';
import { cellsOf, columnsOf, EXPORT_VERSION, objectOf, type RowKind } from './exportedRows.ts';
import { type ExportLines, failureOf } from './sentLines.ts';

export type RowFormat = 'csv' | 'jsonl';

/** One look-up, and one piece of text: some 100 kB. */
const ROWS_PER_PIECE = 512;
/** Rows written before other work of the node has its turn: a millisecond or two. */
const ROWS_AT_ONCE = 64;

/** Where rows of one kind are read. */
interface Series {
  readonly kind: HistoryKind;
  /** Number of the next row, that of the first row that is kept, and that of the first one that is not in the export. */
  next: number;
  readonly first: number;
  readonly total: number;
  /** Rows that were read and not given yet, from `next` on. */
  rows: NumberedRow[];
}

const KINDS_OF: Readonly<Record<RowKind, readonly HistoryKind[]>> = {
  fills: ['fills', 'twapFills'],
  orders: ['orders'],
  funding: ['funding'],
  ledger: ['ledger'],
  equity: ['equity'],
};

/**
 * @param from `next` of a row of an export before; absent = from the first row that is kept
 * @throws {RequestError} 400 `invalid_cursor` for a place that is none, `seq_forgotten` for one before the first row; as the history does
 */
export async function exportRows(
  history: AccountHistory,
  call: Call,
  { kind, format, from }: { kind: RowKind; format: RowFormat; from: string | undefined },
): Promise<ExportLines> {
  const series = await Promise.all(KINDS_OF[kind].map((one) => seriesOf(history, call, one)));
  const begins = placeOf(series);
  if (from !== undefined) goTo(series, from, begins);
  const [columns, first] = [columnsOf(kind), placeOf(series)];
  let rows = 0;
  const headLine = (): string => {
    if (format === 'csv') return csvRecord(['next', ...columns].map((name) => ({ text: name })));
    const { accountId: account } = call.caller;
    const names = ['next', ...columns];
    return jsonLine({ head: { form: `perpx ${kind}`, version: EXPORT_VERSION, account, columns: names, begins, from: first } });
  };
  async function* pieces() {
    yield headLine();
    for (;;) {
      const read = await readPiece(history, call, series);
      if (read.length === 0) return;
      let piece = '';
      for (const [i, { row, next }] of read.entries()) {
        if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await nextTurn();
        const cells = cellsOf(kind, row);
        piece += format === 'csv' ? csvRecord([{ text: next }, ...cells]) : jsonLine(objectOf(next, columns, cells));
      }
      rows += read.length;
      yield piece;
    }
  }
  const end = (failure?: RequestError): string => {
    const next = placeOf(series);
    if (format === 'jsonl')
      return jsonLine({
        end: { complete: failure === undefined, rows, next, begins, ...(failure && { error: failureOf(failure) }) },
      });
    const said: Cell[] = [
      { text: 'end' },
      { text: failure?.code ?? 'complete' },
      { number: rows },
      { text: next },
      { text: begins },
    ];
    return csvRecord([...said, ...Array.from({ length: columns.length + 1 - said.length }, () => null)]);
  };
  return { pieces: pieces(), end };
}

async function seriesOf(history: AccountHistory, call: Call, kind: HistoryKind): Promise<Series> {
  const { first, total } = await history.page(pastOf(call), kind, { before: 0, startMs: 0, limit: 1 });
  return { kind, next: first, first, total, rows: [] };
}

/** Where the rows that were given end: the number of the next one of each kind. */
const placeOf = (series: readonly Series[]): string => series.map(({ next }) => next).join('.');

function goTo(series: readonly Series[], from: string, begins: string): void {
  const places = from.split('.').map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN));
  const isPlace = places.length === series.length && series.every(({ total }, i) => (places[i] as number) <= total);
  if (!isPlace)
    throw new RequestError(400, 'invalid_cursor', 'from must be the `next` of a row of an export of this account and kind.');
  if (series.some(({ first }, i) => (places[i] as number) < first)) throw forgotten(begins);
  for (const [i, one] of series.entries()) one.next = places[i] as number;
}

/** The next rows of all kinds, in their order. */
async function readPiece(history: AccountHistory, call: Call, series: readonly Series[]) {
  for (const one of series) {
    if (one.rows.length > 0 || one.next >= one.total) continue;
    const before = Math.min(one.next + ROWS_PER_PIECE, one.total);
    const page = await history.page(pastOf(call), one.kind, { before, startMs: 0, limit: before - one.next });
    if (page.first > one.next || page.rows.length !== before - one.next) throw forgotten(String(page.first));
    one.rows = page.rows.toReversed();
  }
  const read: { row: NumberedRow; next: string }[] = [];
  for (let one = earliest(series); one !== undefined; one = earliest(series)) {
    const row = one.rows.shift() as NumberedRow;
    one.next = row.number + 1;
    read.push({ row, next: placeOf(series) });
    // Rows of this kind that are not read yet may come before those of the other.
    if (one.rows.length === 0 && one.next < one.total) break;
  }
  return read;
}

/** The kind whose next row came first. Trade ids of an account rise, whatever the kind of their fills. */
function earliest(series: readonly Series[]): Series | undefined {
  let found: Series | undefined;
  for (const one of series) if (one.rows.length > 0 && (found === undefined || tidOf(one) < tidOf(found))) found = one;
  return found;
}

const tidOf = ({ rows: [next] }: Series): number => (next !== undefined && 'tid' in next.row ? next.row.tid : 0);

const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;

const forgotten = (begins: string): RequestError =>
  new RequestError(
    400,
    'seq_forgotten',
    `Rows before ${begins} are no longer kept: the account was reset, or they are older than the plan keeps. Begin without from.`,
  );
