// The weight that the deployment may ask the venue for in a minute, shared by all its processes: the venue counts them
// as one address. Users have a part of it, and users who have used less of it go first. The market role always goes on, and so do
// questions of which all users share the answer. A 429 of the venue makes all of them pause. An emulated or replayed venue is the
// deployment's own: it has no such limit.
import { randomBytes } from 'node:crypto';
import { Counter, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { marketKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { withTimeout } from '../waiting.ts';
import { answeredScript, askScript, pauseScript, spendScript } from './venueBudgetScript.ts';

/** How long Redis may take, ms. */
const ANSWER_MS_MAX = 1000;
/** Pauses after the venue's 429, ms: the first one, and the longest. */
const PAUSE_MS_MIN = 2000;
const PAUSE_MS_MAX = 60_000;
/** Part of a pause that holds the market role too, ms: it is the first to try again. */
const MARKET_HELD_MS = 4000;
/** A refused user is not counted again for this long, ms: a refusal costs Redis nothing then. */
const REFUSED_MS = 500;
const REFUSED_MAX = 10_000;

type Limits = Pick<Config, 'MARKET_WEIGHT_PER_MINUTE' | 'MARKET_WEIGHT_RESERVE' | 'MARKET_WEIGHT_USER_PERCENT'>;
const NO_LIMITS: Limits = { MARKET_WEIGHT_PER_MINUTE: 2 ** 40, MARKET_WEIGHT_RESERVE: 0, MARKET_WEIGHT_USER_PERCENT: 100 };

/** `asked`: another process asks just that. `share`: the user has had much. `crowded`: the part of all users is used up. */
export interface BudgetVerdict {
  readonly verdict: 'granted' | 'asked' | 'pause' | 'share' | 'crowded';
  readonly retryMs: number;
  /** Names a granted question to `answered`. */
  readonly mark: string;
}

export class VenueBudget {
  readonly #redis: Redis;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #count: CountVenueWeight;
  /** By user and weight. */
  readonly #refused = new Map<string, BudgetVerdict & { readonly untilMs: number }>();

  constructor(options: {
    redis: Redis;
    config: Limits & Pick<Config, 'MARKET_SOURCE'>;
    now: () => number;
    count?: CountVenueWeight;
  }) {
    this.#redis = options.redis;
    this.#limits = options.config.MARKET_SOURCE === 'live' ? options.config : NO_LIMITS;
    this.#now = options.now;
    this.#count = options.count ?? (() => undefined);
  }

  /**
   * Counts a question; when granted it is under way until `answered`.
   * @param payer the user on whom it counts; undefined: all share the answer, so it counts on the market role
   * @param question.digest names it among the questions of all processes
   * @param question.lifeMs how long it can be under way
   * @throws when Redis does not answer
   */
  async ask(payer: string | undefined, question: { weight: number; digest: string; lifeMs: number }): Promise<BudgetVerdict> {
    const { MARKET_WEIGHT_PER_MINUTE, MARKET_WEIGHT_RESERVE, MARKET_WEIGHT_USER_PERCENT } = this.#limits;
    const { weight, digest, lifeMs } = question;
    const by = payer === undefined ? 'market' : 'users';
    const subject = `${payer ?? ''} ${weight}`;
    const refused = this.#refused.get(subject);
    if (refused !== undefined && this.#now() < refused.untilMs) {
      this.#count(by, 'refused', weight);
      return refused;
    }
    const keys = [marketKeys.usersWeight, marketKeys.marketWeight, marketKeys.userWeight(payer ?? ''), marketKeys.pause];
    const limits = [MARKET_WEIGHT_PER_MINUTE, MARKET_WEIGHT_RESERVE, MARKET_WEIGHT_USER_PERCENT];
    const mark = randomBytes(8).toString('hex');
    const asked = askScript.run(
      this.#redis,
      [...keys, marketKeys.asked(digest), marketKeys.usersWaiting],
      [weight, ...limits, lifeMs, mark, payer ?? ''],
    );
    const [verdict, retryMs] = (await withTimeout(ANSWER_MS_MAX, 'the venue’s budget', asked)) as [
      BudgetVerdict['verdict'],
      number,
    ];
    if (verdict !== 'asked') this.#count(by, verdict === 'granted' ? 'granted' : 'refused', weight);
    if (verdict !== 'granted' && verdict !== 'asked') this.#remember(subject, { verdict, retryMs, mark });
    return { verdict, retryMs, mark };
  }

  /** Whether a process asks this question at the moment. @throws when Redis does not answer */
  async isAsked(digest: string): Promise<boolean> {
    const count = this.#redis.exists(marketKeys.asked(digest));
    return (await withTimeout(ANSWER_MS_MAX, 'the venue’s budget', count)) === 1;
  }

  /** A granted question is not under way any more, whatever became of it. @param mark of its grant */
  async answered(digest: string, mark: string): Promise<void> {
    await answeredScript.run(this.#redis, [marketKeys.asked(digest)], [mark]);
  }

  /**
   * Counts a question of the market role.
   * @param options.isPatient it waits while the deployment's weight is used up
   * @returns 0, or the ms to wait before another try
   */
  async spend(weight: number, { isPatient }: { isPatient: boolean }): Promise<number> {
    const keys = [marketKeys.usersWeight, marketKeys.marketWeight, marketKeys.pause];
    const args = [weight, this.#limits.MARKET_WEIGHT_PER_MINUTE, isPatient ? '1' : '0', MARKET_HELD_MS];
    const waitMs = Number(await withTimeout(ANSWER_MS_MAX, 'the venue’s budget', spendScript.run(this.#redis, keys, args)));
    if (waitMs === 0) this.#count('market', 'granted', weight);
    return waitMs;
  }

  /** The venue has answered 429: no user's question goes to it for a while. @param waitMs what the venue asked for */
  async pause(waitMs = 0): Promise<void> {
    const shortest = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, waitMs));
    await pauseScript.run(this.#redis, [marketKeys.pause, marketKeys.pauses], [shortest, PAUSE_MS_MAX]);
  }

  #remember(subject: string, verdict: BudgetVerdict): void {
    if (this.#refused.size >= REFUSED_MAX) this.#refused.clear();
    this.#refused.set(subject, { ...verdict, untilMs: this.#now() + Math.min(REFUSED_MS, verdict.retryMs) });
  }
}

// What of the venue's weight this process has used, and what of it users were refused: for an operator who sizes
// MARKET_WEIGHT_PER_MINUTE.

export type CountCandleChunks = (outcome: 'kept' | 'missing', count: number) => void;

export function countCandleChunks(registry: Registry): CountCandleChunks {
  const chunks = sharedCounter(registry, {
    name: 'candle_chunks_total',
    help: 'Chunks of closed candles that answers needed, by whether they were kept (kept, missing).',
    labelNames: ['outcome'],
  });
  return (outcome, count) => chunks.inc({ outcome }, count);
}

/** Roles of one process share the metric. */
const sharedCounter = <Label extends string>(
  registry: Registry,
  metric: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
): Counter<Label> =>
  (registry.getSingleMetric(metric.name) as Counter<Label> | undefined) ??
  new Counter({ ...metric, labelNames: [...metric.labelNames], registers: [registry] });

/** For whom the venue is asked: users' questions, or the market role's own. */
type VenuePayer = 'users' | 'market';

type CountVenueWeight = (payer: VenuePayer, outcome: 'granted' | 'refused', weight: number) => void;

export function countVenueWeight(registry: Registry): CountVenueWeight {
  const weights = sharedCounter(registry, {
    name: 'venue_weight_total',
    help: 'Weight of questions to the venue, by who asked (users, market) and whether they might (granted, refused).',
    labelNames: ['payer', 'outcome'],
  });
  return (payer, outcome, weight) => weights.inc({ payer, outcome }, weight);
}
