// Sets exchange time ahead by an offset that all processes share, from stop to stop (src/features/control/rules.ts). At each stop the
// market goes first, then all others, and the stop is left when every process has done what is due there: adr 0022. A node that dies on
// the way leaves the clock at a stop; the call that is made again goes on from there.

import type { MarketChange, TradesChange } from '../../market/domain/feed.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config/schema.ts';
import {
  beginAdvance,
  endAdvance,
  keepClock,
  noteHoursDone,
  readClock,
  readHoursDone,
  stepClock,
} from '../../shared/deployment/clockRecord.ts';
import type { ExchangeClock } from '../../shared/deployment/exchangeClock.ts';
import type { RoleParts } from '../../shared/deployment/role.ts';
import { type Settled, untilSettled } from '../../shared/deployment/settledProcesses.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { FeedFollower, MarketPosition } from '../../shared/redis/feedFollower.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { ControlAnswer } from './controlBody.ts';
import { DueJobs } from './dueJobs.ts';
import { hoursPassed, nextStop } from './rules.ts';
import { StopData } from './stopData.ts';

/** Longest that one call works, ms; then it is answered that it goes on with the next. */
const WORK_MS_MAX = 60_000;
/** Longest wait for all processes at a stop, ms: beyond the silence after which one counts as gone, and the taking over of its shards. */
const SETTLE_MS_MAX = 30_000;
/** The same after a change of the market. */
const TAKE_MS_MAX = 15_000;

interface AdvanceParts {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly clock: Pick<ExchangeClock, 'offsets'>;
  readonly realNow: () => number;
  readonly config: Pick<Config, 'SHARDS' | 'MARKET_LEASE_TTL_MS'>;
  readonly market: LiveMarket;
  /** The message of the market that this node has. */
  readonly position: () => MarketPosition | undefined;
  readonly jobs: DueJobs;
}

export class Advances {
  readonly #parts: AdvanceParts;
  readonly #data: StopData;

  constructor(parts: AdvanceParts) {
    this.#parts = parts;
    this.#data = new StopData(parts);
  }

  /** Resolves when the actors have what this node has of the market. @returns false when they do not take it in time */
  async isTaken(): Promise<boolean> {
    const { offsets } = this.#parts.clock;
    return (await this.#settled(offsets.offsetMs, offsets.marketMs, TAKE_MS_MAX)) !== undefined;
  }

  /**
   * Sets exchange time ahead and does all that becomes due.
   * @param name of the call, '' = none: one that is made again is known by it, or by being as long as one that is unfinished
   * @throws {RequestError} 400 when that is too far, 503 when it is unfinished: made again, it goes on
   */
  async advance(ms: number, name: string): Promise<ControlAnswer> {
    const { redis, mongo, realNow, jobs } = this.#parts;
    const targetMs = await beginAdvance(redis, ms, name);
    if (targetMs === undefined) throw new RequestError(400, 'invalid_request', 'ms leads beyond ten years ahead of real time.');
    const untilMs = performance.now() + WORK_MS_MAX;
    this.#data.begin(realNow() + (await readClock(redis)).offsetMs);
    let isWhole = true;
    for (;;) {
      const { offsetMs } = await readClock(redis);
      const leftMs = targetMs - offsetMs;
      const settled = await this.#settled(offsetMs, offsetMs, SETTLE_MS_MAX);
      if (settled === undefined) throw unfinished(leftMs, 'not all processes have done what is due');
      await keepClock(mongo, offsetMs);
      if (leftMs <= 0) break;
      if (performance.now() > untilMs) throw unfinished(leftMs, 'the call has worked for a minute');
      const hours = hoursPassed(realNow() + offsetMs);
      if (hours > (await readHoursDone(redis))) {
        isWhole = (await jobs.runHourly(realNow() + offsetMs)) && isWhole;
        await noteHoursDone(redis, hours);
        continue;
      }
      isWhole = (await this.#step({ offsetMs, targetMs, settled })) && isWhole;
    }
    isWhole = (await jobs.runAll(realNow() + targetMs)) && isWhole;
    if ((await this.#settled(targetMs, targetMs, SETTLE_MS_MAX)) === undefined) throw unfinished(0, 'jobs are not done');
    await endAdvance(redis, targetMs);
    return { status: 'ok', time: realNow() + this.#parts.clock.offsets.offsetMs, shown: isWhole && this.#data.isWhole };
  }

  /** To the next stop. @returns false when something due waits */
  async #step(at: { offsetMs: number; targetMs: number; settled: Settled }): Promise<boolean> {
    const { redis, realNow } = this.#parts;
    const { offsetMs, targetMs, settled } = at;
    const realMs = realNow();
    const nowMs = realMs + offsetMs;
    const stopMs = nextStop({ nowMs, targetMs: realMs + targetMs, nextDueMs: settled.nextDueMs });
    const toMs = stopMs - realMs;
    if (!(await this.#data.isLed())) throw unfinished(targetMs - offsetMs, 'no process leads the market');
    if (!(await stepClock(redis, { fromMs: offsetMs, toMs, who: 'market' }))) return true;
    const hasData = await this.#data.arrive(stopMs);
    if (hasData === undefined) throw unfinished(targetMs - offsetMs, 'no process leads the market');
    if ((await this.#settled(offsetMs, toMs, SETTLE_MS_MAX)) === undefined) {
      throw unfinished(targetMs - offsetMs, 'not all processes have taken the market’s change');
    }
    await stepClock(redis, { fromMs: offsetMs, toMs, who: 'all' });
    return hasData;
  }

  #settled(offsetMs: number, marketMs: number, withinMs: number): Promise<Settled | undefined> {
    const { redis, config, position } = this.#parts;
    const seen = position();
    const question = { offsetMs, marketMs, ...(seen !== undefined && { seen }) };
    return untilSettled(redis, question, { shards: config.SHARDS, withinMs });
  }
}

const unfinished = (leftMs: number, why: string): RequestError =>
  new RequestError(
    503,
    'advance_unfinished',
    `Time is not where it has to be yet (${Math.max(0, leftMs)} ms are left): ${why}. The same call, made again, goes on.`,
    { 'Retry-After': '1' },
  );

type Parts = Pick<RoleParts, 'config' | 'redis' | 'mongo' | 'subscriberFactory' | 'realNow' | 'clock'> & {
  readonly market: LiveMarket;
  readonly follower: Pick<FeedFollower<MarketChange, TradesChange>, 'position'>;
};

/** Puts the parts together that advance exchange time; the caller stops them. BullMQ's code is loaded only where CONTROL is on. */
export async function createAdvances(parts: Parts): Promise<Advances & { stop(): Promise<void> }> {
  const { config, redis, mongo, subscriberFactory, realNow, market, follower } = parts;
  const { openJobQueue } = await import('../../shared/redis/jobQueue.ts');
  const connection = subscriberFactory('control');
  const queue = openJobQueue(connection);
  const coins = (): string[] => (market.rawMeta?.universe ?? []).map(({ name }) => name);
  const jobs = new DueJobs({ redis, queue, config, realNow, coins });
  const clock = parts.clock ?? { offsets: { offsetMs: 0, marketMs: 0 } };
  const advances = new Advances({ redis, mongo, clock, realNow, config, market, position: () => follower.position, jobs });
  const stop = async (): Promise<void> => {
    await queue.close();
    connection.disconnect();
  };
  return Object.assign(advances, { stop });
}
