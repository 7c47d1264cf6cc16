// The runs of a report, one bench after the other. A bench that fails costs its own figures and none of the others'.
import type { MachineState } from './machineWatch.ts';

export type Results = Readonly<Record<string, unknown>>;

/** The output of one bench, by name; `before` is the output of the build that it is compared with. */
export interface BenchRun {
  readonly bench: string;
  readonly results: Results;
  readonly before?: Results;
  /** Why there are no results. */
  readonly failed?: string;
  readonly machine: MachineState;
}

/**
 * Runs them in turn.
 * @param run throws when the bench fails
 * @param watch begins to watch the machine; its result reports the machine since then
 * @param onRun gets all runs so far, after each run
 */
export function runInTurn(
  benches: readonly string[],
  run: (bench: string) => Pick<BenchRun, 'results' | 'before'>,
  { watch, onRun }: { readonly watch: () => () => MachineState; readonly onRun: (runs: readonly BenchRun[]) => void },
): readonly BenchRun[] {
  const runs: BenchRun[] = [];
  for (const bench of benches) {
    const state = watch();
    runs.push({ bench, ...attempt(() => run(bench)), machine: state() });
    onRun(runs);
  }
  return runs;
}

function attempt(run: () => Pick<BenchRun, 'results' | 'before'>): Omit<BenchRun, 'bench' | 'machine'> {
  try {
    return run();
  } catch (error) {
    return { results: {}, failed: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The figures that a bench has printed: one object a line, among other lines. A bench of many cases names each line by its `case`.
 * @throws when there are none, or two have one name
 */
export function resultsIn(output: string): Results {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const results = new Map<string, unknown>();
  for (const [name, figures] of lines.flatMap((line) => Object.entries(named(JSON.parse(line) as Results)))) {
    if (results.has(name)) throw new Error(`two results are named ${name}`);
    results.set(name, figures);
  }
  if (results.size === 0) throw new Error('it has printed no results');
  return Object.fromEntries(results);
}

function named({ case: name, ...figures }: Results): Results {
  return name === undefined ? figures : { [String(name)]: figures };
}
