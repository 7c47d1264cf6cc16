// A value for each of many days as the line of a drawing: gaps stay gaps, and 0 is always in sight.

export interface DayValue {
  /** `2026-11-21`. */
  readonly day: string;
  /** Decimal text; null = a gap. */
  readonly value: string | null;
}

export interface DayLine {
  /** The paths of an SVG, one for each stretch without a gap. */
  readonly paths: readonly string[];
  /** Where 0 is, from the top. */
  readonly zero: number;
  readonly first: DayValue;
  readonly last: DayValue;
  readonly lowest: DayValue;
  readonly highest: DayValue;
}

/** @returns undefined without any value */
export function dayLine(values: readonly DayValue[], { width, height }: { width: number; height: number }): DayLine | undefined {
  const known = values.flatMap((of, i) => (of.value === null ? [] : [{ of, i, value: Number(of.value) }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const lowest = known.reduce((least, point) => (point.value < least.value ? point : least), first);
  const highest = known.reduce((most, point) => (point.value > most.value ? point : most), first);
  const [bottom, top] = [Math.min(0, lowest.value), Math.max(0, highest.value)];
  const x = (i: number): number => round((i / Math.max(1, values.length - 1)) * width);
  const y = (value: number): number => round(((top - value) / (top - bottom || 1)) * height);
  const paths: string[] = [];
  let before = -2;
  for (const { i, value } of known) {
    const at = `${x(i)} ${y(value)}`;
    if (i === before + 1) paths.push(`${paths.pop()}L${at}`);
    // A point alone is a dot: a line of no length with round ends.
    else paths.push(`M${at}h0`);
    before = i;
  }
  return { paths, zero: y(0), first: first.of, last: last.of, lowest: lowest.of, highest: highest.of };
}

const round = (value: number): number => Math.round(value * 10) / 10;
