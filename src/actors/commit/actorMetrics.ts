// The metrics that operators watch of the actors, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

import type { House } from '../domain/history/houseLedger.ts';

export interface ActorMetrics {
  onCommit(commands: number): void;
  onOwnershipEnded(): void;
  onFault(kind: 'parked' | 'quarantined'): void;
  onMissedLiquidation(): void;
  /** @param house of a shard that this pod owns; undefined when it owns it no longer */
  onHouse(shard: number, house: House | undefined): void;
}

/** @param read sizes at the moment of a scrape */
export function actorMetrics(
  registry: Registry,
  read: { shards: () => number; accounts: () => number; refused: () => number },
): ActorMetrics {
  const registers = [registry];
  const commits = new Counter({ name: 'actor_commits_total', help: 'Commits applied.', registers });
  const commands = new Counter({ name: 'actor_commands_total', help: 'Commands consumed by a commit.', registers });
  const ended = new Counter({ name: 'actor_shard_restarts_total', help: 'Shards dropped and recovered anew.', registers });
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
    name: 'actor_refused_shards',
    help: 'Shards given back because a newer build has written in them.',
    registers,
    collect() {
      this.set(read.refused());
    },
  });
  return {
    onCommit: (count) => {
      commits.inc();
      commands.inc(count);
    },
    onOwnershipEnded: () => ended.inc(),
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
