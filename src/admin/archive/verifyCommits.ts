// The commits that documents name beside their entries' numbers, all of them together: both rise, and none is beyond what the shard
// has seen. By them recovery finds what MongoDB holds beyond a journal that has lost its end.
import { Differs } from './firstDifference.ts';

export interface NamedCommit {
  /** Newest entry in the document, and the commit that it says it came with. */
  readonly seq: number;
  readonly commit: number;
  readonly where: string;
}

/** @param reached no commit of the shard is beyond it; undefined = not known @throws {Differs} at the first that does not fit */
export function verifyCommits(named: readonly NamedCommit[], reached: number | undefined): void {
  let before: NamedCommit | undefined;
  for (const one of named.toSorted((a, b) => a.seq - b.seq || a.commit - b.commit)) {
    const { seq, commit, where } = one;
    const differs = (expected: string) => new Differs({ seq, where, field: 'commit', expected, found: String(commit) });
    if (before !== undefined && commit < before.commit)
      throw differs(`at least ${before.commit}, as ${before.where} has it of entry ${before.seq}`);
    if (before?.seq === seq && commit !== before.commit) throw differs(`${before.commit}, as ${before.where} has it`);
    if (reached !== undefined && commit > reached) throw differs(`at most ${reached}, the newest of the shard`);
    before = one;
  }
}
