// How long a process that has lost the lead of the market leaves it to others. On a machine so busy that renewals come late, two
// processes would take it from each other without end, and each beginning of a term costs more than all renewals: the venue is
// connected anew, and the state is written whole. While one stands back, the other renews late and still leads.

/** In lives of the lease: after the first loss, and at most. */
const LIVES_MIN = 2;
const LIVES_MAX = 16;
/** A lead that was not lost for so many lives ends the memory of earlier losses. */
const FORGOTTEN_AFTER_LIVES = 60;

export class StandBack {
  readonly #lifeMs: number;
  #losses = 0;
  #lostAtMs = Number.NEGATIVE_INFINITY;

  /** @param lifeMs of the lease */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  /** The lead was lost to another. */
  lost(nowMs: number): void {
    this.#losses = nowMs - this.#lostAtMs > FORGOTTEN_AFTER_LIVES * this.#lifeMs ? 1 : this.#losses + 1;
    this.#lostAtMs = nowMs;
  }

  /** False while the lead is left to others, also when nobody has it. */
  mayTake(nowMs: number): boolean {
    const lives = Math.min(LIVES_MAX, LIVES_MIN * 2 ** (this.#losses - 1));
    return nowMs - this.#lostAtMs >= lives * this.#lifeMs;
  }
}
