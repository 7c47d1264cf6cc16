// Where a shard's load goes: into the pod's metrics, and as a short-lived note beside the shard, where `bin/admin shards` reads it. The
// note is no part of the heartbeat, for every pod reads all heartbeats each second, and only operators read the note.
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { LoadReport, ShardLoadRecord } from '../../core/messages/podStatus.ts';
import type { ActorMetrics } from '../commit/actorMetrics.ts';
import type { ShardCost } from '../commit/shardMetrics.ts';
import type { Lease } from '../ownership/lease.ts';
import type { PodTurns } from '../turns/podTurns.ts';
import type { ShardLoadParts } from '../turns/shardLoad.ts';

/** A note goes when three in its place did not come. */
const KEPT_S = 40;

export interface LoadNotesParts {
  readonly redis: Redis;
  readonly log: Logger;
  readonly metrics: Pick<ActorMetrics, 'onLoad'>;
  readonly turns: Pick<PodTurns, 'micros'>;
  readonly lease: Pick<Lease, 'shard' | 'token'>;
  readonly journalBytes: () => number;
}

export class LoadNotes implements ShardLoadParts {
  readonly #parts: LoadNotesParts;

  constructor(parts: LoadNotesParts) {
    this.#parts = parts;
  }

  readonly micros = (): number => this.#parts.turns.micros();

  readonly onSecond = (load: ShardCost): void => {
    this.#parts.metrics.onLoad(this.#parts.lease.shard, load);
  };

  readonly onWindow = (report: LoadReport): void => {
    const { redis, log, lease, journalBytes } = this.#parts;
    const { shard, token } = lease;
    const record: ShardLoadRecord = { token, ...report, journalBytes: journalBytes() };
    redis.set(shardKeys.load(shard), JSON.stringify(record), 'EX', KEPT_S).catch((error: unknown) => {
      log.debug({ shard, err: error }, 'operators do not see the load of the shard');
    });
  };
}
