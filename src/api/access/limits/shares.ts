// How much of something scarce (bytes of memory, connections, places in a queue) each subject holds now, with a bound
// for each and one for all together. In this process only: what is scarce is this process's. Each time that what is free
// has halved, a subject may hold a sixteenth of what it might before: many subjects that hold all they can leave room for
// those that hold little.

/** How much of what it might hold before a subject may hold when half of what was free is taken. */
const SMALLER = 1 / 16;

export interface SharesOptions {
  /** What one subject may hold. */
  readonly each: number;
  /** What all may hold together: past half of it a subject gets a sixteenth of `each`, past three quarters a sixteenth of that; 1 always. */
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
    const refused = this.refusal(subject, amount);
    if (refused === undefined) this.put(subject, amount);
    return refused;
  }

  /** Why a subject would not get so much more; undefined where it would. */
  refusal(subject: string, amount = 1): NoShare | undefined {
    const held = this.of(subject) + amount;
    const total = this.#total + amount;
    const { each, all } = this.#options;
    if (held > each) return 'each';
    if (total > all || (total > all / 2 && held > shareOf(each, all / (all - total)))) return 'all';
    return undefined;
  }

  /** Takes some more whatever the bounds. */
  put(subject: string, amount: number): void {
    this.#held.set(subject, this.of(subject) + amount);
    this.#total += amount;
  }

  /** Gives back what was taken before. */
  give(subject: string, amount = 1): void {
    const left = this.of(subject) - amount;
    if (left > 0) this.#held.set(subject, left);
    else this.#held.delete(subject);
    this.#total -= amount;
  }
}

/** @param fullness all, by what is free; past 2 */
const shareOf = (each: number, fullness: number): number => Math.max(1, each * SMALLER ** (Math.ceil(Math.log2(fullness)) - 1));
