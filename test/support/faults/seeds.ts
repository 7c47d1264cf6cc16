// Repeatable chance: every fault scenario runs once per seed and carries the seed in its title, so the line of a
// failure says how to repeat it (`bin/test faults --seed S`, `--seeds N` for more).

const { SEED = '1', SEEDS = '1' } = process.env;

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.whole(0, items.length - 1)] as Item;
  }
}

/**
 * A number on a command line: a word that is none would be no round at all, and green.
 * @throws Error that names the option
 */
export function wholeOption(name: string, text: string, least = 0): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= least) return number;
  throw new Error(`--${name} takes a whole number from ${least}, and not "${text}".`);
}

/** One mocha test per seed. */
export function scenario(title: string, run: (seed: number) => Promise<void>): void {
  for (let i = 0; i < Number(SEEDS); i++) {
    const seed = Number(SEED) + i;
    it(`${title} (seed ${seed})`, () => run(seed));
  }
}

/** Seconds from the environment: the full length of a fault that a quick run shortens. */
export const secondsOf = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
