// From what the benches print to rows that a person reads: one figure a row, beside that of the bare stack where there is one.
import { type Comparison, isComparison } from '../support/sideBySide.ts';

export interface Row {
  readonly figure: string;
  readonly ours: string;
  readonly bare?: string;
  readonly ofBare?: string;
}

/** @param value what a bench has printed under one name */
export function rowsOf(value: unknown): Row[] {
  return isComparison(value) ? comparisonRows(value) : leaves(value, []);
}

function comparisonRows({ exchange, bare, ratio, ratios, cpuMicrosPerRequest: cpu }: Comparison): Row[] {
  const spread = `${percent(ratio)} (${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))})`;
  const latency = (name: 'p50Ms' | 'p99Ms'): Row => ({
    ...{ figure: name.replace('Ms', ', ms'), ours: text(exchange[name]), bare: text(bare[name]) },
    ofBare: `${text(Number((exchange[name] - bare[name]).toFixed(2)))} above`,
  });
  const ours = costs(cpu.exchange);
  return [
    { figure: 'requests a second', ours: text(exchange.requestsPerSecond), bare: text(bare.requestsPerSecond), ofBare: spread },
    latency('p50Ms'),
    latency('p99Ms'),
    { figure: 'CPU of a request, µs', ours: text(ours.sum), bare: text(costs(cpu.bare).sum) },
    ...ours.parts.map(([name, micros]) => ({ figure: `  ${name}`, ours: text(micros) })),
  ];
}

/** The cost of the load's generator is no cost of the service. */
function costs(byProcess: Readonly<Record<string, number>>): { sum: number; parts: [string, number][] } {
  const parts = Object.entries(byProcess).filter(([name]) => name !== 'generator');
  return { sum: parts.reduce((sum, [, micros]) => sum + micros, 0), parts };
}

function leaves(value: unknown, path: readonly string[]): Row[] {
  if (isComparison(value)) return comparisonRows(value).map((row) => ({ ...row, figure: [...path, row.figure].join(' ') }));
  if (value !== null && typeof value === 'object') {
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
  }
  return [{ figure: path.join(' '), ours: typeof value === 'number' ? text(value) : String(value) }];
}

const percent = (ratio: number): string => `${Math.round(100 * ratio)} %`;

/** As many digits as a person compares. */
export const text = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
