// Which entries of an account a verification has folded: what is stored of any other may be there or not.
import { breakOver } from '../../actors/core/rebuildAccount.ts';
import type { StateHead } from '../../shared/archive/archiveReader.ts';

export class CameEntries {
  readonly #states: readonly StateHead[];
  /** Numbers between entries that came. */
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];
  #first: number | undefined;
  #last = 0;

  /** @param states of the archive, with every break in the account's life */
  constructor(states: readonly StateHead[]) {
    this.#states = states;
  }

  /** Numbers rise. */
  add(seq: number): void {
    this.#first ??= seq;
    if (this.#last > 0 && seq > this.#last + 1) this.#gaps.push({ from: this.#last + 1, to: seq - 1 });
    this.#last = seq;
  }

  has(seq: number): boolean {
    if (seq < (this.#first ?? Number.POSITIVE_INFINITY) || seq > this.#last) return false;
    return !this.#gaps.some(({ from, to }) => seq >= from && seq <= to);
  }

  /** True for a number that a break in the account's life has used: what was written under it may be gone. */
  isWithoutEffect(seq: number): boolean {
    return breakOver(this.#states, seq) !== undefined || this.#states.some((state) => state.seq === seq && state.after < seq);
  }

  /** True when Redis lost something after this entry: what went with that may have been the newest of its kind. */
  isBeforeLoss(seq: number): boolean {
    return this.#states.some(({ reason, after }) => reason === 'redisLost' && after >= seq);
  }
}
