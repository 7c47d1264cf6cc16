// The runs of one bench as one: the median of each figure over the runs, and the lists of all rounds.
import { median } from '../support/sideBySide.ts';

type Results = Readonly<Record<string, unknown>>;

/** @param runs of one build; every run has the same figures */
export const merged = (runs: readonly Results[]): Results => mergedValue(runs) as Results;

function mergedValue(values: readonly unknown[]): unknown {
  const [first] = values;
  if (typeof first === 'number') return median(values as readonly number[]);
  if (Array.isArray(first)) return values.flat();
  if (first === null || typeof first !== 'object') return first;
  return Object.fromEntries(
    Object.keys(first).map((name) => [name, mergedValue(values.map((value) => (value as Results)[name]))]),
  );
}
