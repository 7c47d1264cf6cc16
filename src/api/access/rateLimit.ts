// Requests per minute of an API key, user or address, counted in Redis so that all API nodes together keep the limit.
// All requests of one turn of the event loop share one script call. A subject known to be at its limit is refused
// here without a call, because nothing can change until its oldest request leaves the window. A busy subject far
// below a large limit spends requests that were granted in advance.

import type { Logger } from '../../shared/logger.ts';
import { requestWindowKey } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/withTimeout.ts';
import type { LimitUsage } from '../accounts/services.ts';
import { PrefetchedQuota } from './prefetchedQuota.ts';
import { rateLimitScript } from './rateLimitScript.ts';

/** Width of a sub-window, ms: a request may count this much longer than the window, never shorter. */
const BUCKET_MS = 250;
/** Subjects in one script call: more would block Redis for others. */
const SUBJECTS_PER_CALL = 500;
/** How long Redis may take, ms. The limit protects the service; a limiter that is down must not stop it. */
const ANSWER_MS_MAX = 1000;
/** Subjects known to be at their limit; past it the oldest are dropped, which costs one call to Redis. */
const REFUSED_SUBJECTS_MAX = 10_000;

export interface RateLimitDecision extends LimitUsage {
  readonly isGranted: boolean;
}

interface Waiting {
  readonly cap: number;
  readonly resolvers: ((verdict: RateLimitDecision) => void)[];
}

export class RateLimit {
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #windowMs: number;
  #waiting = new Map<string, Waiting>();
  readonly #prefetched = new PrefetchedQuota();
  readonly #refused = new Map<string, { readonly cap: number; readonly used: number; readonly resetMs: number }>();
  #isUncounted = false;

  constructor(options: { redis: Redis; log: Logger; now: () => number; windowMs?: number }) {
    this.#redis = options.redis;
    this.#log = options.log;
    this.#now = options.now;
    this.#windowMs = options.windowMs ?? 60_000;
  }

  /**
   * Counts one request of a subject, if its limit allows.
   * @param cap requests allowed in a window
   * @returns granted without a count when Redis does not answer
   */
  admit(subject: string, cap: number): Promise<RateLimitDecision> | RateLimitDecision {
    const nowMs = this.#now();
    const granted = this.#prefetched.spend(subject, cap, nowMs);
    if (granted !== undefined) return { ...granted, isGranted: true };
    const refused = this.#refused.get(subject);
    if (refused !== undefined) {
      if (this.isAtLimit(subject, cap)) return { ...refused, isGranted: false };
      this.#refused.delete(subject);
    }
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(this.#ask);
      const waiting = this.#waiting.get(subject);
      if (waiting === undefined) this.#waiting.set(subject, { cap, resolvers: [resolve] });
      else waiting.resolvers.push(resolve);
    });
  }

  /** True when this node knows, without asking, that the subject would be refused. */
  isAtLimit(subject: string, cap: number): boolean {
    const refused = this.#refused.get(subject);
    return refused !== undefined && refused.cap === cap && this.#now() < refused.resetMs;
  }

  readonly #ask = (): void => {
    const all = [...this.#waiting];
    this.#waiting = new Map();
    for (let from = 0; from < all.length; from += SUBJECTS_PER_CALL) void this.#askFor(all.slice(from, from + SUBJECTS_PER_CALL));
  };

  async #askFor(batch: readonly (readonly [subject: string, waiting: Waiting])[]): Promise<void> {
    const askedAtMs = this.#now();
    const answers = await this.#answers(batch, askedAtMs);
    this.#isUncounted = answers === undefined;
    const nowMs = this.#now();
    const [bucketLeftMs = 0] = answers ?? [];
    batch.forEach(([subject, { cap, resolvers }], i) => {
      const came = resolvers.length;
      const granted = answers?.[4 * i + 1] ?? came;
      const left = answers?.[4 * i + 2] ?? 0;
      const used = answers?.[4 * i + 3] ?? granted;
      const resetMs = nowMs + (answers?.[4 * i + 4] ?? this.#windowMs);
      const before = used - left - granted;
      resolvers.forEach((resolve, place) => {
        const isGranted = place < granted;
        resolve({ isGranted, cap, used: before + (isGranted ? place + 1 : granted), resetMs });
      });
      if (granted < came) this.#remember(subject, { cap, used, resetMs });
      else
        this.#prefetched.take(subject, { cap, came, left, used: before + granted, resetMs, endsAtMs: askedAtMs + bucketLeftMs });
    });
  }

  /** @returns undefined when Redis is away or slow */
  async #answers(
    batch: readonly (readonly [subject: string, waiting: Waiting])[],
    nowMs: number,
  ): Promise<readonly number[] | undefined> {
    if (this.#redis.status !== 'ready') return this.#uncounted('redis is away');
    const keys = batch.map(([subject]) => requestWindowKey(subject));
    const counts = batch.flatMap(
      ([
        subject,
        {
          cap,
          resolvers: { length: came },
        },
      ]) => [came, cap, this.#prefetched.wanted(subject, { cap, came, nowMs })],
    );
    try {
      const answers = rateLimitScript.run(this.#redis, keys, [this.#windowMs, BUCKET_MS, ...counts]);
      return (await withTimeout(ANSWER_MS_MAX, 'counting requests', answers)) as number[];
    } catch (error) {
      return this.#uncounted(error instanceof Error ? error.message : String(error));
    }
  }

  /** Logged once, not at each request. */
  #uncounted(reason: string): undefined {
    if (!this.#isUncounted) this.#log.warn({ reason }, 'requests are not counted');
    return undefined;
  }

  #remember(subject: string, usage: { cap: number; used: number; resetMs: number }): void {
    if (this.#refused.size >= REFUSED_SUBJECTS_MAX) {
      const [oldest] = this.#refused.keys();
      if (oldest !== undefined) this.#refused.delete(oldest);
    }
    this.#refused.set(subject, usage);
  }
}
