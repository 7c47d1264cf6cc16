// `bin/admin shards`: shows the owner of each shard, its waiting commands, its parked commands and its halted
// accounts.
import { type PodStatus, parsePodStatus, shardOwners } from '../actors/domain/messages/podStatus.ts';
import { podKeys, shardKeys } from '../shared/redis/keys.ts';
import type { AdminCommand } from './adminCommand.ts';

export const showShards: AdminCommand = {
  name: 'shards',
  takes: '',
  does: 'shows the owner of every shard, its accounts, and what waits, was parked or is in quarantine',
  async run(_args, { redis, billing }) {
    const shards = Array.from({ length: billing.config.SHARDS }, (_, shard) => shard);
    const leases = await Promise.all(shards.map((shard) => redis.get(shardKeys.lease(shard))));
    const pods = Object.entries(await redis.hgetall(podKeys.pods)).map(([podId, value]) => parsePodStatus(podId, value));
    const owners = shardOwners(pods, leases);
    const rows = await Promise.all(
      shards.map(async (shard) => ({
        shard,
        owner: owners[shard]?.podId ?? null,
        accounts: accountsOf(owners[shard], shard),
        waiting: await redis.scard(shardKeys.pending(shard)),
        journal: await redis.xlen(shardKeys.journal(shard)),
        parked: await redis.xlen(shardKeys.dead(shard)),
        quarantined: await redis.hlen(shardKeys.quarantine(shard)),
        halted: haltedOf(owners[shard], shard),
      })),
    );
    const heads = ['shard', 'accounts', 'waiting', 'journal', 'parked', 'quarantined', 'halted'] as const;
    const line = (cells: readonly (string | number)[], owner: string): string =>
      `${cells.map((cell, i) => String(cell).padStart((heads[i] ?? '').length)).join('  ')}  ${owner}`;
    return {
      data: { shards: rows },
      lines: [
        line(heads, 'owner'),
        ...rows.map((row) =>
          line(
            heads.map((head) => row[head]),
            row.owner ?? '(nobody)',
          ),
        ),
      ],
    };
  },
};

/** Accounts that its owner answers 503 for: those in quarantine, and those that it could not load. */
const haltedOf = (pod: PodStatus | undefined, shard: number): number =>
  pod?.shards.find((one) => one.shard === shard)?.halted ?? 0;

const accountsOf = (pod: PodStatus | undefined, shard: number): number =>
  pod?.shards.find((one) => one.shard === shard)?.accounts ?? 0;
