// The earliest due time of every account in memory, so that planned actions happen without a command. It only mirrors
// the accounts' state: after a crash it is filled again from there, and nothing due is lost.

interface Due {
  readonly accountId: string;
  dueMs: number;
  /** Its place in the heap. */
  at: number;
}

/** A binary heap that knows where each account stands: a time that changes moves its one entry, and nothing replaced is kept. */
export class DueTimes {
  readonly #heap: Due[] = [];
  readonly #byAccount = new Map<string, Due>();

  /** Accounts with a due time. */
  get size(): number {
    return this.#heap.length;
  }

  /** Earliest due time of all, or undefined. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  set(accountId: string, dueMs: number | undefined): void {
    const known = this.#byAccount.get(accountId);
    if (known?.dueMs === dueMs) return;
    if (dueMs === undefined) {
      if (known !== undefined) this.#remove(known);
    } else if (known === undefined) {
      const due: Due = { accountId, dueMs, at: this.#heap.length };
      this.#byAccount.set(accountId, due);
      this.#heap.push(due);
      this.#raise(due);
    } else {
      known.dueMs = dueMs;
      this.#settle(known);
    }
  }

  /** Takes out an account that is due, earliest first; undefined when none is. */
  takeDue(nowMs: number): string | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#remove(first);
    return first.accountId;
  }

  /** The last entry takes its place. */
  #remove(due: Due): void {
    this.#byAccount.delete(due.accountId);
    const last = this.#heap.pop();
    if (last === undefined || last === due) return;
    this.#put(last, due.at);
    this.#settle(last);
  }

  #settle(due: Due): void {
    this.#raise(due);
    this.#sink(due);
  }

  #raise(due: Due): void {
    while (due.at > 0) {
      const parent = this.#heap[(due.at - 1) >> 1] as Due;
      if (parent.dueMs <= due.dueMs) return;
      this.#swap(parent, due);
    }
  }

  #sink(due: Due): void {
    for (;;) {
      const left = this.#heap[2 * due.at + 1];
      const right = this.#heap[2 * due.at + 2];
      const child = left !== undefined && right !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= due.dueMs) return;
      this.#swap(due, child);
    }
  }

  #swap(parent: Due, child: Due): void {
    const { at } = parent;
    this.#put(parent, child.at);
    this.#put(child, at);
  }

  #put(due: Due, at: number): void {
    due.at = at;
    this.#heap[at] = due;
  }
}
