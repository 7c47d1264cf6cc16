// Cuts the journal behind the history. An entry stays until MongoDB has had its rows and its snapshot for longer
// than it could lose in a crash.
import type { Journal } from './journal.ts';

/** Commits cut in one call: Redis serves no other call meanwhile. */
const TRIM_COMMITS_MAX = 1000;

interface JournalTrimmerParts {
  readonly journal: Pick<Journal, 'trim'>;
  /** So long an entry stays after MongoDB has all of it. */
  readonly lagMs: number;
  readonly realNow: () => number;
  /** Asks MongoDB whether it still has what was written. @throws when it has not */
  readonly confirm: () => Promise<void>;
  /** The journal has no entry up to this commit any more. */
  readonly onTrimmed: (commitNumber: number) => void;
}

export class JournalTrimmer {
  readonly #parts: JournalTrimmerParts;
  /** When MongoDB was seen to have all of the journal up to which commit, rows and snapshots; oldest first. */
  readonly #covered: { readonly commit: number; readonly atMs: number }[] = [];
  #trimmedTo: number;

  /** @param trimmedTo the journal has no entry up to this commit */
  constructor(parts: JournalTrimmerParts, trimmedTo: number) {
    this.#parts = parts;
    this.#trimmedTo = trimmedTo;
  }

  /**
   * @param coveredTo MongoDB has rows and snapshots of all commits up to this one
   * @param confirmedMs when this round began to ask MongoDB whether it still has what was written; absent = it did not ask
   */
  async trim(coveredTo: number, confirmedMs = Number.NEGATIVE_INFINITY): Promise<void> {
    const { realNow, lagMs, confirm } = this.#parts;
    const covered = this.#covered;
    if (coveredTo > (covered.at(-1)?.commit ?? this.#trimmedTo)) covered.push({ commit: coveredTo, atMs: realNow() });
    let notAfterMs = realNow() - lagMs;
    if (covered[0] === undefined || covered[0].atMs > notAfterMs) return;
    // A writer with nothing to write would not notice that MongoDB has crashed meanwhile and lost its newest writes.
    if (covered[0].atMs < confirmedMs - lagMs) notAfterMs = confirmedMs - lagMs;
    else await confirm();
    for (let oldest = covered[0]; oldest !== undefined && oldest.atMs <= notAfterMs; oldest = covered[0]) {
      await this.#trimTo(oldest.commit);
      covered.shift();
    }
  }

  async #trimTo(commit: number): Promise<void> {
    while (this.#trimmedTo < commit) {
      const to = Math.min(this.#trimmedTo + TRIM_COMMITS_MAX, commit);
      await this.#parts.journal.trim(to);
      this.#trimmedTo = to;
      this.#parts.onTrimmed(to);
    }
  }
}
