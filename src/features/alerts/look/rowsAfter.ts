// The history rows of an account after an entry, oldest first, as far as MongoDB has all of them. Rows are written before the snapshot of
// their account (src/actors/engine/journal/historySession.ts): up to the snapshot's entry nothing is missing, of any kind of rows.
import { type RowsDocument, readSequencedRow } from '../../../actors/core/history/historyDocuments.ts';
import type { HistoryKind } from '../../../actors/core/messages/command.ts';
import type { EquityRow, NumberedRow } from '../../../actors/core/messages/historyRows.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { AlertMessage } from '../rules/alertMessage.ts';
import { followEquity } from '../rules/thresholds.ts';
import { type AlertEndpointDocument, type DrawdownNote, settingsOf } from '../store/alertEndpoint.ts';

/** Rows of a kind after which no further document is read; one has 256 at most. */
const ROWS_ENOUGH = 256;

export interface PlacedRow {
  readonly seq: number;
  readonly row: NumberedRow;
}

interface Stretch {
  readonly account: string;
  readonly kinds: readonly HistoryKind[];
  /** Entries up to this one are not wanted. */
  readonly after: number;
  /** Of the account's snapshot. */
  readonly upTo: number;
}

export interface Rows {
  readonly rows: readonly PlacedRow[];
  /** The entry up to which they are all there. */
  readonly upTo: number;
}

/** @returns rows in the order of their entries */
export async function rowsAfter(mongo: MongoConnection, { account, kinds, after, upTo }: Stretch): Promise<Rows> {
  const parts = await Promise.all(kinds.map((kind) => rowsOfKind(mongo, { account, kind, after, upTo })));
  const reached = Math.min(upTo, ...parts.map((part) => part.upTo));
  const rows = parts.flatMap((part) => part.rows).filter(({ seq }) => seq <= reached);
  // Within an entry: by the order of the kinds, then by number.
  return { rows: rows.sort((a, b) => a.seq - b.seq), upTo: reached };
}

/** The first of them, `most` at most, in whole entries; the first entry whole, also where it alone has more. */
export function firstEntries(found: Rows, most: number): Rows {
  const beyond = found.rows[most];
  if (beyond === undefined) return found;
  const upTo = beyond.seq === found.rows[0]?.seq ? beyond.seq : beyond.seq - 1;
  return { rows: found.rows.filter(({ seq }) => seq <= upTo), upTo };
}

async function rowsOfKind(
  { db }: MongoConnection,
  { account, kind, after, upTo }: Omit<Stretch, 'kinds'> & { readonly kind: HistoryKind },
): Promise<Rows> {
  const history = db.collection<RowsDocument>(collections.history);
  const ids: string[] = [];
  const ofKind = { _id: { $gte: `${account}:${kind}:`, $lt: `${account}:${kind};` } };
  for await (const { _id, lastSeq } of history.find(ofKind, { projection: { lastSeq: 1 } }).sort({ _id: -1 })) {
    if (lastSeq <= after) break;
    ids.push(_id);
  }
  const rows: PlacedRow[] = [];
  for (const _id of ids.reverse()) {
    const document = await history.findOne({ _id });
    for (const text of document?.rows ?? []) {
      const placed = readSequencedRow(text, kind);
      if (placed.seq > after && placed.seq <= upTo) rows.push(placed);
    }
    // The newest entry may go on in the next document, so only those before it are whole.
    const whole = (rows.at(-1)?.seq ?? 0) - 1;
    if (rows.length >= ROWS_ENOUGH && whole > after) return { rows: rows.filter(({ seq }) => seq <= whole), upTo: whole };
  }
  return { rows, upTo };
}

/** The newest point of an account's equity curve up to an entry; undefined = there is none, or it is gone. */
async function equityUpTo(
  { db }: MongoConnection,
  { account, upTo }: { readonly account: string; readonly upTo: number },
): Promise<EquityRow | undefined> {
  const history = db.collection<RowsDocument>(collections.history);
  const ofKind = { _id: { $gte: `${account}:equity:`, $lt: `${account}:equity;` } };
  for await (const { rows } of history.find(ofKind).sort({ _id: -1 })) {
    const placed = rows.map((text) => readSequencedRow(text, 'equity')).findLast(({ seq }) => seq <= upTo);
    if (placed !== undefined) return placed.row.row;
  }
  return undefined;
}

// Follows the equity curve of an account for an endpoint that is told of drawdowns. Where it stands is noted with the entry that the
// endpoint has reached, so the same rows always give the same alerts. The peak is the highest point since the endpoint follows it.

interface Followed {
  readonly alerts: ReadonlyMap<PlacedRow, AlertMessage>;
  /** As of the newest row; absent = nothing has changed. */
  readonly note?: DrawdownNote | undefined;
}

/** @param rows of all kinds, oldest first */
export async function followDrawdown(
  mongo: MongoConnection,
  { endpoint, account, after }: { readonly endpoint: AlertEndpointDocument; readonly account: string; readonly after: number },
  rows: readonly PlacedRow[],
): Promise<Followed> {
  const alerts = new Map<PlacedRow, AlertMessage>();
  if (!endpoint.kinds.includes('drawdown') || !rows.some(({ row }) => row.kind === 'equity')) return { alerts };
  const { drawdownPercent: percent } = settingsOf(endpoint);
  let note = endpoint.drawdowns?.[account];
  if (note === undefined) {
    const point = await equityUpTo(mongo, { account, upTo: after });
    note = point && followEquity(undefined, point, percent).state;
  }
  for (const placed of rows) {
    if (placed.row.kind !== 'equity') continue;
    const { row: point } = placed.row;
    const { state, alert } = followEquity(note, point, percent);
    note = state;
    if (alert !== undefined) alerts.set(placed, { type: 'drawdown', timeMs: point.timeMs, data: alert });
  }
  return { alerts, note };
}
