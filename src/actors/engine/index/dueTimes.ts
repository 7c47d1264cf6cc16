// The earliest due time of every account in memory, so that planned actions happen without a command. It only mirrors
// the accounts' state: after a crash it is filled again from there, and nothing due is lost.
import { IndexedHeap, type InHeap } from '../../../shared/domain/indexedHeap.ts';

interface Due extends InHeap {
  readonly accountId: string;
  dueMs: number;
}

export class DueTimes {
  readonly #heap = new IndexedHeap<Due>((a, b) => a.dueMs < b.dueMs);
  readonly #byAccount = new Map<string, Due>();

  /** Accounts with a due time. */
  get size(): number {
    return this.#heap.size;
  }

  /** Earliest due time of all, or undefined. */
  get nextMs(): number | undefined {
    return this.#heap.first?.dueMs;
  }

  set(accountId: string, dueMs: number | undefined): void {
    const known = this.#byAccount.get(accountId);
    if (known?.dueMs === dueMs) return;
    if (dueMs === undefined) {
      if (known !== undefined) this.#remove(known);
    } else if (known === undefined) {
      const due: Due = { accountId, dueMs, at: 0 };
      this.#byAccount.set(accountId, due);
      this.#heap.add(due);
    } else {
      known.dueMs = dueMs;
      this.#heap.settle(known);
    }
  }

  /** Takes out an account that is due, earliest first; undefined when none is. */
  takeDue(nowMs: number): string | undefined {
    const { first } = this.#heap;
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#remove(first);
    return first.accountId;
  }

  #remove(due: Due): void {
    this.#byAccount.delete(due.accountId);
    this.#heap.remove(due);
  }
}
