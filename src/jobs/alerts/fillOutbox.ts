// Makes deliveries of what has happened in the accounts of users with endpoints. It follows the history in MongoDB: for each account an
// endpoint remembers the entry that it has reached, and that moves after the deliveries are written. Whatever dies in between, they are
// written again under the same ids. An endpoint with a full queue goes on later: its events wait in the history. So does one with rows that
// cannot be read: it holds up no other. What is about the user and stands in no history is told in the same look (followUser.ts).
import { MongoError } from 'mongodb';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { accountAddresses } from '../../shared/access/subAccountAddress.ts';
import { AlertDeliveries, deliveryId, type NewDelivery } from '../../shared/alerts/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../../shared/alerts/alertEndpoint.ts';
import { AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import { WAITING_MAX } from '../../shared/domain/alerts/alertKinds.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { type AlertMessage, alertOf, messageBody, ROWS_OF } from '../domain/alertMessage.ts';
import { fromAny } from './deliver/fromAny.ts';
import { failedLine } from './deliver/turnQueues.ts';
import { followDrawdown } from './followDrawdown.ts';
import { followUsers } from './followUser.ts';
import type { OutboxParts, Owner } from './lookParts.ts';
import { firstEntries, type PlacedRow, rowsAfter } from './rowsAfter.ts';

/** One look at all endpoints. */
export async function fillOutbox(parts: OutboxParts): Promise<void> {
  const endpoints = new AlertEndpoints(parts.mongo);
  for await (const step of endpoints.active()) await fillStep(parts, step);
}

async function fillStep(parts: OutboxParts, step: readonly AlertEndpointDocument[]): Promise<void> {
  const { mongo } = parts;
  const ids = [...new Set(step.map(({ userId }) => userId))];
  const projection = { address: 1, subAccountsMade: 1, trialExpiresAt: 1, subscriptionExpiresAt: 1 };
  const owners = await mongo.db
    .collection<Owner>(collections.users)
    .find({ _id: { $in: ids } }, { projection })
    .toArray();
  const accountsOf = new Map(owners.map((owner) => [owner._id, accountAddresses(owner)]));
  const reached = await reachedBy(mongo, [...accountsOf.values()].flat());
  for (const endpoint of step) {
    const accounts = accountsOf.get(endpoint.userId);
    if (accounts === undefined) await forget(mongo, endpoint);
    else
      await followAccounts(parts, { endpoint, accounts, reached }).catch((error: Error) => {
        if (error instanceof MongoError) throw error;
        parts.log.warn(failedLine({ endpoint: endpoint._id }, error), 'alerts of an endpoint wait');
      });
  }
  await followUsers(parts, step, new Map(owners.map((owner) => [owner._id, owner])));
}

/** By account: the newest entry up to which MongoDB has everything. */
async function reachedBy(mongo: MongoConnection, accounts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const snapshots = mongo.db.collection<SnapshotDocument>(collections.accounts);
  const found = await snapshots.find({ _id: { $in: [...accounts] } }, { projection: { seq: 1 } }).toArray();
  return new Map(found.map(({ _id, seq }) => [_id, seq]));
}

/** The user is deleted. */
async function forget(mongo: MongoConnection, { _id, userId }: AlertEndpointDocument): Promise<void> {
  await new AlertEndpoints(mongo).remove(userId, _id);
  await new AlertDeliveries(mongo).removeOf(_id);
}

async function followAccounts(
  { mongo, realNow }: OutboxParts,
  at: {
    readonly endpoint: AlertEndpointDocument;
    readonly accounts: readonly string[];
    readonly reached: ReadonlyMap<string, number>;
  },
): Promise<void> {
  const { endpoint, accounts, reached } = at;
  const deliveries = new AlertDeliveries(mongo);
  const kinds = endpoint.kinds.flatMap((kind) => ROWS_OF[kind]);
  for (const account of fromAny(accounts)) {
    if (endpoint.account !== undefined && endpoint.account !== account) continue;
    const [after, upTo] = [endpoint.at[account] ?? 0, reached.get(account) ?? 0];
    if (upTo <= after) continue;
    const room = WAITING_MAX - (await deliveries.count(endpoint._id, 'waiting'));
    if (room <= 0) return;
    const found = firstEntries(await rowsAfter(mongo, { account, kinds, after, upTo }), room);
    const fall = await followDrawdown(mongo, { endpoint, account, after }, found.rows);
    const made = found.rows.flatMap((placed) => {
      const alert = fall.alerts.get(placed) ?? alertOf(placed.row);
      return alert === undefined ? [] : (deliveryOf(endpoint, { account, placed, alert }) ?? []);
    });
    const now = new Date(realNow());
    await deliveries.add(made, now);
    const turnAt = made.length > 0 ? now : undefined;
    await new AlertEndpoints(mongo).followed(endpoint, { account, seq: found.upTo, drawdown: fall.note, turnAt });
  }
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
