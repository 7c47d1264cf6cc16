// Runs the exchange and the bare stack in turns, with the same requests from the same generator. Other load of the
// machine hits both alike, so the ratio of a round says more than either number. BENCH_ROUNDS and BENCH_SECONDS say how many
// rounds there are, and how long each is.
import type { Stack } from '../../test/support/stack.ts';
import { Bare } from './bare.ts';
import { CpuMeter } from './cpu.ts';
import { pidsOf } from './exchange.ts';
import { type Conversation, drive, type LoadResult, quantile, round } from './load.ts';

const WARM_UP_SECONDS = 3;
const { BENCH_ROUNDS = '5', BENCH_SECONDS = '4' } = process.env;
const ROUNDS = Number(BENCH_ROUNDS);
const ROUND_SECONDS = Number(BENCH_SECONDS);

/** The output of `compare`: medians over the rounds. */
export interface Comparison {
  readonly connections: number;
  readonly exchange: Figures;
  readonly bare: Figures;
  /**
   * Requests a second of the exchange divided by requests a second of the bare stack: the median of the rounds' ratios, and the
   * ratio of each round.
   */
  readonly ratio: number;
  readonly ratios: readonly number[];
  readonly p50AboveBareMs: number;
  readonly p99AboveBareMs: number;
  /** CPU time of each process per request, microseconds. */
  readonly cpuMicrosPerRequest: {
    readonly exchange: Readonly<Record<string, number>>;
    readonly bare: Readonly<Record<string, number>>;
  };
}

type Figures = Pick<LoadResult, 'requestsPerSecond' | 'p50Ms' | 'p99Ms'>;

/** Whether a figure that a bench has printed is a comparison. */
export const isComparison = (value: unknown): value is Comparison =>
  value !== null && typeof value === 'object' && 'ratios' in value && 'cpuMicrosPerRequest' in value;

/** An exchange that runs: where its API is, and its processes by name. */
export interface Running {
  readonly baseUrl: string;
  readonly pids: () => ReadonlyMap<string, number>;
}

/** @param conversations fresh ones for each round; the exchange's state goes on where the last round left it */
export const compare = (
  stack: Stack,
  answers: Readonly<Record<string, unknown>>,
  conversations: (baseUrl: string) => readonly Conversation[],
): Promise<Comparison> => compareRunning({ baseUrl: stack.baseUrl, pids: () => pidsOf(stack) }, answers, conversations);

export async function compareRunning(
  { baseUrl, pids }: Running,
  answers: Readonly<Record<string, unknown>>,
  conversations: (baseUrl: string) => readonly Conversation[],
): Promise<Comparison> {
  const bare = await Bare.start(answers);
  try {
    const ours = (seconds: number) => drive(baseUrl, conversations(baseUrl), seconds);
    const theirs = (seconds: number) => drive(bare.url, conversations(bare.url), seconds);
    await ours(WARM_UP_SECONDS);
    await theirs(WARM_UP_SECONDS);
    const rounds: { exchange: LoadResult; bare: LoadResult }[] = [];
    const cpu: Record<'exchange' | 'bare', Record<string, number>[]> = { exchange: [], bare: [] };
    for (let n = 0; n < ROUNDS; n++) {
      const exchangeMeter = new CpuMeter(pids());
      const exchange = await ours(ROUND_SECONDS);
      cpu.exchange.push(exchangeMeter.per(exchange.requests));
      const bareMeter = new CpuMeter(
        new Map([
          ['bare', bare.pid],
          ['generator', process.pid],
        ]),
      );
      const baseline = await theirs(ROUND_SECONDS);
      cpu.bare.push(bareMeter.per(baseline.requests));
      rounds.push({ exchange, bare: baseline });
    }
    const exchange = mediansOf(rounds.map((one) => one.exchange));
    const baseline = mediansOf(rounds.map((one) => one.bare));
    const ratios = rounds.map((one) => round(one.exchange.requestsPerSecond / one.bare.requestsPerSecond, 3));
    return {
      connections: conversations(bare.url).length,
      exchange,
      bare: baseline,
      ratio: median(ratios),
      ratios,
      p50AboveBareMs: round(exchange.p50Ms - baseline.p50Ms, 3),
      p99AboveBareMs: round(exchange.p99Ms - baseline.p99Ms, 3),
      cpuMicrosPerRequest: { exchange: mediansByName(cpu.exchange), bare: mediansByName(cpu.bare) },
    };
  } finally {
    await bare.stop();
  }
}

const mediansOf = (results: readonly LoadResult[]): Figures => ({
  requestsPerSecond: median(results.map((one) => one.requestsPerSecond)),
  p50Ms: median(results.map((one) => one.p50Ms)),
  p99Ms: median(results.map((one) => one.p99Ms)),
});

/** The median of each name; every round has the same names. */
export const mediansByName = (rounds: readonly Readonly<Record<string, number>>[]): Record<string, number> =>
  Object.fromEntries(Object.keys(rounds[0] ?? {}).map((name) => [name, median(rounds.map((one) => one[name] ?? 0))]));

export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
