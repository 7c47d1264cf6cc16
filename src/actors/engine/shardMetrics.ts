// Metrics of the shards that this pod owns: bytes in Redis and their bounds, read at each scrape, so that an alert comes before a bound;
// cost of the pod's one thread; progress of the archive.
import { Counter, Gauge, type Registry } from 'prom-client';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/waiting.ts';

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

/** A scrape waits no longer for Redis, ms. */
const ANSWER_MS_MAX = 500;

/** What a shard that this pod owns has in Redis, bytes: waiting commands, remembered answers, kept snapshots. */
interface ShardBytes {
  readonly shard: number;
  readonly mailboxes: number;
  readonly answers: number;
  readonly kept: number;
}

/** Of each shard; nothing while Redis does not answer. */
export const readShardBytes = (redis: Redis, shards: readonly number[]): Promise<readonly ShardBytes[]> =>
  ofEach(shards, async (shard) => {
    const [mailboxes, answers, kept] = await Promise.all([
      redis.hget(shardKeys.mailboxBytes(shard), '_all'),
      redis.hget(shardKeys.answerBytes(shard), '_all'),
      redis.hget(shardKeys.kept(shard), '_bytes'),
    ]);
    return { shard, mailboxes: Number(mailboxes ?? 0), answers: Number(answers ?? 0), kept: Number(kept ?? 0) };
  });

/** How many commands of each shard are parked; nothing while Redis does not answer. */
export const countDeadLetters = (
  redis: Redis,
  shards: readonly number[],
): Promise<readonly { shard: number; letters: number }[]> =>
  ofEach(shards, async (shard) => ({ shard, letters: await redis.xlen(shardKeys.dead(shard)) }));

function ofEach<Answer>(shards: readonly number[], read: (shard: number) => Promise<Answer>): Promise<readonly Answer[]> {
  return withTimeout(ANSWER_MS_MAX, 'Redis', Promise.all(shards.map(read))).catch(() => []);
}

/** What operators watch of the archive. */
export interface ArchiveMetrics {
  onArchived(written: { readonly entries: number; readonly bytes: number }): void;
  onFailure(): void;
  onCopyFailure(): void;
  /** Documents that will not be copied. */
  onCopyMissed(documents: number): void;
}

/** @param read.lagMs age of the oldest journal entry that history has and the archive lacks, ms; the worst of the pod's shards */
export function archiveMetrics(registry: Registry, read: { readonly lagMs: () => number }): ArchiveMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const entries = counter('actor_archive_entries_total', 'Journal entries written into the archive.');
  const bytes = counter('actor_archive_bytes_total', 'Compressed bytes written into the archive.');
  const failures = counter('actor_archive_failures_total', 'Rounds of the archive that failed; each is tried again.');
  const copyFailures = counter(
    'actor_archive_copy_failures_total',
    'Files of ARCHIVE_DIR that could not be written; each is tried again.',
  );
  const copyMissed = counter('actor_archive_copy_missed_total', 'Documents that ARCHIVE_DIR does not get: too many waited.');
  new Gauge({
    name: 'actor_archive_lag_seconds',
    help: 'Age of the oldest journal entry that history has and the archive lacks, of this pod’s shards.',
    registers,
    collect() {
      this.set(read.lagMs() / 1000);
    },
  });
  return {
    onArchived: (written) => {
      entries.inc(written.entries);
      bytes.inc(written.bytes);
    },
    onFailure: () => failures.inc(),
    onCopyFailure: () => copyFailures.inc(),
    onCopyMissed: (documents) => copyMissed.inc(documents),
  };
}
