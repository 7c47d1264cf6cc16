// Makes deliveries of what has happened in the accounts of users with endpoints. Each endpoint remembers for each account the entry that it
// has reached, and that moves after the deliveries are written. Whatever dies in between, they are written again under the same ids.
// Entries come from the journals as soon as Redis cannot lose them (followJournals.ts). An endpoint that is behind, because it is new, was
// paused, had a full queue, or because no process ran, is brought up from the history in MongoDB first: what the journal does not have any
// more is there. So an endpoint with rows that cannot be read holds up no other. The same look tells of the user's own events.
import type { SnapshotDocument } from '../../../actors/core/history/historyDocuments.ts';
import { accountAddresses } from '../../../shared/access/subAccountAddress.ts';
import { paidUntilOf } from '../../../shared/access/subscription.ts';
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { type AuditAction, AuditLog, type AuditRow } from '../../../shared/mongo/auditLog.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { fromAny } from '../deliver/turns.ts';
import type { AlertKind } from '../rules/alertKinds.ts';
import { trialEndAt } from '../rules/thresholds.ts';
import { AlertDeliveries, newDelivery, USER_LANE } from '../store/alertDeliveries.ts';
import { ACT_KINDS, type ActKind, type AlertEndpointDocument, AlertNotes } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { JournalFollower } from './followJournals.ts';
import { type Followed, guarded, kindsOf, putDeliveries, roomOf, rowsAfter, tellRows } from './tellRows.ts';
import { accountsOf, type OutboxParts, type Owner, ownersOf } from './watchParts.ts';

/** One look at all endpoints. @param journals absent = from the history alone */
export async function fillOutbox(parts: OutboxParts, journals?: JournalFollower): Promise<void> {
  const all: Followed[] = [];
  for await (const step of new AlertEndpoints(parts.mongo).active()) all.push(...(await fillStep(parts, step)));
  await journals?.follow(parts, all);
}

