// How the processes of a deployment agree that all is done that was due at the time that a test has set.
// Asks every process of the deployment whether it has done what is due, and waits until all have said so: for control calls, which are
// answered when what they changed is everywhere. A process that is gone is waited for until it counts as silent; its shards, until
// another one owns them.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { openSubscriber, openSubscriptions, publish } from '../redis/channels.ts';
import type { MarketPosition } from '../redis/feedFollower.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import type { ChannelSubscriptions } from '../redis/subscriptions.ts';
import { readClock } from './clockRecord.ts';
import type { ClockOffsets, ExchangeClock } from './exchangeClock.ts';
import { liveProcesses } from './liveProcesses.ts';
import type { Closing, Role, RoleParts } from './role.ts';

const LOOK_EVERY_MS = 4;
/** The question is sent again after this, ms: to processes that have begun since, or have lost it. */
const ASK_AGAIN_MS = 250;

interface SettleQuestion {
  readonly id: string;
  /** Where exchange time is, and that of the market. */
  readonly offsetMs: number;
  readonly marketMs: number;
  /** The message of the market that has to have come, where one has. */
  readonly seen?: MarketPosition;
}

/** The notice of a process. */
interface SettledProcess {
  readonly id: string;
  readonly shards: readonly number[];
  readonly nextDueMs?: number;
}

/** All of them. */
export interface Settled {
  /** When the next thing of any account is due, exchange time in ms. */
  readonly nextDueMs: number | undefined;
}

/**
 * Resolves when every live process has settled, and every shard is owned by one of them where there are any actors.
 * @param options.shards number of shards
 * @returns undefined when that takes longer than `withinMs`
 */
export async function untilSettled(
  redis: Redis,
  question: Omit<SettleQuestion, 'id'>,
  { shards, withinMs }: { readonly shards: number; readonly withinMs: number },
): Promise<Settled | undefined> {
  const id = randomUUID();
  const untilMs = performance.now() + withinMs;
  for (let askAtMs = 0; performance.now() < untilMs; await pause(LOOK_EVERY_MS)) {
    if (performance.now() >= askAtMs) {
      await publish(redis, deploymentKeys.clockChanged, JSON.stringify({ question: { id, ...question } }));
      askAtMs = performance.now() + ASK_AGAIN_MS;
    }
    const settled = await lookAt(redis, { id, shards });
    if (settled !== undefined) return settled;
  }
  return undefined;
}

async function lookAt(redis: Redis, { id, shards }: { id: string; shards: number }): Promise<Settled | undefined> {
  const [live, said] = await Promise.all([liveProcesses(redis), redis.hgetall(deploymentKeys.settled)]);
  const owned = new Set<number>();
  let nextDueMs: number | undefined;
  for (const { name } of live) {
    const answer = said[name] === undefined ? undefined : (JSON.parse(said[name]) as SettledProcess);
    if (answer?.id !== id) return undefined;
    for (const shard of answer.shards) owned.add(shard);
    nextDueMs = Math.min(nextDueMs ?? Number.POSITIVE_INFINITY, answer.nextDueMs ?? Number.POSITIVE_INFINITY);
  }
  const hasActors = live.some(({ roles }) => roles.includes('actors'));
  if (hasActors && owned.size < shards) return undefined;
  return { nextDueMs: nextDueMs === Number.POSITIVE_INFINITY ? undefined : nextDueMs };
}

// Where CONTROL is on, a process hears of the clock at once, and says when it has done what is due at the new time: the call that
// advances the clock waits for all of them. Without CONTROL a process learns the time with its heartbeats alone.

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

class ClockFollower {
  readonly #parts: { readonly redis: Redis; readonly log: Logger; readonly nodeId: string; readonly clock: ExchangeClock };
  readonly #subscriptions: ChannelSubscriptions;
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
