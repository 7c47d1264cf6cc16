// How long a process that has lost the lead of the market leaves it to others. On a machine so busy that renewals come late, two
// processes would take it from each other without end, and each beginning of a term costs more than all renewals: the venue is
// connected anew, and the state is written whole. While one stands back, the other renews late and still leads.

/** In lives of the lease: after the first loss, and at most. */
const LIVES_MIN = 2;
const LIVES_MAX = 16;
/** A lease that was free for so many lives has lost its leader: one that renews late has done so by then. */
const LIVES_FREE = 4;
/** A lead that was not lost for so many lives ends the memory of earlier losses. */
const FORGOTTEN_AFTER_LIVES = 60;

export class StandBack {
  readonly #lifeMs: number;
  #losses = 0;
  /** The lead was lost, and it is not known yet whether to another. */
  #hasEnded = false;
  #lostAtMs = Number.NEGATIVE_INFINITY;
  /** Since when the lease was seen free, and no other was seen to have it. */
  #freeSinceMs: number | undefined;

  /** @param lifeMs of the lease */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  /** The lead was lost. It counts as soon as another is seen to have it: where nobody has, it is taken again at once. */
  ended(): void {
    this.#hasEnded = true;
  }

  seesAnother(nowMs: number): void {
    this.#freeSinceMs = undefined;
    if (!this.#hasEnded) return;
    this.#hasEnded = false;
    this.#losses = nowMs - this.#lostAtMs > FORGOTTEN_AFTER_LIVES * this.#lifeMs ? 1 : this.#losses + 1;
    this.#lostAtMs = nowMs;
  }

  /** The lease was free, and was left so. */
  seesFree(nowMs: number): void {
    this.#freeSinceMs ??= nowMs;
  }

  /** False while the lead is left to others, also to one that renews late; not to one that has died. */
  mayTake(nowMs: number): boolean {
    if (this.#freeSinceMs !== undefined && nowMs - this.#freeSinceMs >= LIVES_FREE * this.#lifeMs) return true;
    const lives = Math.min(LIVES_MAX, LIVES_MIN * 2 ** (this.#losses - 1));
    return nowMs - this.#lostAtMs >= lives * this.#lifeMs;
  }
}
