// A line over days as an SVG without scripts. Readers get a sentence made from the data; the numbers are in the answer of the figures.
import { escaped } from '../../api/http/pages.ts';
import { shown } from './sheetValues.ts';

const [WIDTH, HEIGHT] = [720, 160];

export interface ChartDay {
  readonly day: string;
  /** Decimal text; null = a gap. */
  readonly value: string | null;
}

/** @param options.kind how the values are written; @param options.empty said where there is nothing to draw */
export function chart(
  values: readonly ChartDay[],
  { label, kind, empty }: { label: string; kind: 'return' | 'ratio'; empty: string },
): string {
  const points = values.flatMap(({ day, value }, i) => (value === null ? [] : [{ day, i, value: Number(value), text: value }]));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `<p>${escaped(empty)}</p>`;
  if (first === last) return `<p>${escaped(`${label}: ${shown(kind, first.text)} on ${first.day}. A line needs two days.`)}</p>`;
  const low = points.reduce((least, point) => (point.value < least.value ? point : least), first);
  const high = points.reduce((most, point) => (point.value > most.value ? point : most), first);
  const [bottom, top] = [Math.min(0, low.value), Math.max(0, high.value)];
  const x = (i: number): string => ((i / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number): string => (((top - value) / (top - bottom || 1)) * (HEIGHT - 8) + 4).toFixed(1);
  const sentence =
    `${label}: from ${shown(kind, first.text)} on ${first.day} to ${shown(kind, last.text)} on ${last.day}; ` +
    `lowest ${shown(kind, low.text)} on ${low.day}, highest ${shown(kind, high.text)} on ${high.day}.`;
  const paths = stretches(points).map((stretch) => {
    const at = stretch.map(({ i, value }) => `${x(i)} ${y(value)}`);
    // One point alone is a dot: a line of no length with round ends.
    return `<path class="line" d="M${at.join('L')}${at.length === 1 ? 'h0' : ''}"/>`;
  });
  return `<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(sentence)}"><path class="zero" d="M0 ${y(0)}H${WIDTH}"/>${paths.join('')}</svg>
<figcaption>${escaped(sentence)}</figcaption></figure>`;
}

interface Placed {
  readonly i: number;
  readonly value: number;
}

/** Points of neighbouring days: a line is not drawn over a gap. */
function stretches(points: readonly Placed[]): Placed[][] {
  const all: Placed[][] = [];
  for (const point of points) {
    const open = all.at(-1);
    if (open?.at(-1)?.i === point.i - 1) open.push(point);
    else all.push([point]);
  }
  return all;
}
