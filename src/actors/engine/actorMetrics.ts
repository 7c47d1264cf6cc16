// The metrics that operators watch of the actors, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

import { LaterEpoch, type RedisLost } from '../../shared/errors.ts';
import { scrapedMetrics } from '../../shared/metrics/scrapedMetrics.ts';
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
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const { gauge, counters } = scrapedMetrics(registry);
  const commits = counter('actor_commits_total', 'Commits applied.');
  const commands = counter('actor_commands_total', 'Commands consumed by a commit.');
  const followerEntries = counter(
    'actor_told_entries_total',
    'Journal entries told to API nodes that follow accounts with their views.',
  );
  const followerBytes = counter('actor_told_bytes_total', 'The same in bytes, about.');
  const ended = counter('actor_shard_restarts_total', 'Shards dropped and recovered anew.');
  const laterEpochs = counter(
    'actor_later_epochs_total',
    'Shards dropped because MongoDB knew a later epoch than Redis: Redis has lost its newest take.',
  );
  const losses = counter(
    'actor_redis_losses_total',
    'Times that Redis was found without commits of a shard that a pod had seen answered, or that MongoDB has.',
  );
  const faults = new Counter({
    name: 'actor_faults_total',
    help: 'Commands parked and accounts quarantined: each is a bug.',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of ['parked', 'quarantined']) faults.inc({ kind }, 0); // an alert sees the first one only beside a zero
  const missed = counter(
    'actor_missed_liquidations_total',
    'Accounts that the liquidation scan found and a mark should have woken: each is a bug.',
  );
  const houseGauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['shard'], registers });
  const houseCash = houseGauge('house_cash_usd', 'Fees, less funding and take-overs that the house has paid, USD.');
  const houseLoss = houseGauge('house_loss_usd', 'What accounts owed beyond their equity when the house took them over, USD.');
  gauge('actor_shards', 'Shards that this pod owns.', read.shards);
  gauge('actor_accounts', 'Accounts in memory.', read.accounts);
  gauge(
    'actor_tail_bytes',
    'Journal entries and history rows in memory that MongoDB may not have yet, bytes, about.',
    read.tailBytes,
  );
  const journalFull = new Counter({
    name: 'actor_journal_full_total',
    help: 'Commands refused because an account, or a whole shard, fills its bytes of the journal.',
    labelNames: ['bound'],
    registers,
  });
  for (const bound of ['account', 'shard']) journalFull.inc({ bound }, 0);
  gauge('actor_journal_bytes', 'Bytes of the journals of the shards that this pod owns.', () =>
    read.journals().reduce((sum, { bytes }) => sum + bytes, 0),
  );
  gauge(
    'actor_unconfirmed_seconds',
    'How long the oldest commit of this pod’s shards has waited for the replicas of REDIS_MIN_REPLICAS.',
    () => read.unconfirmedMs() / 1000,
  );
  gauge('actor_halted_accounts', 'Accounts that are answered 503: in quarantine, or not loaded.', read.halted);
  gauge(
    'actor_accounts_in_danger',
    'Accounts below a maintenance margin that are not liquidated, because a mark or a book of one of their coins is too old.',
    read.inDanger,
  );
  gauge(
    'actor_history_lag_seconds',
    'Age of the oldest journal entry that MongoDB lacks though it is due, of this pod’s shards.',
    () => read.historyLagMs() / 1000,
  );
  /** Counted here and shown at a scrape: each entry passes, and finding a counter by its label takes longer than counting. */
  const events = new Map<string, number>();
  counters(
    'actor_events_total',
    'Events of accounts by type: orderFilled, orderEnded, liquidated and so on. Those of a commit that fails count again when it is repeated.',
    { label: 'type', read: () => events },
  );
  const onLoad = shardLoadMetrics(registry);
  shardMetrics(registry, read);
  gauge('actor_refused_shards', 'Shards given back because a newer build has written in them.', read.refused);
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
