// Requests per minute of an API key, user or address, counted in Redis so that all API nodes together keep the limit.
// All requests of one turn of the event loop share one script call. A subject known to be at its limit is refused
// here without a call, because nothing can change until its oldest request leaves the window. A busy subject far
// below a large limit spends requests that were granted in advance. What this node grants counts in its own memory
// too: while Redis is away, slow or full, that count keeps the limit alone. No request is ever granted uncounted.

import type { Logger } from '../../shared/logger.ts';
import { requestWindowKey } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/withTimeout.ts';
import type { LimitUsage } from '../accounts/services.ts';
import { type Charge, type ChargeDecision, decided, type RateLimitDecision } from './limits/charge.ts';
import { KnownRefusals } from './limits/knownRefusals.ts';
import { LocalWindows } from './limits/localWindows.ts';
import { PrefetchedQuota } from './limits/prefetchedQuota.ts';
import { rateLimitScript } from './limits/rateLimitScript.ts';

/** Width of a sub-window, ms, unless another is asked for: a request may count this much longer than the window, never shorter. */
const BUCKET_MS = 250;
/** Windows in one script call: more would block Redis for others. */
const WINDOWS_PER_CALL = 500;
/** How long Redis may take, ms. The limit protects the service; a limiter that is down must not stop it. */
const ANSWER_MS_MAX = 1000;
/** How long Redis is not asked after it took too long, ms: requests are counted here, without a wait. */
const PAUSE_MS = 1000;
/** Subjects counted in memory. */
const LOCAL_SUBJECTS_MAX = 50_000;

/** Options of a limit that counts by the hour: for guesses and mails. */
export const hourWindow = { windowMs: 3_600_000, bucketMs: 15_000 };

type Usage = Pick<LimitUsage, 'used' | 'resetMs'>;

/** Like requests of one turn of the event loop. */
interface Group {
  readonly charges: readonly Charge[];
  readonly isForced: boolean;
  readonly resolvers: ((decision: ChargeDecision) => void)[];
}

export class RateLimit {
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #windowMs: number;
  readonly #bucketMs: number;
  readonly #answerMs: number;
  #waiting = new Map<string, Group>();
  readonly #prefetched: PrefetchedQuota;
  readonly #refused = new KnownRefusals();
  readonly #local: LocalWindows;
  #isLocalOnly = false;
  /** Until then, by `performance.now()`, Redis is not asked. */
  #pausedUntilMs = 0;

