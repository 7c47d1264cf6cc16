// Runs jobs when exchange time is set ahead: their schedule is BullMQ's, which goes by real time. A run is a job of the same queue, so whichever
// jobs process is free does it, as any other; what it does is a function of exchange time, so the scheduled runs do nothing twice.
import { setTimeout as pause } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { readWaits, settlementBefore } from '../../jobs/domain/fundingPeriod.ts';
import { type FundingChange, readChange } from '../../market/domain/feed.ts';
import type { Config } from '../../shared/config/config.ts';
import { liveProcesses } from '../../shared/deployment/liveProcesses.ts';
import { FUNDING_WAITS, marketKeys, SHARD_MAILBOX, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { comesTrue } from '../../shared/waiting.ts';

/** What has something to do each hour of exchange time. */
const HOURLY = ['funding', 'trial-expiry', 'equity-sample'] as const;
/** Longest wait for runs to end, and for their commands to be done, ms. */
const RUN_MS_MAX = 20_000;
/** Longest wait for a settlement whose rates are not there yet, ms. */
const FUNDING_MS_MAX = 20_000;
/** How long the run's record is kept, s. */
const KEPT_S = 60;
const LOOK_EVERY_MS = 5;

export interface DueJobsParts {
  readonly redis: Redis;
  readonly queue: Queue;
  readonly config: Pick<Config, 'SHARDS' | 'FUNDING_SETTLE_HOURS'>;
  readonly realNow: () => number;
  /** The market's coins. */
  readonly coins: () => readonly string[];
}

export class DueJobs {
  readonly #parts: DueJobsParts;

  constructor(parts: DueJobsParts) {
    this.#parts = parts;
  }

  /** What is due at a full hour. @returns false when something waits: for rates, or because no process runs the jobs */
  async runHourly(nowMs: number): Promise<boolean> {
    const areRun = await this.#run(HOURLY);
    return (await this.#isFundingSettled(nowMs)) && areRun;
  }

  /** Every job there is. @returns as `runHourly` */
  async runAll(nowMs: number): Promise<boolean> {
    const scheduled = await this.#parts.queue.getJobSchedulers();
    const areRun = await this.#run(scheduled.map(({ key }) => key));
    return (await this.#isFundingSettled(nowMs)) && areRun;
  }

  get #shards(): readonly number[] {
    return Array.from({ length: this.#parts.config.SHARDS }, (_, shard) => shard);
  }

  async #run(names: readonly string[]): Promise<boolean> {
    const { redis, queue, realNow } = this.#parts;
    if (!(await liveProcesses(redis)).some(({ roles }) => roles.includes('jobs'))) return false;
    const kept = { removeOnComplete: { age: KEPT_S }, removeOnFail: { age: KEPT_S } };
    // The name of a run ends in its time, as that of a scheduled one.
    const runs = await Promise.all(names.map((name) => queue.add(name, {}, { jobId: `advance:${name}:${realNow()}`, ...kept })));
    const untilMs = performance.now() + RUN_MS_MAX;
    let states: readonly string[] = [];
    const areOver = async (): Promise<boolean> => {
      states = await Promise.all(runs.map((run) => run.getState()));
      return states.every((state) => state === 'completed' || state === 'failed');
    };
    await comesTrue(areOver, { untilMs, everyMs: LOOK_EVERY_MS });
    return states.every((state) => state === 'completed') && this.#areDone(untilMs);
  }

  /** True when what the runs have asked of accounts is done: no mailbox holds what it held then. */
  async #areDone(untilMs: number): Promise<boolean> {
    const { redis } = this.#parts;
    const pendingOf = (shard: number): Promise<string[]> => redis.smembers(shardKeys.pending(shard));
    const waiting = await Promise.all(this.#shards.map(async (shard) => ({ shard, accounts: new Set(await pendingOf(shard)) })));
    const areDone = async (): Promise<boolean> => {
      for (const { shard, accounts } of waiting) {
        const still = new Set(await pendingOf(shard));
        for (const account of accounts) if (!still.has(account)) accounts.delete(account);
      }
      return waiting.every(({ accounts }) => accounts.size === 0);
    };
    return await comesTrue(areDone, { untilMs, everyMs: LOOK_EVERY_MS });
  }

  /** The last settlement before a time is written for every shard and done; the job is run again while a coin waits for its rate. */
  async #isFundingSettled(nowMs: number): Promise<boolean> {
    const { redis, config } = this.#parts;
    const dueMs = settlementBefore(nowMs, config.FUNDING_SETTLE_HOURS);
    const untilMs = performance.now() + FUNDING_MS_MAX;
    const isSettled = async (shard: number): Promise<boolean> => {
      const [last, noted] = await redis.hmget(shardKeys.jobs(shard), 'funding', FUNDING_WAITS);
      if (!last) return !(await this.#hasRecordBefore(dueMs));
      const waits = noted ? readWaits(noted) : undefined;
      const isComplete = waits !== undefined && waits.throughMs >= dueMs && (waits.isLate || waits.coins.size === 0);
      return Number(last) >= dueMs && isComplete && (await redis.xlen(shardKeys.commands(shard, SHARD_MAILBOX))) === 0;
    };
    for (;;) {
      const settled = await Promise.all(this.#shards.map(isSettled));
      if (settled.every(Boolean)) return true;
      if (performance.now() > untilMs) return false;
      await pause(LOOK_EVERY_MS * 20);
      if (!(await this.#run(['funding']))) return false;
    }
  }

  /** Before the market's first record no account had a position, and the first settlement is one after it. */
  async #hasRecordBefore(dueMs: number): Promise<boolean> {
    const { redis, coins } = this.#parts;
    const fields = coins().map((coin) => `funding:${coin}`);
    if (fields.length === 0) return false;
    const texts = await redis.hmget(marketKeys.state, ...fields);
    return texts.some((text) => text !== null && readChange<FundingChange>(text).sinceMs < dueMs);
  }
}
