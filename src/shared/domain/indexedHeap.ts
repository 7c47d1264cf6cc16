// A binary heap whose entries know where they stand: one that changes moves alone, and one that goes leaves nothing behind.

export interface InHeap {
  /** Its place; the heap's own. */
  at: number;
}

export class IndexedHeap<Entry extends InHeap> {
  readonly #entries: Entry[] = [];
  readonly #isBefore: (a: Entry, b: Entry) => boolean;

  constructor(isBefore: (a: Entry, b: Entry) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The one before all others. */
  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** All entries from the first on that are wanted: a walk that stops at the first of each branch that is not. */
  *whileWanted(isWanted: (entry: Entry) => boolean): Iterable<Entry> {
    const open = [0];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const entry = this.#entries[at];
      if (entry === undefined || !isWanted(entry)) continue;
      yield entry;
      open.push(2 * at + 1, 2 * at + 2);
    }
  }

  add(entry: Entry): void {
    entry.at = this.#entries.length;
    this.#entries.push(entry);
    this.#raise(entry);
  }

  /** The entry has changed. */
  settle(entry: Entry): void {
    this.#raise(entry);
    this.#sink(entry);
  }

  /** The last entry takes its place. */
  remove(entry: Entry): void {
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, entry.at);
    this.settle(last);
  }

  #raise(entry: Entry): void {
    while (entry.at > 0) {
      const parent = this.#entries[(entry.at - 1) >> 1] as Entry;
      if (!this.#isBefore(entry, parent)) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.at + 1];
      const right = this.#entries[2 * entry.at + 2];
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
      if (child === undefined || !this.#isBefore(child, entry)) return;
      this.#swap(entry, child);
    }
  }

  #swap(parent: Entry, child: Entry): void {
    const { at } = parent;
    this.#put(parent, child.at);
    this.#put(child, at);
  }

  #put(entry: Entry, at: number): void {
    entry.at = at;
    this.#entries[at] = entry;
  }
}
