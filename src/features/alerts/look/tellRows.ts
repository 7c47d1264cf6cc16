// Rows of an account's entries, from wherever they were read, become deliveries of an endpoint: the end of each look.
import { MongoError } from 'mongodb';
import type { HistoryKind } from '../../../actors/core/messages/command.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import { failedLine } from '../deliver/turns.ts';
import { WAITING_MAX } from '../rules/alertKinds.ts';
import { type AlertMessage, alertOf, messageBody, ROWS_OF } from '../rules/alertMessage.ts';
import { AlertDeliveries, deliveryId, type NewDelivery } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { OutboxParts } from '../watch/watchParts.ts';
import { firstEntries, followDrawdown, type PlacedRow, type Rows } from './rowsAfter.ts';

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
  return {
    _id: deliveryId(endpoint._id, account, seq, placeOf(row)),
    endpoint: endpoint._id,
    userId: endpoint.userId,
    lane: account,
    type: alert.type,
    body: messageBody({ ...alert, timestamp: new Date(alert.timeMs).toISOString() }, { account, seq }),
  };
}

/** Within an entry: fills before what they ended, and a liquidation and a drawdown after what they are about. */
const ORDER_OF_KINDS = ['fills', 'twapFills', 'orders', 'ledger', 'equity'];
const NUMBER_DIGITS = 12;

const placeOf = ({ kind, number }: PlacedRow['row']): string =>
  `${ORDER_OF_KINDS.indexOf(kind)}-${String(number).padStart(NUMBER_DIGITS, '0')}`;
