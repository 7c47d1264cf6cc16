// What a shard costs the one thread that it shares, and which accounts make most of it: so that operators see a hot shard and whose it
// is. Time is added up where it is taken anyway, one number an account; once in a window it becomes a report, and begins anew.

import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { LoadReport, ShardLoadRecord } from '../../core/messages/podStatus.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { Lease } from '../ownership/lease.ts';
import type { ShardCost } from '../shardMetrics.ts';
import type { PodTurns } from './workSchedule.ts';

/** Length of a window, in seconds. The first one is shorter, so that a new owner soon says something. */
const WINDOW_S = 10;
const FIRST_WINDOW_S = 2;
/** Accounts that a report names. */
const NAMED = 3;

interface Taken {
  micros: number;
  times: number;
}

interface ShardLoadParts {
  /** A clock that only goes forward, microseconds. */
  readonly micros: () => number;
  /** For the metrics, once a second. */
  readonly onSecond: (load: ShardCost) => void;
  readonly onWindow: (report: LoadReport) => void;
}

export class ShardLoad {
  readonly #parts: ShardLoadParts;
  /** Since the window began. Bound: accounts in memory. */
  #ofAccounts = new Map<string, Taken>();
  #busyMicros = 0;
  #commands = 0;
  /** What the metrics have had of them. */
  #told = { busyMicros: 0, commands: 0 };
  #beganMicros: number;
  #secondsLeft = FIRST_WINDOW_S;

  constructor(parts: ShardLoadParts) {
    this.#parts = parts;
    this.#beganMicros = parts.micros();
  }

  /** Does a turn of the shard: commands, market changes, what is due, and commits. */
  turn(work: () => void): void {
    const began = this.#parts.micros();
    try {
      work();
    } finally {
      this.#busyMicros += this.#parts.micros() - began;
    }
  }

  /** Part of a turn that was one account's. */
  readonly charge = (accountId: string, micros: number): void => {
    const taken = this.#ofAccounts.get(accountId);
    if (taken === undefined) this.#ofAccounts.set(accountId, { micros, times: 1 });
    else {
      taken.micros += micros;
      taken.times += 1;
    }
  };

  onCommitted(commands: number): void {
    this.#commands += commands;
  }

  /** Called once a second. */
  sweep(): void {
    const told = this.#told;
    this.#told = { busyMicros: this.#busyMicros, commands: this.#commands };
    const busySeconds = (this.#busyMicros - told.busyMicros) / 1e6;
    this.#parts.onSecond({ busySeconds, commands: this.#commands - told.commands });
    this.#secondsLeft -= 1;
    if (this.#secondsLeft === 0) this.#report();
  }

  #report(): void {
    const now = this.#parts.micros();
    const micros = now - this.#beganMicros;
    const seconds = micros / 1e6;
    const most = [...this.#ofAccounts].sort(([, a], [, b]) => b.micros - a.micros).slice(0, NAMED);
    this.#parts.onWindow({
      seconds: rounded(seconds, 1),
      busy: rounded(this.#busyMicros / micros, 4),
      commands: rounded(this.#commands / seconds, 1),
      top: most.map(([account, taken]) => ({
        account,
        busy: rounded(taken.micros / micros, 4),
        times: rounded(taken.times / seconds, 1),
      })),
    });
    this.#ofAccounts = new Map();
    this.#told = { busyMicros: 0, commands: 0 };
    [this.#busyMicros, this.#commands, this.#secondsLeft, this.#beganMicros] = [0, 0, WINDOW_S, now];
  }
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** A note goes when three in its place did not come. */
const KEPT_S = 40;

/** The shard, as the notes of its load see it. */
interface LoadContext {
  readonly pod: {
    readonly redis: Redis;
    readonly log: Logger;
    readonly metrics: Pick<ActorMetrics, 'onLoad'>;
    readonly turns: Pick<PodTurns, 'micros'>;
  };
  readonly lease: Pick<Lease, 'shard' | 'token'>;
  readonly journalSize: { readonly bytes: number };
}

/**
 * Where a shard's load goes: into the pod's metrics, and as a short-lived note beside the shard, where `bin/admin shards`
 * reads it. The note is no part of the heartbeat, for every pod reads all heartbeats each second, and only operators read the
 * note.
 */
export class LoadNotes implements ShardLoadParts {
  readonly #shard: LoadContext;

  constructor(shard: LoadContext) {
    this.#shard = shard;
  }

  readonly micros = (): number => this.#shard.pod.turns.micros();

  readonly onSecond = (load: ShardCost): void => {
    this.#shard.pod.metrics.onLoad(this.#shard.lease.shard, load);
  };

  readonly onWindow = (report: LoadReport): void => {
    const { pod, lease, journalSize } = this.#shard;
    const { redis, log } = pod;
    const { shard, token } = lease;
    const record: ShardLoadRecord = { token, ...report, journalBytes: journalSize.bytes };
    redis.set(shardKeys.load(shard), JSON.stringify(record), 'EX', KEPT_S).catch((error: unknown) => {
      log.debug({ shard, err: error }, 'operators do not see the load of the shard');
    });
  };
}
