// The table of a run of the benches, for a terminal.
import { type Row, rowsOf } from './rows.ts';
import type { BenchRun } from './runs.ts';

const HEAD = { figure: 'Figure', ours: 'Ours', before: 'Before', bare: 'Bare stack', ofBare: 'Of the bare stack' };
type Line = Record<keyof typeof HEAD, string>;
const COLUMNS = Object.keys(HEAD) as (keyof typeof HEAD)[];

/** @returns lines; figures that are not to be trusted have a `!` before them */
export function tableOf(runs: readonly BenchRun[]): string {
  const hasBefore = runs.some(({ before }) => before !== undefined);
  const columns = COLUMNS.filter((name) => name !== 'before' || hasBefore);
  const sections = runs.map((run) => ({ title: titleOf(run), lines: linesOf(run) }));
  const all = [HEAD, ...sections.flatMap(({ lines }) => lines)];
  const widths = columns.map((name) => Math.max(...all.map((line) => width(line[name]))));
  const written = (line: Line): string =>
    columns
      .map((name, at) => pad(line[name], widths[at] ?? 0, name === 'figure'))
      .join('  ')
      .trimEnd();
  return [written(HEAD), ...sections.flatMap(({ title, lines }) => ['', title, ...lines.map(written)])].join('\n');
}

function titleOf({ bench, failed, machine: { load, stealPercent, otherCores, others, doubts } }: BenchRun): string {
  if (failed !== undefined) return `${bench}: FAILED: ${failed}`;
  const named = Object.entries(others).map(([name, cores]) => `${name} ${cores}`);
  const state = `load ${load}, steal ${stealPercent} %, others ${otherCores} cores${named.length ? ` (${named.join(', ')})` : ''}`;
  return `${bench}: ${state}${doubts.length ? `; NOT TO BE TRUSTED: ${doubts.join(', ')}` : ''}`;
}

function linesOf({ results, before, machine }: BenchRun): Line[] {
  const mark = machine.doubts.length > 0 ? '! ' : '  ';
  return Object.entries(results).flatMap(([name, value]) => {
    const earlier = new Map(rowsOf(before?.[name] ?? {}).map((row) => [row.figure, row]));
    return rowsOf(value).map((row) => toLine(row, { mark, name, before: earlier.get(row.figure)?.ours ?? '' }));
  });
}

function toLine(
  { figure, ours, bare = '', ofBare = '' }: Row,
  { mark, name, before }: Record<'mark' | 'name' | 'before', string>,
): Line {
  return { figure: `${mark}${name} ${figure}`, ours, before, bare, ofBare };
}

const width = (text: string): number => [...text].length;

const pad = (text: string, to: number, left: boolean): string => {
  const space = ' '.repeat(Math.max(0, to - width(text)));
  return left ? text + space : space + text;
};
