// Which accounts are halted, and why: those in quarantine, and those that their owners could not load, by Redis and by the
// heartbeats of the owners.
import { type PodStatus, parsePodStatus, shardOwners } from '../../actors/core/messages/podStatus.ts';
import {
  readNotLoaded,
  readQuarantineRecord,
  readSetAsideLine,
  type SetAside,
} from '../../actors/core/messages/quarantineRecord.ts';
import { podKeys, shardKeys } from '../../shared/redis/keys.ts';
import type { OperatorParts } from '../operatorParts.ts';

export interface HaltedAccount {
  readonly accountId: string;
  readonly shard: number;
  readonly reason: string;
  /** When it was halted; undefined when that is not known. */
  readonly sinceMs: number | undefined;
  /** Its newest entry when it was halted; undefined when that is not known. */
  readonly seq: number | undefined;
  /** Entries that were set aside; undefined = none. */
  readonly setAside: SetAside | undefined;
}

type Parts = Pick<OperatorParts, 'redis' | 'billing'>;

export async function haltedAccounts(parts: Parts): Promise<HaltedAccount[]> {
  const shards = Array.from({ length: parts.billing.config.SHARDS }, (_, shard) => shard);
  const leases = await Promise.all(shards.map((shard) => parts.redis.get(shardKeys.lease(shard))));
  const owners = await ownersOf(parts, leases);
  const found = await Promise.all(shards.map((shard) => haltedIn(parts, shard, owners[shard], leases[shard] ?? null)));
  return found.flat();
}

/** A halted account in a list. */
export const toHaltedRow = ({ accountId, shard, reason, sinceMs, seq, setAside }: HaltedAccount) => ({
  ...{ account: accountId, shard, reason, since: sinceMs === undefined ? null : new Date(sinceMs).toISOString() },
  ...{ last_seq: seq ?? null, set_aside_bytes: setAside?.bytes ?? 0 },
});

async function haltedIn(
  { redis }: Parts,
  shard: number,
  owner: PodStatus | undefined,
  lease: string | null,
): Promise<HaltedAccount[]> {
  const [notLoaded, records, index] = await Promise.all([
    redis.hgetall(shardKeys.notLoaded(shard)),
    redis.hgetall(shardKeys.quarantine(shard)),
    redis.hgetall(shardKeys.setAside(shard)),
  ]);
  const told = { ...owner?.shards.find((one) => one.shard === shard)?.haltedFor, ...readNotLoaded(notLoaded, lease) };
  return [...new Set([...Object.keys(records), ...Object.keys(told)])].map((accountId) => {
    const { [accountId]: text } = records;
    const { [accountId]: line } = index;
    const record = text === undefined ? undefined : readQuarantineRecord(text);
    const setAside = line === undefined ? undefined : readSetAsideLine(line);
    // What the owner says is newer: a lift that failed.
    return {
      accountId,
      shard,
      reason: told[accountId] ?? record?.reason ?? '',
      sinceMs: record?.atMs,
      seq: record?.seq,
      setAside,
    };
  });
}

async function ownersOf({ redis }: Parts, leases: readonly (string | null)[]): Promise<(PodStatus | undefined)[]> {
  const pods = Object.entries(await redis.hgetall(podKeys.pods)).map(([podId, value]) => parsePodStatus(podId, value));
  return shardOwners(pods, leases);
}