/** @returns what the journals may go on with */
async function fillStep(parts: OutboxParts, step: readonly AlertEndpointDocument[]): Promise<Followed[]> {
  const { mongo } = parts;
  const owners = await ownersOf(mongo, step);
  const reached = await reachedBy(mongo, [...owners.values()].flatMap(accountAddresses));
  const followed: Followed[] = [];
  for (const endpoint of step) {
    const owner = owners.get(endpoint.userId);
    if (owner === undefined) await forget(mongo, endpoint);
    else {
      const own = fromAny(accountsOf(endpoint, owner)).map(
        (account): Followed => ({ endpoint, account, reached: reached.get(account) ?? NOWHERE }),
      );
      for (const one of own) await guarded(parts, one, () => fromHistory(parts, one));
      if (kindsOf(endpoint).length > 0) followed.push(...own);
    }
  }
  await followUsers(parts, step, owners);
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

// Tells of what is about a user and stands in no account's history: the end of a trial, by the user's document and the clock, and new
// keys and devices, by the audit log. A delivery's id is made from the end, or from the row: what is looked at twice is written once.

/** Acts that are told, and as what. */
const ACTS: Readonly<Partial<Record<AuditAction, ActKind>>> = {
  'api_key.created': 'new_key',
  'api_key.rotated': 'new_key',
  'login.new_device': 'new_device',
};
const ACTIONS = Object.keys(ACTS) as AuditAction[];
/** A row has the time at which its request came, and is written later: a look goes back this far, ms. */
const ROW_DELAY_MS = 5 * MINUTE_MS;
/** The place up to which rows were read is moved when it is so old, ms: not at every look. */
const MOVE_AFTER_MS = 60_000;

/** One step of a look. */
async function followUsers(
  parts: OutboxParts,
  step: readonly AlertEndpointDocument[],
  owners: ReadonlyMap<string, Owner>,
): Promise<void> {
  for (const endpoint of step) {
    const owner = owners.get(endpoint.userId);
    if (owner !== undefined && endpoint.kinds.includes('trial_end')) await tellTrialEnd(parts, endpoint, owner);
  }
  const told = step.filter(({ kinds, userId }) => owners.has(userId) && ACT_KINDS.some((kind) => kinds.includes(kind)));
  if (told.length > 0) await tellActs(parts, told);
}

async function tellTrialEnd(parts: OutboxParts, endpoint: AlertEndpointDocument, owner: Owner): Promise<void> {
  const { config, mongo, now } = parts;
  const end = trialEndAt(paidUntilOf(owner, config), now());
  if (end === undefined || end.timeMs < endpoint.createdAt.getTime()) return;
  const told = `${end.endMs} ${end.stage}`;
  if (endpoint.trialTold === told) return;
  const data = { stage: end.stage, of: end.of, ends_at: new Date(end.endMs).toISOString() };
  const isMade = await tell(parts, endpoint, [{ type: 'trial_end', timeMs: end.timeMs, place: `trial-${end.stage}`, data }]);
  if (isMade) await new AlertNotes(mongo).trialTold(endpoint._id, told);
}

async function tellActs(parts: OutboxParts, endpoints: readonly AlertEndpointDocument[]): Promise<void> {
  const { mongo, now } = parts;
  const nowMs = now();
  const from = Math.min(...endpoints.map(readUpToMs)) - ROW_DELAY_MS;
  const userIds = [...new Set(endpoints.map(({ userId }) => userId))];
  const full = new Set<string>();
  for await (const rows of new AuditLog(mongo).since(new Date(from), { userIds, actions: ACTIONS })) {
    for (const endpoint of endpoints) {
      const sinceMs = Math.max(endpoint.createdAt.getTime(), readUpToMs(endpoint) - ROW_DELAY_MS);
      const own = rows.filter(({ userId, at }) => userId === endpoint.userId && at.getTime() >= sinceMs);
      const acts = own.flatMap((row) => actOf(endpoint, row));
      if (!(await tell(parts, endpoint, acts))) full.add(endpoint._id);
    }
  }
  const moved = endpoints.filter((endpoint) => !full.has(endpoint._id) && nowMs - readUpToMs(endpoint) > MOVE_AFTER_MS);
  const ids = moved.map(({ _id }) => _id);
  if (ids.length > 0) await new AlertNotes(mongo).actsUpTo(ids, new Date(nowMs));
}

const readUpToMs = ({ actsUpTo, createdAt }: AlertEndpointDocument): number => (actsUpTo ?? createdAt).getTime();

interface UserAlert {
  readonly type: AlertKind;
  readonly timeMs: number;
  /** Among those of the time. */
  readonly place: string;
  readonly data: object;
}

function actOf({ kinds, actsSince }: AlertEndpointDocument, row: AuditRow): UserAlert[] {
  const { _id, action, outcome, at, actor, address, account, detail } = row;
  const type = ACTS[action];
  if (type === undefined || !kinds.includes(type) || outcome !== 'ok') return [];
  if (at.getTime() < (actsSince?.[type]?.getTime() ?? 0)) return [];
  const place = _id.slice(_id.lastIndexOf(':') + 1);
  const from = { by: actor, address };
  const key = { key_id: detail ?? null, rotated: action === 'api_key.rotated', bound_to: account ?? null, ...from };
  return [{ type, timeMs: at.getTime(), place, data: type === 'new_key' ? key : { address } }];
}

/** @returns false when the endpoint's queue is full: they are told later */
async function tell(parts: OutboxParts, endpoint: AlertEndpointDocument, alerts: readonly UserAlert[]): Promise<boolean> {
  if (alerts.length === 0) return true;
  const drafts = alerts.map((alert) => newDelivery(endpoint, { lane: USER_LANE, seq: alert.timeMs, place: alert.place }, alert));
  const unknown = await new AlertDeliveries(parts.mongo).unknown(drafts);
  if (unknown.length === 0) return true;
  if ((await roomOf(parts.mongo, endpoint)) <= 0) return false;
  await putDeliveries(parts, endpoint, unknown);
  return true;
}
