// Makes deliveries of what has happened in the accounts of users with endpoints. Each endpoint remembers for each account the entry that it
// has reached, and that moves after the deliveries are written. Whatever dies in between, they are written again under the same ids.
// Entries come from the journals as soon as Redis cannot lose them (followJournals.ts). An endpoint that is behind, because it is new, was
// paused, had a full queue, or because no process ran, is brought up from the history in MongoDB first: what the journal does not have any
// more is there. So an endpoint with rows that cannot be read holds up no other. What is about the user and stands in no history is told in
// the same look (followUser.ts).
import type { SnapshotDocument } from '../../../actors/core/history/historyDocuments.ts';
import { accountAddresses } from '../../../shared/access/subAccountAddress.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { fromAny } from '../deliver/turns.ts';
import { AlertDeliveries } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { OutboxParts, Owner } from '../watch/watchParts.ts';
import type { JournalFollower } from './followJournals.ts';
import { followUsers } from './followUser.ts';
import { rowsAfter } from './rowsAfter.ts';
import { type Followed, guarded, kindsOf, roomOf, tellRows } from './tellRows.ts';

/** One look at all endpoints. @param journals absent = from the history alone */
export async function fillOutbox(parts: OutboxParts, journals?: JournalFollower): Promise<void> {
  const all: Followed[] = [];
  for await (const step of new AlertEndpoints(parts.mongo).active()) all.push(...(await fillStep(parts, step)));
  await journals?.follow(parts, all);
}

/** @returns what the journals may go on with */
async function fillStep(parts: OutboxParts, step: readonly AlertEndpointDocument[]): Promise<Followed[]> {
  const { mongo } = parts;
  const ids = [...new Set(step.map(({ userId }) => userId))];
  const projection = { address: 1, subAccountsMade: 1, trialExpiresAt: 1, subscriptionExpiresAt: 1 };
  const owners = await mongo.db
    .collection<Owner>(collections.users)
    .find({ _id: { $in: ids } }, { projection })
    .toArray();
  const accountsOf = new Map(owners.map((owner) => [owner._id, accountAddresses(owner)]));
  const reached = await reachedBy(mongo, [...accountsOf.values()].flat());
  const followed: Followed[] = [];
  for (const endpoint of step) {
    const accounts = accountsOf.get(endpoint.userId);
    if (accounts === undefined) await forget(mongo, endpoint);
    else {
      const own = fromAny(accounts)
        .filter((account) => endpoint.account === undefined || endpoint.account === account)
        .map((account): Followed => ({ endpoint, account, reached: reached.get(account) ?? NOWHERE }));
      for (const one of own) await guarded(parts, one, () => fromHistory(parts, one));
      if (kindsOf(endpoint).length > 0) followed.push(...own);
    }
  }
  await followUsers(parts, step, new Map(owners.map((owner) => [owner._id, owner])));
  return followed;
}

const NOWHERE = { seq: 0, commit: 0 };

/** By account: the newest entry up to which MongoDB has everything. */
async function reachedBy(mongo: MongoConnection, accounts: readonly string[]): Promise<ReadonlyMap<string, Followed['reached']>> {
  const snapshots = mongo.db.collection<SnapshotDocument>(collections.accounts);
  const found = await snapshots.find({ _id: { $in: [...accounts] } }, { projection: { seq: 1, commit: 1 } }).toArray();
  return new Map(found.map(({ _id, seq, commit }) => [_id, { seq, commit }]));
}

/** The user is deleted. */
async function forget(mongo: MongoConnection, { _id, userId }: AlertEndpointDocument): Promise<void> {
  await new AlertEndpoints(mongo).remove(userId, _id);
  await new AlertDeliveries(mongo).removeOf(_id);
}

async function fromHistory(parts: OutboxParts, one: Followed): Promise<void> {
  const { endpoint, account, reached } = one;
  const after = endpoint.at[account] ?? 0;
  if (reached.seq <= after) return;
  const room = await roomOf(parts.mongo, endpoint);
  if (room <= 0) return;
  const found = await rowsAfter(parts.mongo, { account, kinds: kindsOf(endpoint), after, upTo: reached.seq });
  await tellRows(parts, one, { found, room });
}
