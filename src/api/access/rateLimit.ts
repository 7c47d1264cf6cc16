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
/** Subjects known to be at their limit; past it the oldest are dropped, which costs one call to Redis. */
const REFUSED_SUBJECTS_MAX = 10_000;
/** Subjects counted in memory. */
const LOCAL_SUBJECTS_MAX = 50_000;

/** Options of a limit that counts by the hour: for guesses and mails. */
export const hourWindow = { windowMs: 3_600_000, bucketMs: 15_000 };

type Usage = Pick<LimitUsage, 'used' | 'resetMs'>;

interface Refused extends LimitUsage {
  /** A request that costs as much or more is refused. */
  readonly cost: number;
}

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
  #waiting = new Map<string, Group>();
  readonly #prefetched = new PrefetchedQuota();
  readonly #refused = new Map<string, Refused>();
  readonly #local: LocalWindows;
  #isLocalOnly = false;
  /** Until then, by `performance.now()`, Redis is not asked. */
  #pausedUntilMs = 0;

  constructor(options: { redis: Redis; log: Logger; now: () => number; windowMs?: number; bucketMs?: number }) {
    this.#redis = options.redis;
    this.#log = options.log;
    this.#now = options.now;
    this.#windowMs = options.windowMs ?? 60_000;
    this.#bucketMs = options.bucketMs ?? BUCKET_MS;
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
    const refusedBy = charges.findIndex((charge) => this.#knownRefusal(charge) !== undefined);
    if (refusedBy !== -1) {
      const windows = charges.map((charge) => ({ ...(this.#knownRefusal(charge) ?? this.#usageHere(charge)), cap: charge.cap }));
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
    return this.#knownRefusal(one) !== undefined || this.#local.used(subject) >= cap;
  }

  /** The window as Redis has told it, when it has no room for sure. */
  #knownRefusal({ subject, cap, cost }: Charge): Refused | undefined {
    const refused = this.#refused.get(subject);
    if (refused === undefined) return undefined;
    if (refused.cap === cap && this.#now() < refused.resetMs) return cost >= refused.cost ? refused : undefined;
    this.#refused.delete(subject);
    return undefined;
  }

  #inTurn(charges: readonly Charge[], isForced: boolean): Promise<ChargeDecision> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(this.#ask);
      const id = charges.reduce((text, { subject, cap, cost }) => `${text} ${subject} ${cap} ${cost}`, isForced ? '+' : '');
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
      for (const group of batch) for (const resolve of group.resolvers) resolve(this.#decideHere(group.charges, group.isForced));
      return;
    }
    const [bucketLeftMs = 0] = answers;
    let at = 1;
    for (const group of batch) {
      this.#onAnswer(group, answers.slice(at, at + 1 + 3 * group.charges.length), askedAtMs + bucketLeftMs);
      at += 1 + 3 * group.charges.length;
    }
  }

  #onAnswer({ charges, isForced, resolvers }: Group, answer: readonly number[], bucketEndsAtMs: number): void {
    const nowMs = this.#now();
    const came = resolvers.length;
    const [granted = 0] = answer;
    const windows = charges.map(({ cap, cost }, i) => {
      const [used = 0, leftInMs = 0, advance = 0] = answer.slice(1 + 3 * i, 4 + 3 * i);
      return { cap, cost, before: used - advance - granted * cost, advance, resetMs: nowMs + leftInMs };
    });
    resolvers.forEach((resolve, place) => {
      const usage = windows.map(({ before, cost, resetMs }) => ({ used: before + Math.min(place, granted) * cost, resetMs }));
      const decision = decided(charges, usage, isForced);
      // A Redis that has lost its data gives no second limit.
      const here = decision.isGranted ? this.#decideHere(charges, isForced) : decision;
      resolve(here.isGranted ? decision : here);
    });
    charges.forEach(({ subject, cap, cost }, i) => {
      const { before = 0, advance: left = 0, resetMs = 0 } = windows[i] ?? {};
      const used = before + granted * cost;
      if (granted === came) {
        this.#prefetched.take(subject, { cap, came: came * cost, left, used, resetMs, endsAtMs: bucketEndsAtMs });
      } else if (used + cost > cap) this.#remember(subject, { cap, cost, used, resetMs });
    });
  }

  /** By what this node has granted alone. */
  #decideHere(charges: readonly Charge[], isForced: boolean): ChargeDecision {
    const usage = charges.map((charge) => this.#usageHere(charge));
    const decision = decided(charges, usage, isForced);
    if (decision.isGranted) this.#countHere(charges);
    return decision;
  }

  /** The reset is when there is room for the cost, or, where there is room, when the oldest leaves. */
  #usageHere({ subject, cap, cost }: Charge): Usage {
    const used = this.#local.used(subject);
    return { used, resetMs: this.#now() + this.#local.leavesInMs(subject, Math.max(1, used + cost - cap)) };
  }

  #countHere(charges: readonly Charge[]): void {
    for (const { subject, cost } of charges) this.#local.add(subject, cost);
  }

  /** @returns undefined when Redis is away, slow or cannot count */
  async #answers(batch: readonly Group[], nowMs: number): Promise<readonly number[] | undefined> {
    if (this.#redis.status !== 'ready') return this.#countedHere('redis is away');
    if (performance.now() < this.#pausedUntilMs) return undefined;
    const keys = batch.flatMap(({ charges }) => charges.map(({ subject }) => requestWindowKey(subject)));
    const counts = batch.flatMap(({ charges, isForced, resolvers: { length: requests } }) => [
      ...[charges.length, requests, isForced ? 1 : 0],
      ...charges.flatMap(({ subject, cap, cost }) => {
        const wanted = isForced ? 0 : this.#prefetched.wanted(subject, { cap, came: requests * cost, nowMs });
        return [cap, cost, wanted];
      }),
    ]);
    try {
      const answers = rateLimitScript.run(this.#redis, keys, [this.#windowMs, this.#bucketMs, ...counts]);
      return (await withTimeout(ANSWER_MS_MAX, 'counting requests', answers)) as number[];
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

  #remember(subject: string, refused: Refused): void {
    if (this.#refused.size >= REFUSED_SUBJECTS_MAX) {
      const [oldest] = this.#refused.keys();
      if (oldest !== undefined) this.#refused.delete(oldest);
    }
    this.#refused.set(subject, refused);
  }
}

const ofOne = ({ isGranted, windows: [window] }: ChargeDecision): RateLimitDecision => ({
  isGranted,
  ...(window ?? { used: 0, cap: 0, resetMs: 0 }),
});
