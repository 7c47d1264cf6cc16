// Where CONTROL is on, a process hears of the clock at once, and says when it has done what is due at the new time: the call that
// advances the clock waits for all of them. Without CONTROL a process learns the time with its heartbeats alone.

import { readClock } from '../clock/clockRecord.ts';
import type { ClockOffsets, ExchangeClock } from '../clock/exchangeClock.ts';
import type { Logger } from '../logger.ts';
import { openSubscriber, openSubscriptions } from '../redis/channels.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import type { Subscriptions } from '../redis/subscriptions.ts';
import type { Closing, Role, RoleParts } from './role.ts';
import type { SettledProcess, SettleQuestion } from './settledProcesses.ts';

/** Answers are gone after this, ms: who asked has given up long before. */
const ANSWERS_KEPT_MS = 120_000;

/** A message of the channel. */
interface ClockMessage {
  readonly offsets?: ClockOffsets;
  readonly question?: SettleQuestion;
}

/** Begins to follow the clock. The caller adds the process's roles to the follower. */
export async function followClock(
  { config, log, redis, subscriberFactory }: Pick<RoleParts, 'config' | 'log' | 'redis' | 'subscriberFactory'>,
  clock: ExchangeClock,
): Promise<Closing & { readonly follower: ClockFollower }> {
  const subscriber = openSubscriber(redis, () => subscriberFactory('clock'));
  const follower = new ClockFollower({ redis, log, nodeId: config.NODE_ID, clock }, subscriber.connection);
  await follower.start();
  return {
    follower,
    stop: async () => {
      await follower.stop();
      subscriber.close();
    },
  };
}

export class ClockFollower {
  readonly #parts: { readonly redis: Redis; readonly log: Logger; readonly nodeId: string; readonly clock: ExchangeClock };
  readonly #subscriptions: Subscriptions;
  readonly #roles: Pick<Role, 'settled'>[] = [];
  /** Questions that are being answered. */
  readonly #underWay = new Set<string>();

  /** @param subscriber of a `Subscriber`; not closed here */
  constructor(parts: { redis: Redis; log: Logger; nodeId: string; clock: ExchangeClock }, subscriber: Redis) {
    this.#parts = parts;
    this.#subscriptions = openSubscriptions(subscriber, {
      onMessage: (_channel, text) => this.#onMessage(JSON.parse(text) as ClockMessage),
      onBack: () => this.#readAgain(),
    });
  }

  start(): Promise<void> {
    return this.#subscriptions.subscribe(deploymentKeys.clockChanged);
  }

  stop(): Promise<void> {
    return this.#subscriptions.stop();
  }

  add(role: Pick<Role, 'settled'>): void {
    this.#roles.push(role);
  }

  #onMessage({ offsets, question }: ClockMessage): void {
    if (offsets !== undefined) this.#parts.clock.shift(offsets);
    if (question === undefined || this.#underWay.has(question.id)) return;
    const { log } = this.#parts;
    this.#underWay.add(question.id);
    this.#answer(question)
      .catch((error: unknown) => log.warn({ err: error }, 'what is due cannot be told, it is asked again'))
      .finally(() => this.#underWay.delete(question.id));
  }

  async #answer({ id, offsetMs, marketMs, seen }: SettleQuestion): Promise<void> {
    const { redis, nodeId, clock } = this.#parts;
    // The message of the step may have been lost with a connection.
    if (clock.offsets.offsetMs < offsetMs || clock.offsets.marketMs < marketMs) clock.shift(await readClock(redis));
    const roles = await Promise.all(this.#roles.map((role) => role.settled?.(seen)));
    const settled = roles.filter((role) => role !== undefined);
    const dues = settled.flatMap(({ nextDueMs }) => (nextDueMs === undefined ? [] : [nextDueMs]));
    const answer: SettledProcess = {
      id,
      shards: settled.flatMap(({ shards }) => shards),
      ...(dues.length > 0 && { nextDueMs: Math.min(...dues) }),
    };
    await redis.hset(deploymentKeys.settled, nodeId, JSON.stringify(answer));
    await redis.pexpire(deploymentKeys.settled, ANSWERS_KEPT_MS);
  }

  #readAgain(): void {
    const { redis, clock, log } = this.#parts;
    readClock(redis).then(
      (offsets) => clock.shift(offsets),
      (error: unknown) => log.warn({ err: error }, 'the clock cannot be read: the next heartbeat tells it'),
    );
  }
}
