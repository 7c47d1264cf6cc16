// The earliest due time of every account in memory, so that planned actions happen without a command. It only mirrors
// the accounts' state: after a crash it is filled again from there, and nothing due is lost.

interface Due {
  readonly accountId: string;
  readonly dueMs: number;
}

/** A binary heap; entries that were replaced stay in it until they come up and are skipped then. */
export class DueTimes {
  readonly #heap: Due[] = [];
  readonly #current = new Map<string, number>();

  /** Earliest due time of all, or undefined. */
  get nextMs(): number | undefined {
    this.#dropReplaced();
    return this.#heap[0]?.dueMs;
  }

  set(accountId: string, dueMs: number | undefined): void {
    if (this.#current.get(accountId) === dueMs) return;
    if (dueMs === undefined) {
      this.#current.delete(accountId);
      return;
    }
    this.#current.set(accountId, dueMs);
    this.#push({ accountId, dueMs });
  }

  /** Takes out an account that is due, earliest first; undefined when none is. */
  takeDue(nowMs: number): string | undefined {
    this.#dropReplaced();
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#current.delete(first.accountId);
    this.#pop();
    return first.accountId;
  }

  #dropReplaced(): void {
    for (let first = this.#heap[0]; first && this.#current.get(first.accountId) !== first.dueMs; first = this.#heap[0])
      this.#pop();
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let i = heap.push(due) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if ((heap[parent] as Due).dueMs <= due.dueMs) break;
      heap[i] = heap[parent] as Due;
      i = parent;
    }
    heap[i] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as Due).dueMs < (heap[child] as Due).dueMs) child += 1;
      if ((heap[child] as Due).dueMs >= last.dueMs) break;
      heap[i] = heap[child] as Due;
      i = child;
    }
    heap[i] = last;
  }
}