  /** @param options.answerMs how long Redis may take (1000) */
  constructor(options: {
    redis: Redis;
    log: Logger;
    now: () => number;
    windowMs?: number;
    bucketMs?: number;
    answerMs?: number;
  }) {
    this.#redis = options.redis;
    this.#log = options.log;
    this.#now = options.now;
    this.#windowMs = options.windowMs ?? 60_000;
    this.#bucketMs = options.bucketMs ?? BUCKET_MS;
    this.#answerMs = options.answerMs ?? ANSWER_MS_MAX;
    this.#prefetched = new PrefetchedQuota(this.#bucketMs);
    this.#local = new LocalWindows({ windowMs: this.#windowMs, subjectsMax: LOCAL_SUBJECTS_MAX });
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
    const nowMs = this.#now();
    const spent = this.#prefetched.spend(charges, nowMs);
    if (spent !== undefined) {
      this.#countHere(charges);
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
      const id = isForced ? `+${idOf(charges)}` : idOf(charges);
      const group = this.#waiting.get(id);
      if (group === undefined) this.#waiting.set(id, { charges, isForced, resolvers: [resolve] });
      else group.resolvers.push(resolve);
    });
  }

  readonly #ask = (): void => {
    const all = [...this.#waiting.values()];
    this.#waiting = new Map();
    let batch: Group[] = [];
    let windows = 0;
    for (const group of all) {
      if (windows + group.charges.length > WINDOWS_PER_CALL) {
        void this.#askFor(batch);
        batch = [];
        windows = 0;
      }
      batch.push(group);
      windows += group.charges.length;
    }
    void this.#askFor(batch);
  };

  async #askFor(batch: readonly Group[]): Promise<void> {
    const askedAtMs = this.#now();
    const answers = await this.#answers(batch, askedAtMs);
    this.#isLocalOnly = answers === undefined;
    if (answers === undefined) {
      for (const { charges, isForced, resolvers } of batch)
        for (const resolve of resolvers) resolve(this.#decideHere(charges, isForced));
      return;
    }
    const [bucketLeftMs = 0] = answers;
    let at = 1;
    for (const group of batch) {
      this.#onAnswer(group, { answers, at, bucketEndsAtMs: askedAtMs + bucketLeftMs });
      at += 1 + 3 * group.charges.length;
    }
  }

  /** @param told what Redis has answered, and where in it the group's part begins */
  #onAnswer(
    { charges, isForced, resolvers }: Group,
    told: { readonly answers: readonly number[]; readonly at: number; readonly bucketEndsAtMs: number },
  ): void {
    const { answers, at, bucketEndsAtMs } = told;
    const nowMs = this.#now();
    const came = resolvers.length;
    const { [at]: granted = 0 } = answers;
    const windows = charges.map(({ cost }, i) => {
      const { [at + 1 + 3 * i]: used = 0, [at + 2 + 3 * i]: leftInMs = 0, [at + 3 + 3 * i]: advance = 0 } = answers;
      return { cost, before: used - advance - granted * cost, advance, resetMs: nowMs + leftInMs };
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
      if (granted === came) {
        this.#prefetched.take(subject, { cap, came: came * cost, left, used, resetMs, endsAtMs: bucketEndsAtMs, nowMs });
      } else if (used + cost > cap) this.#refused.remember(subject, { cap, cost, used, resetMs });
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
    const nowMs = performance.now();
    const hasRoom = isForced || charges.every(({ subject, cap, cost }) => this.#local.used(subject, nowMs) + cost <= cap);
    if (hasRoom) this.#countHere(charges, nowMs);
    return hasRoom;
  }

  /** The reset is when there is room for the cost, or, where there is room, when the oldest leaves. */
  #usageHere({ subject, cap, cost }: Charge): Usage {
    const used = this.#local.used(subject);
    return { used, resetMs: this.#now() + this.#local.leavesInMs(subject, Math.max(1, used + cost - cap)) };
  }

  #countHere(charges: readonly Charge[], nowMs = performance.now()): void {
    for (const { subject, cost } of charges) this.#local.add(subject, cost, nowMs);
  }

  /** @returns undefined when Redis is away, slow or cannot count */
  async #answers(batch: readonly Group[], nowMs: number): Promise<readonly number[] | undefined> {
    if (this.#redis.status !== 'ready') return this.#countedHere('redis is away');
    if (performance.now() < this.#pausedUntilMs) return undefined;
    const keys: string[] = [];
    const counts: number[] = [this.#windowMs, this.#bucketMs];
    for (const { charges, isForced, resolvers } of batch) {
      const requests = resolvers.length;
      counts.push(charges.length, requests, isForced ? 1 : 0);
      for (const { subject, cap, cost } of charges) {
        keys.push(requestWindowKey(subject));
        counts.push(cap, cost, isForced ? 0 : this.#prefetched.wanted(subject, { cap, came: requests * cost, nowMs }));
      }
    }
    try {
      const answers = rateLimitScript.run(this.#redis, keys, counts);
      return (await withTimeout(this.#answerMs, 'counting requests', answers)) as number[];
    } catch (error) {
      this.#pausedUntilMs = performance.now() + PAUSE_MS;
      return this.#countedHere(error instanceof Error ? error.message : String(error));
    }
  }

  /** Logged once, not at each request. */
  #countedHere(reason: string): undefined {
    if (!this.#isLocalOnly) this.#log.warn({ reason }, 'requests are counted by this node alone');
    return undefined;
  }
}

/** Names of charges that come again with each request. */
const ids = new WeakMap<readonly Charge[], string>();

/** Like requests have like charges. */
function idOf(charges: readonly Charge[]): string {
  let id = ids.get(charges);
  if (id === undefined) {
    id = charges.map(({ subject, cap, cost }) => `${subject} ${cap} ${cost}`).join(' ');
    ids.set(charges, id);
  }
  return id;
}

const ofOne = ({ isGranted, windows: [window] }: ChargeDecision): RateLimitDecision => ({
  isGranted,
  ...(window ?? { used: 0, cap: 0, resetMs: 0 }),
});
