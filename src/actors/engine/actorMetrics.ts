// The metrics that operators watch of the actors, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

import { LaterEpoch, type RedisLost } from '../../shared/errors.ts';
import type { House } from '../core/history/houseLedger.ts';
import { type ShardCost, type ShardReadings, shardLoadMetrics, shardMetrics } from './shardMetrics.ts';

/** Entries that API nodes are told of accounts that they follow. */
export interface FollowerEntries {
  readonly entries: number;
  readonly chars: number;
}

export interface ActorMetrics {
  onCommit(draft: { readonly commands: number; readonly replies: { readonly followerEntries: FollowerEntries } }): void;
  onOwnershipEnded(): void;
  /** Redis has lost what a pod had seen answered, or what MongoDB knows. @param error absent = found in recovery */
  onRedisLost(error?: RedisLost): void;
  onJournalFull(bound: 'account' | 'shard'): void;
  onFault(kind: 'parked' | 'quarantined'): void;
  onMissedLiquidation(): void;
  /** What an account's entry consists of. */
  onEvents(events: readonly { readonly type: string }[]): void;
  onLoad(shard: number, load: ShardCost): void;
  /** @param house of a shard that this pod owns; undefined when it owns it no longer */
  onHouse(shard: number, house: House | undefined): void;
}

/** @param read sizes at the moment of a scrape */
export function actorMetrics(
  registry: Registry,
  read: ShardReadings & {
    shards: () => number;
    accounts: () => number;
    halted: () => number;
    /** Accounts whose liquidation waits for a mark or a book. */
    inDanger: () => number;
    refused: () => number;
    tailBytes: () => number;
    /** How long a shard of the pod has waited for the replicas of REDIS_MIN_REPLICAS, ms. */
    unconfirmedMs: () => number;
    /** Age of the oldest journal entry that MongoDB lacks though it is due, ms; the worst of the pod's shards. */
    historyLagMs: () => number;
  },
): ActorMetrics {
  const registers = [registry];
  const commits = new Counter({ name: 'actor_commits_total', help: 'Commits applied.', registers });
  const commands = new Counter({ name: 'actor_commands_total', help: 'Commands consumed by a commit.', registers });
  const followerEntries = new Counter({
    name: 'actor_told_entries_total',
    help: 'Journal entries told to API nodes that follow accounts with their views.',
    registers,
  });
  const followerBytes = new Counter({ name: 'actor_told_bytes_total', help: 'The same in bytes, about.', registers });
  const ended = new Counter({ name: 'actor_shard_restarts_total', help: 'Shards dropped and recovered anew.', registers });
  const laterEpochs = new Counter({
    name: 'actor_later_epochs_total',
    help: 'Shards dropped because MongoDB knew a later epoch than Redis: Redis has lost its newest take.',
    registers,
  });
  const losses = new Counter({
    name: 'actor_redis_losses_total',
    help: 'Times that Redis was found without commits of a shard that a pod had seen answered, or that MongoDB has.',
    registers,
  });
  const faults = new Counter({
    name: 'actor_faults_total',
    help: 'Commands parked and accounts quarantined: each is a bug.',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of ['parked', 'quarantined']) faults.inc({ kind }, 0); // an alert sees the first one only beside a zero
  const missed = new Counter({
    name: 'actor_missed_liquidations_total',
    help: 'Accounts that the liquidation scan found and a mark should have woken: each is a bug.',
    registers,
  });
  const houseGauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['shard'], registers });
  const houseCash = houseGauge('house_cash_usd', 'Fees, less funding and take-overs that the house has paid, USD.');
  const houseLoss = houseGauge('house_loss_usd', 'What accounts owed beyond their equity when the house took them over, USD.');
  new Gauge({
    name: 'actor_shards',
    help: 'Shards that this pod owns.',
    registers,
    collect() {
      this.set(read.shards());
    },
  });
  new Gauge({
    name: 'actor_accounts',
    help: 'Accounts in memory.',
    registers,
    collect() {
      this.set(read.accounts());
    },
  });
  new Gauge({
    name: 'actor_tail_bytes',
    help: 'Journal entries and history rows in memory that MongoDB may not have yet, bytes, about.',
    registers,
    collect() {
      this.set(read.tailBytes());
    },
  });
  const journalFull = new Counter({
    name: 'actor_journal_full_total',
    help: 'Commands refused because an account, or a whole shard, fills its bytes of the journal.',
    labelNames: ['bound'],
    registers,
  });
  for (const bound of ['account', 'shard']) journalFull.inc({ bound }, 0);
  new Gauge({
    name: 'actor_journal_bytes',
    help: 'Bytes of the journals of the shards that this pod owns.',
    registers,
    collect() {
      this.set(read.journals().reduce((sum, { bytes }) => sum + bytes, 0));
    },
  });
  new Gauge({
    name: 'actor_unconfirmed_seconds',
    help: 'How long the oldest commit of this pod’s shards has waited for the replicas of REDIS_MIN_REPLICAS.',
    registers,
    collect() {
      this.set(read.unconfirmedMs() / 1000);
    },
  });
  new Gauge({
    name: 'actor_halted_accounts',
    help: 'Accounts that are answered 503: in quarantine, or not loaded.',
    registers,
    collect() {
      this.set(read.halted());
    },
  });
  new Gauge({
    name: 'actor_accounts_in_danger',
    help: 'Accounts below a maintenance margin that are not liquidated, because a mark or a book of one of their coins is too old.',
    registers,
    collect() {
      this.set(read.inDanger());
    },
  });
  new Gauge({
    name: 'actor_history_lag_seconds',
    help: 'Age of the oldest journal entry that MongoDB lacks though it is due, of this pod’s shards.',
    registers,
    collect() {
      this.set(read.historyLagMs() / 1000);
    },
  });
  /** Counted here and shown at a scrape: each entry passes, and finding a counter by its label takes longer than counting. */
  const events = new Map<string, number>();
  new Counter({
    name: 'actor_events_total',
    help: 'Events of accounts by type: orderFilled, orderEnded, liquidated and so on. Those of a commit that fails count again when it is repeated.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const [type, count] of events) this.inc({ type }, count);
    },
  });
  const onLoad = shardLoadMetrics(registry);
  shardMetrics(registry, read);
  new Gauge({
    name: 'actor_refused_shards',
    help: 'Shards given back because a newer build has written in them.',
    registers,
    collect() {
      this.set(read.refused());
    },
  });
  return {
    onCommit: (draft) => {
      commits.inc();
      commands.inc(draft.commands);
      followerEntries.inc(draft.replies.followerEntries.entries);
      followerBytes.inc(draft.replies.followerEntries.chars);
    },
    onOwnershipEnded: () => ended.inc(),
    onJournalFull: (bound) => journalFull.inc({ bound }),
    onRedisLost: (error) => {
      losses.inc();
      if (error instanceof LaterEpoch) laterEpochs.inc();
    },
    onMissedLiquidation: () => missed.inc(),
    onEvents: (happened) => {
      for (const { type } of happened) events.set(type, (events.get(type) ?? 0) + 1);
    },
    onLoad,
    onHouse: (shard, house) => {
      for (const gauge of [houseCash, houseLoss]) gauge.remove({ shard });
      if (house === undefined) return;
      houseCash.set({ shard }, house.cashUsd.toNumber());
      houseLoss.set({ shard }, house.lossUsd.toNumber());
    },
    onFault: (kind) => faults.inc({ kind }),
  };
}
