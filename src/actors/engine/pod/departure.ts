// How a pod leaves. It tells the others and gives its shards to those that take them, a few at a time. While no other takes them it keeps
// them and serves them, until its process stops: then there is little time, and what no other takes goes at once.
import type { Logger } from '../../../shared/logger.ts';
import { waitAtMost } from '../../../shared/waiting.ts';
import { type AblePods, podDueTo } from '../../core/messages/podStatus.ts';

/** Longest a stop waits for the pod to leave, ms, and how much of it to give its shards away one after the other. */
const STOP_WITHIN_MS = 5000;
const IN_TURN_MS = 3500;

interface DepartureParts {
  readonly log: Logger;
  readonly handOvers: HandOvers;
  /** Shards that the pod owns now. */
  readonly shards: () => readonly number[];
  /** Ends regular heartbeats, with the one under way. */
  readonly silence: () => Promise<void>;
  /** Says that this pod leaves, and answers with the others; undefined = Redis has not answered in time, or has never. */
  readonly listen: () => Promise<{ readonly able: AblePods; readonly isOld: boolean } | undefined>;
  /** Gives back what is left, at once, and takes this pod from the list. */
  readonly end: () => Promise<void>;
}

export class Departure {
  readonly #parts: DepartureParts;
  #gone: Promise<void> | undefined;
  #isAsked = false;
  /** By `performance.now()`; undefined = the process goes on. */
  #hurryUntilMs: number | undefined;

  constructor(parts: DepartureParts) {
    this.#parts = parts;
  }

  /** From now on the pod takes no shard. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Resolves when the pod owns no shard; asked again, it is the same departure, or the next one after one that failed. */
  leave(): Promise<void> {
    this.#isAsked = true;
    this.#gone ??= this.#go().catch((error: unknown) => {
      this.#gone = undefined;
      throw error;
    });
    return this.#gone;
  }

  /** Leaves within seconds, in order or not. */
  async stop(): Promise<void> {
    this.#hurryUntilMs = performance.now() + IN_TURN_MS;
    const leaving = this.leave().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'pod has not left in order');
    });
    await waitAtMost(STOP_WITHIN_MS, leaving);
  }

  async #go(): Promise<void> {
    const { handOvers, shards, silence, listen, end } = this.#parts;
    await silence();
    await handOvers.giveInTurn({ shards, able: async () => this.#takers(await listen()) });
    await end();
  }

  /** @returns undefined when the rest is to be given back at once */
  #takers(heard: { readonly able: AblePods; readonly isOld: boolean } | undefined): AblePods | undefined {
    if (this.#hurryUntilMs === undefined) return heard?.isOld === false ? heard.able : NOBODY;
    const isInTime = performance.now() < this.#hurryUntilMs;
    return isInTime && heard !== undefined && heard.able.trusted.length > 0 ? heard.able : undefined;
  }
}

const NOBODY: AblePods = { trusted: [], fresh: [], pins: [] };

/** Shards that one pod recovers at a time. */
const OF_A_POD = 2;
/** Shards without an owner at a time: the others continue meanwhile. */
const AT_ONCE = 4;
/** A next owner that has not loaded a shard by then gets others all the same: it may have ended, or somebody else has the shard, ms. */
const PATIENCE_MS = 1000;

/** While shards wait for their turn the others are listened to so often, ms. */
export const HAND_OVER_EVERY_MS = 100;

interface HandOverParts {
  /** A clock that only goes forward, ms. */
  readonly now: () => number;
  /** Gives shards back and wakes their next owners. */
  readonly give: (shards: readonly number[]) => Promise<void>;
}

/**
 * Which shards a pod gives to others now, and which wait their turn. A pod that gets many at once recovers all of them on its
 * one thread, and the accounts of each wait for all: so each next owner gets few at a time, and the next ones when it has all
 * their accounts.
 */
export class HandOvers {
  readonly #parts: HandOverParts;
  /** Shard -> to whom it was given, and when. */
  readonly #underWay = new Map<number, { readonly to: string; readonly atMs: number }>();

  constructor(parts: HandOverParts) {
    this.#parts = parts;
  }

  /**
   * Gives those away whose turn it is.
   * @param shards that another pod should have @param able as the newest heartbeat found the pods
   * @returns true when some wait for their turn
   */
  async giveNext(shards: readonly number[], able: AblePods): Promise<boolean> {
    const next = this.#next(shards, able);
    await this.#parts.give(next);
    return next.length < shards.length;
  }

  /**
   * Gives all shards away, a few at a time, to pods that take them.
   * @param options.able the others, as they are heard before each step; undefined = the rest does not wait for them
   */
  async giveInTurn(options: { shards: () => readonly number[]; able: () => Promise<AblePods | undefined> }): Promise<void> {
    const { shards } = options;
    while (shards().length > 0) {
      const able = await options.able();
      if (able === undefined) return;
      if (await this.giveNext(shards(), able)) await new Promise((resolve) => setTimeout(resolve, HAND_OVER_EVERY_MS));
    }
  }

  #next(shards: readonly number[], able: AblePods): number[] {
    this.#forgetDone(able);
    const given: number[] = [];
    for (const shard of shards) {
      const to = podDueTo(shard, able);
      const ofPod = [...this.#underWay.values()].filter((one) => one.to === to).length;
      if (to === undefined || ofPod >= OF_A_POD || this.#underWay.size >= AT_ONCE) continue;
      this.#underWay.set(shard, { to, atMs: this.#parts.now() });
      given.push(shard);
    }
    return given;
  }

  #forgetDone({ trusted, fresh }: AblePods): void {
    const loaded = new Set(
      [...trusted, ...fresh].flatMap((pod) => pod.shards.filter((one) => one.loaded)).map(({ shard }) => shard),
    );
    for (const [shard, { atMs }] of this.#underWay) {
      if (loaded.has(shard) || this.#parts.now() - atMs > PATIENCE_MS) this.#underWay.delete(shard);
    }
  }
}
