// From rows of an account to deliveries: the rows of the history after an entry, and the deliveries of rows from anywhere.
// The history rows of an account after an entry, oldest first, as far as MongoDB has all of them. Rows are written before the snapshot of
// their account (src/actors/engine/journal/historySession.ts): up to the snapshot's entry nothing is missing, of any kind of rows.

import { MongoError } from 'mongodb';
import { type RowsDocument, readSequencedRow } from '../../../actors/core/history/historyDocuments.ts';
import type { EquityRow, HistoryKind, NumberedRow } from '../../../actors/core/messages/historyRows.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { failedLine } from '../deliver/turns.ts';
import { WAITING_MAX } from '../rules/alertKinds.ts';
import { type AlertMessage, alertOf, ROWS_OF } from '../rules/alertMessage.ts';
import { type DrawdownState, followEquity } from '../rules/thresholds.ts';
import { AlertDeliveries, type NewDelivery, newDelivery } from '../store/alertDeliveries.ts';
import { type AlertEndpointDocument, settingsOf } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { OutboxParts } from './watchParts.ts';

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

interface Rows {
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
function firstEntries(found: Rows, most: number): Rows {
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

interface FollowedRows {
  readonly alerts: ReadonlyMap<PlacedRow, AlertMessage>;
  /** As of the newest row; absent = nothing has changed. */
  readonly note?: DrawdownState | undefined;
}

/** @param rows of all kinds, oldest first */
async function followDrawdown(
  mongo: MongoConnection,
  { endpoint, account, after }: { readonly endpoint: AlertEndpointDocument; readonly account: string; readonly after: number },
  rows: readonly PlacedRow[],
): Promise<FollowedRows> {
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

// Rows of an account's entries, from wherever they were read, become deliveries of an endpoint: the end of each look.

/** An endpoint and one of the accounts that it is told of, during a look. */
export interface Followed {
  /** As it is after what this look has noted. */
  endpoint: AlertEndpointDocument;
  readonly account: string;
  /** The account's snapshot in MongoDB, which has everything up to it. */
  readonly reached: { readonly seq: number; readonly commit: number };
}

/** Kinds of rows in which its alerts are found. */
export const kindsOf = ({ kinds }: AlertEndpointDocument): HistoryKind[] => kinds.flatMap((kind) => ROWS_OF[kind]);

/** So many more deliveries may wait. */
export const roomOf = async (mongo: MongoConnection, { _id }: AlertEndpointDocument): Promise<number> =>
  WAITING_MAX - (await new AlertDeliveries(mongo).count(_id, 'waiting'));

/** A failure of MongoDB ends the look; any other holds up the alerts of this account alone. */
export async function guarded(
  { log }: Pick<OutboxParts, 'log'>,
  { endpoint }: Followed,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof MongoError) throw error;
    log.warn(failedLine({ endpoint: endpoint._id }, error as Error), 'alerts of an endpoint wait');
  }
}

/**
 * Writes deliveries of rows that follow the entry which the endpoint has reached, and notes how far it is then.
 * @param of.found every row of these entries, oldest first
 */
export async function tellRows(
  { mongo, realNow }: Pick<OutboxParts, 'mongo' | 'realNow'>,
  one: Followed,
  { found, room }: { readonly found: Rows; readonly room: number },
): Promise<void> {
  const { endpoint, account } = one;
  const { rows, upTo } = firstEntries(found, room);
  const fall = await followDrawdown(mongo, { endpoint, account, after: endpoint.at[account] ?? 0 }, rows);
  const made = rows.flatMap((placed) => {
    const alert = fall.alerts.get(placed) ?? alertOf(placed.row);
    return alert === undefined ? [] : (deliveryOf(endpoint, { account, placed, alert }) ?? []);
  });
  const now = new Date(realNow());
  await new AlertDeliveries(mongo).add(made, now);
  const turnAt = made.length > 0 ? now : undefined;
  await new AlertEndpoints(mongo).followed(endpoint, { account, seq: upTo, drawdown: fall.note, turnAt });
  const drawdowns = fall.note && { drawdowns: { ...endpoint.drawdowns, [account]: fall.note } };
  one.endpoint = { ...endpoint, at: { ...endpoint.at, [account]: upTo }, ...drawdowns };
}

function deliveryOf(
  endpoint: AlertEndpointDocument,
  of: { readonly account: string; readonly placed: PlacedRow; readonly alert: AlertMessage },
): NewDelivery | undefined {
  const { account, alert } = of;
  const { seq, row } = of.placed;
  if (!endpoint.kinds.includes(alert.type) || alert.timeMs < endpoint.createdAt.getTime()) return undefined;
  const data = { account, seq, ...alert.data };
  return newDelivery(endpoint, { lane: account, seq, place: placeOf(row) }, { ...alert, data });
}

/** Writes deliveries, and has their endpoint send them. */
export async function putDeliveries(
  { mongo, realNow }: Pick<OutboxParts, 'mongo' | 'realNow'>,
  { _id }: AlertEndpointDocument,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const now = new Date(realNow());
  await new AlertDeliveries(mongo).add(deliveries, now);
  if (deliveries.length > 0) await new AlertEndpoints(mongo).wake(_id, now);
}

/** Within an entry: fills before what they ended, and a liquidation and a drawdown after what they are about. */
const ORDER_OF_KINDS = Object.values(ROWS_OF).flat();
const NUMBER_DIGITS = 12;

const placeOf = ({ kind, number }: PlacedRow['row']): string =>
  `${ORDER_OF_KINDS.indexOf(kind)}-${String(number).padStart(NUMBER_DIGITS, '0')}`;
