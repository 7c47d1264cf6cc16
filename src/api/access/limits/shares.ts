// How much of something scarce (bytes of memory, connections, places in a queue) each subject holds now, with a bound
// for each and one for all together. In this process only: what is scarce is this process's. From half of all on, those go
// on who hold less than a sixteenth of their own bound: a few subjects cannot take the last share from all others.

/** The part of all from which on little may be held, and how much of its own bound a subject may hold then. */
const CROWDED = 1 / 2;
const SMALL = 1 / 16;

export interface SharesOptions {
  /** What one subject may hold. */
  readonly each: number;
  /** What all may hold together; from half of it on a subject gets no more than a sixteenth of `each`. */
  readonly all: number;
}

/** Why there is no share: the subject's own bound, or that of all. */
export type NoShare = 'each' | 'all';

export class Shares {
  readonly #options: SharesOptions;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  /** What all hold. */
  get total(): number {
    return this.#total;
  }

  /** What a subject holds. */
  of(subject: string): number {
    return this.#held.get(subject) ?? 0;
  }

  /** Takes some more for a subject. @returns undefined when it has got it; else nothing was taken */
  take(subject: string, amount = 1): NoShare | undefined {
    const held = this.of(subject) + amount;
    const total = this.#total + amount;
    const { each, all } = this.#options;
    if (held > each) return 'each';
    if (total > all || (total > all * CROWDED && held > each * SMALL)) return 'all';
    this.#held.set(subject, held);
    this.#total = total;
    return undefined;
  }

  /** Gives back what was taken before. */
  give(subject: string, amount = 1): void {
    const left = this.of(subject) - amount;
    if (left > 0) this.#held.set(subject, left);
    else this.#held.delete(subject);
    this.#total -= amount;
  }
}
