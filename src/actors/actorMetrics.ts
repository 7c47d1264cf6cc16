// What operators watch of the actors, in the process's registry.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ActorMetrics {
  onCommit(commands: number): void;
  onOwnershipEnded(): void;
  onFault(kind: 'parked' | 'quarantined'): void;
  onMissedLiquidation(): void;
}

/** @param read sizes at the moment of a scrape */
export function actorMetrics(registry: Registry, read: { shards: () => number; accounts: () => number }): ActorMetrics {
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
  return {
    onCommit: (count) => {
      commits.inc();
      commands.inc(count);
    },
    onOwnershipEnded: () => ended.inc(),
    onMissedLiquidation: () => missed.inc(),
    onFault: (kind) => faults.inc({ kind }),
  };
}
