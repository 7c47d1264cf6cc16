// The traced commands whose entries are in a shard's journal and not yet in MongoDB, by their commits. The owner remembers them, and only
// so many: nothing of a trace is stored, so where the next owner writes an entry its trace ends with the commit.
import type { Tracing } from '../../../shared/tracing/tracing.ts';
import type { Journaled } from './draftSpans.ts';

/** Commits that are remembered, the oldest go first: some 200 bytes each. */
const COMMITS_MAX = 1000;

export class HistorySpans {
  readonly #tracing: Pick<Tracing, 'follow'>;
  readonly #shard: number;
  readonly #byCommit = new Map<number, readonly Journaled[]>();

  constructor(tracing: Pick<Tracing, 'follow'>, shard: number) {
    this.#tracing = tracing;
    this.#shard = shard;
  }

  /** @param commit number in the journal */
  onCommitted(commit: number, journaled: readonly Journaled[]): void {
    if (journaled.length === 0) return;
    this.#byCommit.set(commit, journaled);
    const [oldest] = this.#byCommit.keys();
    if (this.#byCommit.size > COMMITS_MAX && oldest !== undefined) this.#byCommit.delete(oldest);
  }

  /**
   * MongoDB has all entries up to a commit.
   * @param begunMs when the writing of the last of them was begun, by `performance.now()`
   */
  onWritten(upTo: number, begunMs: number): void {
    for (const [commit, journaled] of this.#byCommit) {
      if (commit > upTo) return;
      this.#byCommit.delete(commit);
      for (const { place, committedMs } of journaled) this.#tell(commit, place, { committedMs, begunMs });
    }
  }

  /** The time in the journal, and within it that of the write. */
  #tell(commit: number, place: string, { committedMs, begunMs }: { committedMs: number; begunMs: number }): void {
    const fields = { shard: this.#shard, commit };
    const span = this.#tracing.follow(place, 'history', { kind: 'consumer', fields, startMs: committedMs });
    const startMs = Math.max(begunMs, committedMs);
    span?.child('mongodb write', { kind: 'client', fields: { store: 'mongodb', commit }, startMs }).end();
    span?.end();
  }
}
