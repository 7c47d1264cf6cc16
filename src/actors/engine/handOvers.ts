// Which shards a pod gives to others now, and which wait their turn. A pod that gets many at once recovers all of them on its one thread, and
// the accounts of each wait for all: so each next owner gets few at a time, and the next ones when it has all their accounts.
import { type AblePods, podDueTo } from '../core/messages/podRanking.ts';

/** Shards that one pod recovers at a time. */
const OF_A_POD = 2;
/** Shards without an owner at a time: the others continue meanwhile. */
const AT_ONCE = 4;
/** A next owner that has not loaded a shard by then gets others all the same: it may have ended, or somebody else has the shard, ms. */
const PATIENCE_MS = 1000;

/** While shards wait for their turn the others are listened to so often, ms. */
export const HAND_OVER_EVERY_MS = 100;

export interface HandOverParts {
  /** A clock that only goes forward, ms. */
  readonly now: () => number;
  /** Gives shards back and wakes their next owners. */
  readonly give: (shards: readonly number[]) => Promise<void>;
}

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
