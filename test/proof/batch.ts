// Many random lives in a row, under every invariant. Run by the tests, in a process for each core, and by the soak.
import fc from 'fast-check';
import { INVARIANTS } from './invariants/all.ts';
import { InvariantBroken, live } from './life.ts';
import { randomLife } from './randomSteps.ts';

export interface BatchResult {
  readonly seed: number;
  /** Lives that were lived to their ends. */
  readonly lived: number;
  readonly broken?: {
    /** Name of the invariant, or `none` when the rules themselves threw. */
    readonly invariant: string;
    /** The fault, with fast-check's seed and path and the shrunk life. */
    readonly report: string;
  };
}

/** Lives of this seed; the first that breaks an invariant ends the batch. */
export function liveBatch({ seed, lives }: { readonly seed: number; readonly lives: number }): BatchResult {
  const property = fc.property(randomLife, (steps) => void live(steps, INVARIANTS));
  const run = fc.check(property, { numRuns: lives, seed });
  if (!run.failed) return { seed, lived: run.numRuns };
  const error = run.errorInstance;
  const invariant = error instanceof InvariantBroken ? error.invariant : 'none';
  const story = fc.defaultReportMessage(run) ?? 'no counterexample';
  return { seed, lived: run.numRuns - 1, broken: { invariant, report: `${String(error)}\n${story}` } };
}
