// `bin/admin shards`: every shard with its owner, what it costs the owner's thread and whose that is, and what waits, was parked or is
// halted. The busiest first.
import { nodeOf, type PodStatus } from '../../actors/core/messages/podStatus.ts';
import { livePods } from '../../operators/shards/livePods.ts';
import { readShards, type ShardRow } from '../../operators/shards/readShards.ts';
import type { ShardPins } from '../../shared/domain/shards.ts';
import type { AdminCommand } from '../adminCommand.ts';

export const showShards: AdminCommand = {
  name: 'shards',
  takes: '',
  does: 'shows every shard, the busiest first: its owner, load, accounts, and what waits, was parked or is in quarantine',
  async run(_args, parts) {
    const live = await livePods(parts.redis, parts.billing.config.LEASE_TTL_MS);
    const { rows, pins } = await readShards(parts);
    return { data: { shards: rows }, lines: [lineOf(HEADS, HEADS, 'owner'), ...rows.flatMap(linesOf), ...movesOf(pins, live)] };
  },
};

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
