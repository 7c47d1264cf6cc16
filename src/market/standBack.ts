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
  /** The lead was lost, and it is not known yet whether to another. */
  #hasEnded = false;
  #lostAtMs = Number.NEGATIVE_INFINITY;

  /** @param lifeMs of the lease */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  /** The lead was lost. It counts as soon as another is seen to have it: where nobody has, it is taken again at once. */
  ended(): void {
    this.#hasEnded = true;
  }

  seesAnother(nowMs: number): void {
    if (!this.#hasEnded) return;
    this.#hasEnded = false;
    this.#losses = nowMs - this.#lostAtMs > FORGOTTEN_AFTER_LIVES * this.#lifeMs ? 1 : this.#losses + 1;
    this.#lostAtMs = nowMs;
  }

  /** False while the lead is left to others, also when nobody has it. */
  mayTake(nowMs: number): boolean {
    const lives = Math.min(LIVES_MAX, LIVES_MIN * 2 ** (this.#losses - 1));
    return nowMs - this.#lostAtMs >= lives * this.#lifeMs;
  }
}
