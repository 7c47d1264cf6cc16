// The metrics that operators watch of the actors, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

import type { House } from '../domain/history/houseLedger.ts';
import type { Told } from './draftReplies.ts';

export interface ActorMetrics {
  onCommit(draft: { readonly commands: number; readonly told: Told }): void;
  onOwnershipEnded(): void;
  onLaterEpoch(): void;
  onJournalFull(bound: 'account' | 'shard'): void;
  onFault(kind: 'parked' | 'quarantined'): void;
  onMissedLiquidation(): void;
  /** @param house of a shard that this pod owns; undefined when it owns it no longer */
  onHouse(shard: number, house: House | undefined): void;
}

/** What a shard that this pod owns has in Redis, bytes: waiting commands, remembered answers, kept snapshots. */
export interface ShardBytes {
  readonly shard: number;
  readonly mailboxes: number;
  readonly answers: number;
  readonly kept: number;
}

/** @param read sizes at the moment of a scrape */
export function actorMetrics(
  registry: Registry,
  read: {
    shards: () => number;
    accounts: () => number;
    halted: () => number;
    refused: () => number;
    tailBytes: () => number;
    journalBytes: () => number;
    shardBytes: () => Promise<readonly ShardBytes[]>;
  },
): ActorMetrics {
  const registers = [registry];
  const commits = new Counter({ name: 'actor_commits_total', help: 'Commits applied.', registers });
  const commands = new Counter({ name: 'actor_commands_total', help: 'Commands consumed by a commit.', registers });
  const told = new Counter({
    name: 'actor_told_entries_total',
    help: 'Journal entries told to API nodes that follow accounts with their views.',
    registers,
  });
  const toldBytes = new Counter({ name: 'actor_told_bytes_total', help: 'The same in bytes, about.', registers });
  const ended = new Counter({ name: 'actor_shard_restarts_total', help: 'Shards dropped and recovered anew.', registers });
  const laterEpochs = new Counter({
    name: 'actor_later_epochs_total',
    help: 'Shards dropped because MongoDB knew a later epoch than Redis: Redis has lost its newest take.',
    registers,
  });
  const faults = new Counter({
    name: 'actor_faults_total',
    help: 'Commands parked and accounts quarantined: each is a bug.',
    labelNames: ['kind'],
    registers,
  });
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
  new Gauge({
    name: 'actor_journal_bytes',
    help: 'Bytes of the journals of the shards that this pod owns.',
    registers,
    collect() {
      this.set(read.journalBytes());
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
  const bytes = new Gauge({
    name: 'shard_bytes',
    help: 'What a shard keeps in Redis for its accounts, bytes: waiting commands (mailboxes), remembered answers (answers), snapshots (kept).',
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
    },
  });
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
      told.inc(draft.told.entries);
      toldBytes.inc(draft.told.chars);
    },
    onOwnershipEnded: () => ended.inc(),
    onJournalFull: (bound) => journalFull.inc({ bound }),
    onLaterEpoch: () => laterEpochs.inc(),
    onMissedLiquidation: () => missed.inc(),
    onHouse: (shard, house) => {
      for (const gauge of [houseCash, houseLoss]) gauge.remove({ shard });
      if (house === undefined) return;
      houseCash.set({ shard }, house.cashUsd.toNumber());
      houseLoss.set({ shard }, house.lossUsd.toNumber());
    },
    onFault: (kind) => faults.inc({ kind }),
  };
}
