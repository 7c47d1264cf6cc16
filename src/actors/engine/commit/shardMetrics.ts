// What each shard that this pod owns keeps in Redis, and the bounds of it, read at each scrape, so that an alert comes before a bound;
// and what it costs the pod's one thread.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { countDeadLetters, ShardBytes } from './shardBytes.ts';

/** What a shard has cost the pod's thread since it was last told. */
export interface ShardCost {
  readonly busySeconds: number;
  readonly commands: number;
}

export interface ShardReadings {
  readonly shardBytes: () => Promise<readonly ShardBytes[]>;
  readonly deadLetters: () => ReturnType<typeof countDeadLetters>;
  /** Bytes of the journal of each shard that this pod owns. */
  readonly journals: () => readonly { readonly shard: number; readonly bytes: number }[];
  /** Bytes of a shard past which its commands are refused. */
  readonly limits: { readonly journal: number; readonly mailboxes: number; readonly answers: number };
}

export function shardMetrics(registry: Registry, read: ShardReadings): void {
  const registers = [registry];
  const bytes = new Gauge({
    name: 'shard_bytes',
    help: 'What a shard keeps in Redis for its accounts, bytes: waiting commands (mailboxes), remembered answers (answers), snapshots (kept), journal.',
    labelNames: ['shard', 'of'],
    registers,
    async collect() {
      const shards = await read.shardBytes();
      bytes.reset();
      for (const { shard, mailboxes, answers, kept } of shards) {
        bytes.set({ shard, of: 'mailboxes' }, mailboxes);
        bytes.set({ shard, of: 'answers' }, answers);
        bytes.set({ shard, of: 'kept' }, kept);
      }
      for (const journal of read.journals()) bytes.set({ shard: journal.shard, of: 'journal' }, journal.bytes);
    },
  });
  const letters = new Gauge({
    name: 'shard_dead_letters',
    help: 'Commands of a shard that were parked: look at them with bin/admin dead-letters list.',
    labelNames: ['shard'],
    registers,
    async collect() {
      const shards = await read.deadLetters();
      letters.reset();
      for (const one of shards) letters.set({ shard: one.shard }, one.letters);
    },
  });
  const limits = new Gauge({
    name: 'shard_limit_bytes',
    help: 'Bytes of a shard past which its commands are refused: of the journal, and of mailboxes and answers with twice their variable.',
    labelNames: ['of'],
    registers,
  });
  for (const [of, limit] of Object.entries(read.limits)) limits.set({ of }, limit);
}

/** @returns to be told what a shard has cost since the last time */
export function shardLoadMetrics(registry: Registry): (shard: number, load: ShardCost) => void {
  const ofShard = (name: string, help: string) => new Counter({ name, help, labelNames: ['shard'], registers: [registry] });
  const busy = ofShard(
    'actor_shard_busy_seconds_total',
    'Time of the pod’s thread that a shard has taken: commands, market changes, what was due, commits.',
  );
  const commands = ofShard('actor_shard_commands_total', 'Commands of a shard that a commit has consumed.');
  return (shard, load) => {
    busy.inc({ shard }, load.busySeconds);
    commands.inc({ shard }, load.commands);
  };
}
