// Requests per minute of an API key, user or address, counted in Redis so that all API nodes together keep the limit.
// All requests of one turn of the event loop share one script call. A subject known to be at its limit is refused
// here without a call, because nothing can change until its oldest request leaves the window. A subject far below a
// large limit spends requests that were granted in advance. What this node grants counts in its own memory
// too: while Redis is away, slow or full, that count keeps the limit alone. No request is ever granted uncounted.

import type { ExchangeClock } from '../../../shared/deployment/exchangeClock.ts';
import { HOUR_MS } from '../../../shared/domain/units.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { withTimeout } from '../../../shared/waiting.ts';
import {
  byPlace,
  type Charge,
  type ChargeDecision,
  decided,
  inCalls,
  type LikeRequests,
  type LimitUsage,
  nameOf,
  type RateLimitDecision,
} from './charge.ts';
import { LocalWindows } from './localWindows.ts';
import { KnownRefusals, NOTHING, PrefetchedQuota } from './prefetchedQuota.ts';
import { type ChargedRequests, countInSubjectWindows, type Told, type WindowSizes } from './subjectWindows.ts';

/** Sub-windows of a window, unless their width is given: a request may count so much longer than the window, never shorter. */
const BUCKETS = 60;
/** How long requests may be used that were granted in advance, ms; a twelfth of a shorter window. They may count so much longer. */
const HOLD_MS = 5000;
/** How long Redis may take, ms. The limit protects the service; a limiter that is down must not stop it. */
const ANSWER_MS_MAX = 1000;
/** How long Redis is not asked after it took too long, ms: requests are counted here, without a wait. */
const PAUSE_MS = 1000;
/** Subjects counted in memory. */
const LOCAL_SUBJECTS_MAX = 50_000;

/** Options of a limit that counts by the hour: for guesses and mails. */
export const hourWindow = { windowMs: HOUR_MS, bucketMs: 15_000 };

type Usage = Pick<LimitUsage, 'used' | 'resetMs'>;

type Clock = Pick<ExchangeClock, 'offsets'>;

export class RateLimit {
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #sizes: WindowSizes;
  readonly #clock: Clock | undefined;
  readonly #steadyNow: () => number;
  readonly #answerMs: number;
  readonly #onLocal: (requests: number) => void;
  #waiting = new Map<string, LikeRequests>();
  readonly #prefetched: PrefetchedQuota;
  readonly #refused = new KnownRefusals();
  readonly #local: LocalWindows;
  #isLocalOnly = false;
  /** Until then, by `performance.now()`, Redis is not asked. */
  #pausedUntilMs = 0;

  /**
   * @param options.steadyNow a clock that never jumps, ms; @param options.answerMs how long Redis may take (1000)
   * @param options.clock tells how far exchange time is ahead of Redis's: limits follow it
   * @param options.onLocal hears how many requests Redis did not count
   */
  constructor(options: {
    redis: Redis;
    log: Logger;
    now: () => number;
    steadyNow?: () => number;
    clock?: Clock | undefined;
    windowMs?: number;
    bucketMs?: number;
    answerMs?: number;
    onLocal?: (requests: number) => void;
  }) {
    const { redis, log, now, windowMs = 60_000 } = options;
    this.#redis = redis;
    this.#log = log;
    this.#now = now;
    this.#clock = options.clock;
    this.#steadyNow = options.steadyNow ?? (() => performance.now() + this.#aheadMs);
    this.#answerMs = options.answerMs ?? ANSWER_MS_MAX;
    this.#onLocal = options.onLocal ?? (() => undefined);
    const holdMs = Math.min(HOLD_MS, Math.floor(windowMs / 12));
    this.#sizes = { windowMs, bucketMs: options.bucketMs ?? Math.ceil(windowMs / BUCKETS), holdMs };
    this.#prefetched = new PrefetchedQuota(holdMs);
    this.#local = new LocalWindows({ windowMs, subjectsMax: LOCAL_SUBJECTS_MAX, nowMs: this.#steadyNow });
  }

