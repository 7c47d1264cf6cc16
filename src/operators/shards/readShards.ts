// Every shard with its owner, what it costs the owner's thread and whose that is, and what waits, was parked or is halted.
import { type PodStatus, parsePodStatus, type ShardLoadRecord, shardOwners } from '../../actors/core/messages/podStatus.ts';
import { readPins, type ShardPins } from '../../shared/domain/shards.ts';
import { podKeys, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { OperatorParts } from '../operatorParts.ts';

export interface ShardRow {
  readonly shard: number;
  readonly owner: string | null;
  /** Of the lease; 0 = no pod has it. */
  readonly epoch: number;
  /** Name of the pod to which an operator has moved it. */
  readonly moved_to: string | null;
  /** Null when its owner has not said yet. */
  readonly load: Omit<ShardLoadRecord, 'token'> | null;
  readonly accounts: number;
  readonly waiting: number;
  readonly mailbox_bytes: number;
  readonly journal: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly halted: number;
}

/** The busiest first. @returns `pins` undefined when which shards are moved cannot be read */
export async function readShards({ redis, billing }: Pick<OperatorParts, 'redis' | 'billing'>): Promise<{
  readonly rows: readonly ShardRow[];
  readonly pins: ShardPins | undefined;
}> {
  const shards = Array.from({ length: billing.config.SHARDS }, (_, shard) => shard);
  const leases = await Promise.all(shards.map((shard) => redis.get(shardKeys.lease(shard))));
  const pods = Object.entries(await redis.hgetall(podKeys.pods)).map(([podId, value]) => parsePodStatus(podId, value));
  const pins = readPins((await redis.get(podKeys.pins)) ?? '');
  const owners = shardOwners(pods, leases);
  const rows = await Promise.all(
    shards.map((shard) => rowOf(redis, { shard, lease: leases[shard] ?? null, owner: owners[shard], pins })),
  );
  return { rows: rows.toSorted((a, b) => (b.load?.busy ?? 0) - (a.load?.busy ?? 0) || a.shard - b.shard), pins };
}

async function rowOf(
  redis: Redis,
  of: { shard: number; lease: string | null; owner: PodStatus | undefined; pins: ShardPins | undefined },
): Promise<ShardRow> {
  const { shard, lease, owner, pins } = of;
  const status = owner?.shards.find((one) => one.shard === shard);
  const [load, waiting, mailboxBytes, journal, parked, quarantined] = await Promise.all([
    redis.get(shardKeys.load(shard)),
    redis.scard(shardKeys.pending(shard)),
    redis.hget(shardKeys.mailboxBytes(shard), '_all'),
    redis.xlen(shardKeys.journal(shard)),
    redis.xlen(shardKeys.dead(shard)),
    redis.hlen(shardKeys.quarantine(shard)),
  ]);
  return {
    ...{ shard, owner: owner?.podId ?? null, epoch: Number(lease?.split(':')[0] ?? 0) },
    moved_to: pins?.pins.find((pin) => pin.shard === shard)?.node ?? null,
    load: loadOf(load, lease),
    ...{ accounts: status?.accounts ?? 0, waiting, mailbox_bytes: Number(mailboxBytes ?? 0), journal, parked, quarantined },
    // Accounts that its owner answers 503 for: those in quarantine, and those that it could not load.
    halted: status?.halted ?? 0,
  };
}

/** What an earlier owner has said says nothing of this one. */
function loadOf(text: string | null, lease: string | null): ShardRow['load'] {
  if (text === null) return null;
  const { token, ...load } = JSON.parse(text) as ShardLoadRecord;
  return token === lease ? load : null;
}
