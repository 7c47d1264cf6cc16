// The role `actors`: one pod with its view of the market, on connections of its own.

import { tradingRules } from '../features/rules.ts';
import type { Role, RoleParts } from '../shared/deployment/role.ts';
import { restorePins } from '../shared/deployment/shardPinsRecord.ts';
import { openSubscriber } from '../shared/redis/channels.ts';
import type { ShardStatus } from './core/messages/podStatus.ts';
import type { Rules } from './core/rules.ts';
import { actorMetrics } from './engine/actorMetrics.ts';
import { CommitCalls } from './engine/commit/commitCalls.ts';
import { Wakeups } from './engine/commit/mailbox.ts';
import { checkReplicas } from './engine/commit/preparedCommits.ts';
import { ArchiveCopy } from './engine/journal/archiveCopy.ts';
import { DeepHoldings } from './engine/pod/deepHoldings.ts';
import { Pod } from './engine/pod/pod.ts';
import { Settling } from './engine/pod/podReadiness.ts';
import { MarketFeed } from './engine/shard/marketFeed.ts';
import { archiveMetrics, countDeadLetters, readShardBytes } from './engine/shardMetrics.ts';
import { PodTurns } from './engine/turns/workSchedule.ts';

export interface Actors extends Role {
  readonly podId: string;
  status(): readonly ShardStatus[];
}

/** @param rules replaced only by tests that want a rule to fail */
export async function startActors(parts: RoleParts, rules: Rules = tradingRules): Promise<Actors> {
  const { config, log, subscriberFactory, mongo, now, realNow, formats, registry, tracing } = parts;
  const redis = subscriberFactory('actors');
  const commitConnection = subscriberFactory('commits', { sendsAtOnce: true });
  await checkReplicas(redis, config, log);
  const wakeupSubscriber = openSubscriber(redis, () => subscriberFactory('wakeups'));
  const feedSubscriber = openSubscriber(redis, () => subscriberFactory('feed'));
  const feed = new MarketFeed({ log, redis, subscriber: feedSubscriber.connection, maxAgeMs: config.MARKET_MAX_AGE_MS });
  const wakeups = new Wakeups(wakeupSubscriber.connection);
  const turns = new PodTurns();
  const ownShards = (): number[] => pod.shards.map(({ shard }) => shard);
  const metrics = actorMetrics(registry, {
    shards: () => pod.shards.filter(({ isLeased }) => isLeased).length,
    accounts: () => pod.shards.reduce((sum, shard) => sum + shard.status.accounts, 0),
    unconfirmedMs: () => Math.max(0, ...ownShards().map((shard) => commitCalls.prepared.unconfirmedMs(shard) ?? 0)),
    tailBytes: () => pod.shards.reduce((sum, shard) => sum + shard.state.tailBytes, 0),
    historyLagMs: () => Math.max(0, ...pod.shards.map(({ state }) => state.historyStatus.lagMs)),
    journals: () => pod.shards.map(({ shard, state }) => ({ shard, bytes: state.journalBytes })),
    shardBytes: () => readShardBytes(redis, ownShards()),
    deadLetters: () => countDeadLetters(redis, ownShards()),
    // Past the variable accounts with much are refused, past twice of it all.
    limits: {
      journal: config.JOURNAL_MAX_BYTES,
      mailboxes: 2 * config.MAILBOX_SHARD_BYTES,
      answers: 2 * config.IDEMPOTENCY_SHARD_BYTES,
    },
    halted: () => pod.shards.reduce((sum, shard) => sum + (shard.status.halted ?? 0), 0),
    inDanger: () => pod.shards.reduce((sum, shard) => sum + shard.state.accountsInDanger, 0),
    refused: () => pod.refused,
  });
  const archived = archiveMetrics(registry, {
    lagMs: () => Math.max(0, ...pod.shards.map(({ state }) => state.historyStatus.archiveLagMs)),
  });
  const dir = config.ARCHIVE_DIR;
  const copy = dir === '' ? undefined : new ArchiveCopy({ dir, mongo, log, metrics: archived });
  const commitCalls = new CommitCalls(commitConnection, { replicas: config.REDIS_MIN_REPLICAS });
  const pod = new Pod(config.NODE_ID, {
    ...{ config, log, redis, commitCalls, wakeups, mongo, feed, rules, metrics, tracing, now, realNow, formats, turns },
    archive: { metrics: archived, copy },
  });
  const holdings = new DeepHoldings({
    ...{ redis, log, realNow, market: feed.market },
    accounts: () => pod.shards.flatMap(({ accounts }) => accounts),
  });
  const settling = new Settling({ shards: () => pod.shards, feed });
  parts.clock?.onShift(() => settling.onClock());
  await feed.start();
  void restorePins({ redis, mongo, log });
  await pod.start();
  holdings.start();
  return {
    podId: pod.id,
    status: () => pod.shards.map((shard) => shard.status),
    whyNotReady: () => pod.readiness.whyNot(),
    leave: () => pod.leave(),
    settled: (seen) => settling.settled(seen),
    stop: async () => {
      holdings.stop();
      await pod.stop();
      await copy?.stop();
      await feed.stop();
      await wakeups.stop();
      for (const subscriber of [wakeupSubscriber, feedSubscriber]) subscriber.close();
      for (const connection of [redis, commitConnection]) connection.disconnect();
    },
  };
}
