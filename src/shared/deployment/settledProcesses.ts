// Asks every process of the deployment whether it has done what is due, and waits until all have said so: for control calls, which are
// answered when what they changed is everywhere. A process that is gone is waited for until it counts as silent; its shards, until
// another one owns them.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { publish } from '../redis/channels.ts';
import type { MarketPosition } from '../redis/feedFollower.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { liveProcesses } from './liveProcesses.ts';

const LOOK_EVERY_MS = 4;
/** The question is sent again after this, ms: to processes that have begun since, or have lost it. */
const ASK_AGAIN_MS = 250;

export interface SettleQuestion {
  readonly id: string;
  /** Where exchange time is, and that of the market. */
  readonly offsetMs: number;
  readonly marketMs: number;
  /** The message of the market that has to have come, where one has. */
  readonly seen?: MarketPosition;
}

/** The notice of a process. */
export interface SettledProcess {
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
