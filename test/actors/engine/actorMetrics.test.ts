import { expect } from 'chai';
import { Registry } from 'prom-client';
import { actorMetrics } from '../../../src/actors/engine/actorMetrics.ts';

describe('metrics of the actors: what alerts go by', () => {
  const registry = new Registry();
  const metrics = actorMetrics(registry, {
    shards: () => 2,
    accounts: () => 5,
    halted: () => 0,
    inDanger: () => 0,
    refused: () => 0,
    tailBytes: () => 0,
    unconfirmedMs: () => 0,
    historyLagMs: () => 1500,
    journals: () => [
      { shard: 0, bytes: 10 },
      { shard: 3, bytes: 20 },
    ],
    shardBytes: async () => [{ shard: 0, mailboxes: 1, answers: 2, kept: 3 }],
    deadLetters: async () => [{ shard: 3, letters: 4 }],
    limits: { journal: 100, mailboxes: 200, answers: 300 },
  });
  const lines = async (name: string): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));

  it('counters of what must not happen begin at 0: the first one would be no increase otherwise', async () => {
    expect(await lines('actor_faults_total')).to.deep.equal([
      'actor_faults_total{kind="parked"} 0',
      'actor_faults_total{kind="quarantined"} 0',
    ]);
    expect(await lines('actor_journal_full_total')).to.deep.equal([
      'actor_journal_full_total{bound="account"} 0',
      'actor_journal_full_total{bound="shard"} 0',
    ]);
    expect(await lines('actor_missed_liquidations_total')).to.deep.equal(['actor_missed_liquidations_total 0']);
  });

  it('each shard with what it keeps, beside the bounds, and the pod’s journals together', async () => {
    expect(await lines('shard_bytes')).to.deep.equal([
      'shard_bytes{shard="0",of="mailboxes"} 1',
      'shard_bytes{shard="0",of="answers"} 2',
      'shard_bytes{shard="0",of="kept"} 3',
      'shard_bytes{shard="0",of="journal"} 10',
      'shard_bytes{shard="3",of="journal"} 20',
    ]);
    expect(await lines('shard_limit_bytes'))
      .to.have.length(3)
      .and.include('shard_limit_bytes{of="journal"} 100');
    expect(await lines('shard_dead_letters')).to.deep.equal(['shard_dead_letters{shard="3"} 4']);
    expect(await lines('actor_journal_bytes')).to.deep.equal(['actor_journal_bytes 30']);
  });

  it('events by type, and the lag of history in seconds', async () => {
    metrics.onEvents([{ type: 'orderFilled' }, { type: 'orderEnded' }, { type: 'orderFilled' }]);
    expect(await lines('actor_events_total')).to.deep.equal([
      'actor_events_total{type="orderFilled"} 2',
      'actor_events_total{type="orderEnded"} 1',
    ]);
    expect(await lines('actor_history_lag_seconds')).to.deep.equal(['actor_history_lag_seconds 1.5']);
  });
});