  get #aheadMs(): number {
    return this.#clock?.offsets.offsetMs ?? 0;
  }

  /**
   * Counts one request of a subject, if its limit allows. While Redis does not answer, only what this node granted counts.
   * @param cap what may be used in a window
   * @param cost what the request uses of it; a whole number, 1 or more
   */
  admit(subject: string, cap: number, cost = 1): Promise<RateLimitDecision> | RateLimitDecision {
    const decision = this.charge([{ subject, cap, cost }]);
    return decision instanceof Promise ? decision.then(ofOne) : ofOne(decision);
  }

  /** Counts one request in several windows, if all of them have room for it. */
  charge(charges: readonly Charge[]): Promise<ChargeDecision> | ChargeDecision {
    const steadyMs = this.#steadyNow();
    const nowMs = this.#now();
    const spent = this.#prefetched.spend(charges, { steadyMs, nowMs });
    if (spent !== undefined) {
      this.#countHere(charges, steadyMs);
      return { isGranted: true, windows: spent };
    }
    const refusedBy = this.#refused.findIndex(charges, nowMs);
    if (refusedBy !== -1) {
      const windows = charges.map((charge) => ({
        ...(this.#refused.find(charge, nowMs) ?? this.#usageHere(charge)),
        cap: charge.cap,
      }));
      return { isGranted: false, windows, refusedBy };
    }
    return this.#inTurn(charges, false);
  }

  /** Counts what a request turned out to cost, whatever the limits: what comes next may find no room. */
  async add(charges: readonly Charge[]): Promise<void> {
    await this.#inTurn(charges, true);
  }

  /** True when this node knows, without asking, that a request that costs 1 would be refused. */
  isAtLimit(subject: string, cap: number): boolean {
    const one = { subject, cap, cost: 1 };
    return this.#refused.find(one, this.#now()) !== undefined || this.#local.used(subject) >= cap;
  }

  #inTurn(charges: readonly Charge[], isForced: boolean): Promise<ChargeDecision> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(this.#ask);
      const name = nameOf(charges, isForced);
      const alike = this.#waiting.get(name);
      if (alike === undefined) this.#waiting.set(name, { charges, isForced, resolvers: [resolve] });
      else alike.resolvers.push(resolve);
    });
  }

  readonly #ask = (): void => {
    const all = this.#waiting;
    this.#waiting = new Map();
    const calls = this.#redis.isCluster ? byPlace(all.values()) : [all.values()];
    for (const requests of calls) for (const batch of inCalls(requests)) void this.#askFor(batch);
  };

  async #askFor(batch: readonly LikeRequests[]): Promise<void> {
    const askedAtMs = this.#steadyNow();
    const answers = await this.#answers(batch, askedAtMs);
    this.#isLocalOnly = answers === undefined;
    for (const [i, group] of batch.entries()) {
      const told = answers?.[i];
      if (told !== undefined) {
        this.#onAnswer(group, told, askedAtMs + this.#sizes.holdMs);
        continue;
      }
      this.#onLocal(group.resolvers.length);
      for (const resolve of group.resolvers) resolve(this.#decideHere(group.charges, group.isForced));
    }
  }

  /** @param endsAtMs until when what was granted in advance may be used */
  #onAnswer({ charges, isForced, resolvers }: LikeRequests, { granted, windows: told, bucket }: Told, endsAtMs: number): void {
    const nowMs = this.#now();
    const windows = charges.map(({ cost }, i) => {
      const { used = 0, leavesInMs = 0, advance = 0 } = told[i] ?? {};
      return { cost, before: used - advance - granted * cost, advance, resetMs: nowMs + leavesInMs };
    });
    resolvers.forEach((resolve, place) => {
      const usage = windows.map(({ before, cost, resetMs }) => ({ used: before + Math.min(place, granted) * cost, resetMs }));
      const decision = decided(charges, usage, isForced);
      // A Redis that has lost its data gives no second limit.
      const hasRoom = !decision.isGranted || this.#countWithin(charges, isForced);
      resolve(hasRoom ? decision : this.#decideHere(charges, isForced));
    });
    charges.forEach(({ subject, cap, cost }, i) => {
      const { before = 0, advance: left = 0, resetMs = 0 } = windows[i] ?? {};
      const used = before + granted * cost;
      if (!isForced) this.#prefetched.take(subject, { cap, left, bucket, endsAtMs, used, resetMs });
      if (granted < resolvers.length && used + cost > cap) this.#refused.remember(subject, { cap, cost, used, resetMs });
    });
  }

  /** By what this node has granted alone. */
  #decideHere(charges: readonly Charge[], isForced: boolean): ChargeDecision {
    const usage = charges.map((charge) => this.#usageHere(charge));
    const decision = decided(charges, usage, isForced);
    if (decision.isGranted) this.#countHere(charges);
    return decision;
  }

  /** Counts what Redis has granted. @returns false, and counts nothing, where this node alone has granted the limit already */
  #countWithin(charges: readonly Charge[], isForced: boolean): boolean {
    const nowMs = this.#steadyNow();
    const hasRoom = isForced || charges.every(({ subject, cap, cost }) => this.#local.used(subject, nowMs) + cost <= cap);
    if (hasRoom) this.#countHere(charges, nowMs);
    return hasRoom;
  }

  /** The reset is when there is room for the cost, or, where there is room, when the oldest leaves. */
  #usageHere({ subject, cap, cost }: Charge): Usage {
    const used = this.#local.used(subject);
    return { used, resetMs: this.#now() + this.#local.leavesInMs(subject, Math.max(1, used + cost - cap)) };
  }

  #countHere(charges: readonly Charge[], nowMs = this.#steadyNow()): void {
    for (const { subject, cost } of charges) this.#local.add(subject, cost, nowMs);
  }

  /** @returns undefined when Redis is away, slow or cannot count */
  async #answers(batch: readonly LikeRequests[], nowMs: number): Promise<readonly Told[] | undefined> {
    if (this.#redis.status !== 'ready') return this.#countedHere('redis is away');
    if (nowMs < this.#pausedUntilMs) return undefined;
    const asked = batch.map((group) => this.#askedOf(group, nowMs));
    try {
      return await withTimeout(
        this.#answerMs,
        'counting requests',
        countInSubjectWindows(this.#redis, { ...this.#sizes, aheadMs: this.#aheadMs }, asked),
      );
    } catch (error) {
      this.#pausedUntilMs = this.#steadyNow() + PAUSE_MS;
      return this.#countedHere(error instanceof Error ? error.message : String(error));
    }
  }

  #askedOf({ charges, isForced, resolvers }: LikeRequests, nowMs: number): ChargedRequests {
    const requests = resolvers.length;
    const inAdvance = charges.map((charge) => (isForced ? NOTHING : this.#prefetched.turnOver(charge, requests, nowMs)));
    return { charges, requests, isForced, inAdvance };
  }

  /** Logged once, not at each request. */
  #countedHere(reason: string): undefined {
    if (!this.#isLocalOnly) this.#log.warn({ reason }, 'requests are counted by this node alone');
    return undefined;
  }
}

const ofOne = ({ isGranted, windows: [window] }: ChargeDecision): RateLimitDecision => ({
  isGranted,
  ...(window ?? { used: 0, cap: 0, resetMs: 0 }),
});
