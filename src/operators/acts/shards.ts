// Shards as operators see them: every shard with its owner, what it costs the owner's thread and whose accounts that is, and what waits, was
// parked or is halted.

import { Type } from '@sinclair/typebox';
import { nodeOf, type PodStatus, type ShardLoadRecord } from '../../actors/core/messages/podStatus.ts';
import { Address, Count, exactly, orNull } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { redisTimeMs } from '../../shared/deployment/liveProcesses.ts';
import { readPins, type ShardPins } from '../../shared/domain/shards.ts';
import { podKeys, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { operatorLook } from './operatorAct.ts';
import type { OperatorParts } from './operatorParts.ts';
import { readOwners, readPods } from './shardReads.ts';

/**
 * @param ttlMs life of a lease: who is silent for longer does not count, as in the ranking
 * @returns without those that leave
 */
export async function livePods(redis: Redis, ttlMs: number): Promise<PodStatus[]> {
  const [pods, nowMs] = await Promise.all([readPods(redis), redisTimeMs(redis)]);
  return pods.filter(({ leaving, atMs }) => !leaving && nowMs - atMs <= ttlMs);
}

interface ShardRow {
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

interface ReadShards {
  readonly rows: readonly ShardRow[];
  /** Undefined: which shards are moved cannot be read. */
  readonly pins: ShardPins | undefined;
}

/** The busiest first. */
async function readShards(parts: Pick<OperatorParts, 'redis' | 'billing'>): Promise<ReadShards> {
  const { redis } = parts;
  const { leases, owners } = await readOwners(parts);
  const pins = readPins((await redis.get(podKeys.pins)) ?? '');
  const rows = await Promise.all(leases.map((lease, shard) => rowOf(redis, { shard, lease, owner: owners[shard], pins })));
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

const Load = named(
  'ShardLoad',
  exactly({
    seconds: described(Type.Number(), 'How long it was counted.'),
    busy: described(Type.Number(), 'Part of the owner’s one thread, 0 to 1.'),
    commands: described(Type.Number(), 'A second.'),
    journalBytes: Type.Number(),
    top: described(
      Type.Array(named('LoudAccount', exactly({ account: Address, busy: Type.Number(), times: Type.Number() }))),
      'The accounts that took most of it.',
    ),
  }),
);

/** Every shard: the busiest first. */
export const showShards = operatorLook<void, ReadShards & { readonly live: readonly PodStatus[] }>({
  look: async (parts) => {
    const live = await livePods(parts.redis, parts.billing.config.LEASE_TTL_MS);
    return { live, ...(await readShards(parts)) };
  },
  command: {
    name: 'shards',
    takes: '',
    does: 'shows every shard, the busiest first: its owner, load, accounts, and what waits, was parked or is in quarantine',
    data: (_asked, seen) => ({ shards: seen?.rows }),
    lines: ({ rows, pins, live }) => [lineOf(HEADS, HEADS, 'owner'), ...rows.flatMap(linesOf), ...movesOf(pins, live)],
  },
  endpoint: {
    id: 'listShards',
    path: '/v1/admin/shards',
    summary: 'Every shard, the busiest first: its owner, load, accounts, and what waits.',
    answer: named(
      'ShardList',
      exactly({
        shards: Type.Array(
          named(
            'Shard',
            exactly({
              shard: Count,
              owner: orNull(Type.String()),
              epoch: described(Count, 'Of the lease; 0 = no pod has it.'),
              moved_to: described(orNull(Type.String()), 'The pod to which an operator has moved it.'),
              load: described(orNull(Load), 'Null when its owner has not said yet.'),
              accounts: Count,
              waiting: described(Count, 'Accounts with commands that wait.'),
              mailbox_bytes: Count,
              journal: described(Count, 'Commits that MongoDB or the archive may lack.'),
              parked: Count,
              quarantined: Count,
              halted: Count,
            }),
          ),
        ),
      }),
    ),
    ask: () => undefined,
  },
});

const HEADS = [
  ...['shard', 'busy %', 'cmd/s', 'accounts', 'waiting', 'mailbox kB', 'journal', 'journal kB'],
  ...['parked', 'quarantined', 'halted', 'epoch'],
] as const;

const lineOf = (heads: readonly string[], cells: readonly string[], last: string): string =>
  `${cells.map((cell, i) => cell.padStart((heads[i] ?? '').length)).join('  ')}  ${last}`;

/** The row, and the accounts that make most of its load. */
function linesOf(row: ShardRow): string[] {
  const { shard, load, accounts, waiting, journal, parked, quarantined, halted, epoch } = row;
  const cells = [
    ...[shard, load === null ? '-' : percent(load.busy), load === null ? '-' : load.commands, accounts, waiting],
    ...[kB(row.mailbox_bytes), journal, load === null ? '-' : kB(load.journalBytes), parked, quarantined, halted, epoch],
  ];
  const moved = row.moved_to === null ? '' : `  (moved to ${row.moved_to})`;
  const tops = load?.top.filter(({ busy }) => busy >= SHOWN_FROM) ?? [];
  return [
    lineOf(HEADS, cells.map(String), `${row.owner ?? '(nobody)'}${moved}`),
    ...tops.map(({ account, busy, times }) => `${' '.repeat(7)}${percent(busy).padStart(6)}  ${account}, ${times} a second`),
  ];
}

/** Accounts with a smaller part of the thread are left to --json. */
const SHOWN_FROM = 0.001;
const percent = (part: number): string => (part * 100).toFixed(1);
const kB = (bytes: number): string => (bytes / 1000).toFixed(0);

/** Moves that have no effect at the moment, in words. */
function movesOf(pins: ShardPins | undefined, live: readonly PodStatus[]): string[] {
  if (pins === undefined)
    return [
      'Which shards are moved cannot be read: a newer build has written it, or an operator by hand. No pod of this build goes by it.',
    ];
  const names = new Set(live.map(({ podId }) => nodeOf(podId)));
  return pins.pins
    .filter(({ node }) => !names.has(node))
    .map(({ shard, node }) => `Shard ${shard} is moved to ${node}, which is not there: it goes by the ranking until it comes.`);
}
