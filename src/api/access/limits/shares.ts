// Two ways to share a scarce thing of this process: `Shares` refuses beyond a bound, and `FairPlaces` takes from the holder with the most.

/** How much of what it might hold before a subject may hold when half of what was free is taken. */
const SMALLER = 1 / 16;

interface SharesOptions {
  /** What one subject may hold. */
  readonly each: number;
  /**
   * What all may hold together: past half of it a subject gets a sixteenth of `each`, past three quarters a sixteenth of that; 1 always.
   */
  readonly all: number;
}

/** Why there is no share: the subject's own bound, or that of all. */
export type NoShare = 'each' | 'all';

/**
 * How much of something scarce (bytes of memory, connections, places in a queue) each subject holds now, with a bound for each and one for
 * all together. In this process only: what is scarce is this process's. Each time that what is free has halved, a subject may hold a
 * sixteenth of what it might before: many subjects that hold all they can leave room for those that hold little.
 */
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

interface Held<Thing> {
  readonly holder: Holder<Thing>;
  line: number;
  amount: number;
}

interface Holder<Thing> {
  readonly name: string;
  total: number;
  /** Things of the first line are given up before those of the next; in a line, those that stand there longest. */
  readonly lines: readonly Set<Thing>[];
}

interface FairPlacesOptions<Thing> {
  /** What one holder may hold; beyond it the holder's own things are given up. */
  readonly each: number;
  /** What all may hold together. */
  readonly all: number;
  /** Lines in which things can stand. */
  readonly lines: number;
  /** A thing has lost its place. */
  readonly giveUp: (thing: Thing) => void;
}

/**
 * What a process can hold so much of (connections, answers that wait to be read), by holders. Where there is no room for
 * more, the holder with the most gives something up: who holds little gets a place whatever others hold, so a few holders
 * cannot keep out all others.
 */
export class FairPlaces<Thing> {
  readonly #options: FairPlacesOptions<Thing>;
  readonly #holders = new Map<string, Holder<Thing>>();
  readonly #things = new Map<Thing, Held<Thing>>();
  #total = 0;

  constructor(options: FairPlacesOptions<Thing>) {
    this.#options = options;
  }

  /** What all hold. */
  get total(): number {
    return this.#total;
  }

  /** What a holder holds. */
  of(name: string): number {
    return this.#holders.get(name)?.total ?? 0;
  }

  /**
   * Gives a thing its place, or one that has a place so much more. Things of this holder, or of the one with the most, may
   * lose theirs for it.
   * @returns false when there is no room: no holder has more than this one would have
   */
  take(name: string, thing: Thing, amount = 1): boolean {
    const { each, all } = this.#options;
    while (this.of(name) + amount > each && this.#giveUpOneOf(this.#holders.get(name)));
    while (this.#total + amount > all) {
      const most = this.#holderOfMost();
      if (most === undefined || most.total <= this.of(name) + amount || !this.#giveUpOneOf(most)) return false;
    }
    const held = this.#things.get(thing);
    if (held?.holder.name === name) this.#grow(held, amount);
    else {
      const before = held?.amount ?? 0;
      this.give(thing);
      this.#put(thing, { name, line: 0, amount: before + amount });
    }
    return true;
  }

  /** Gives back a part of what a thing takes: less than all of it. */
  shrink(thing: Thing, amount: number): void {
    const held = this.#things.get(thing);
    if (held !== undefined) this.#grow(held, -amount);
  }

  /** Puts a thing at the end of a line of a holder, whatever that one holds. Does nothing for one without a place. */
  move(thing: Thing, name: string, line: number): void {
    const held = this.#things.get(thing);
    if (held === undefined) return;
    const { holder, amount } = held;
    if (holder.name === name) {
      holder.lines[held.line]?.delete(thing);
      holder.lines[line]?.add(thing);
      held.line = line;
      return;
    }
    this.give(thing);
    this.#put(thing, { name, line, amount });
  }

  /** Gives a place back, or does nothing for a thing without one. */
  give(thing: Thing): void {
    const held = this.#things.get(thing);
    if (held === undefined) return;
    const { holder, line, amount } = held;
    this.#things.delete(thing);
    holder.lines[line]?.delete(thing);
    this.#grow(held, -amount);
    if (holder.total <= 0) this.#holders.delete(holder.name);
  }

  #grow(held: Held<Thing>, amount: number): void {
    held.amount += amount;
    held.holder.total += amount;
    this.#total += amount;
  }

  #put(thing: Thing, { name, line, amount }: { name: string; line: number; amount: number }): void {
    let holder = this.#holders.get(name);
    if (holder === undefined) {
      holder = { name, total: 0, lines: Array.from({ length: this.#options.lines }, () => new Set<Thing>()) };
      this.#holders.set(name, holder);
    }
    holder.lines[line]?.add(thing);
    const held = { holder, line, amount: 0 };
    this.#things.set(thing, held);
    this.#grow(held, amount);
  }

  /** As dear as a new connection where every holder has one. */
  #holderOfMost(): Holder<Thing> | undefined {
    let most: Holder<Thing> | undefined;
    for (const holder of this.#holders.values()) if (holder.total > (most?.total ?? 0)) most = holder;
    return most;
  }

  #giveUpOneOf(holder: Holder<Thing> | undefined): boolean {
    for (const line of holder?.lines ?? []) {
      for (const thing of line) {
        this.give(thing);
        this.#options.giveUp(thing);
        return true;
      }
    }
    return false;
  }
}
